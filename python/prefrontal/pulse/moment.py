"""The one moment at which an event is decided about, and what trust adds to its scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..types import Standing

_MOST_SHIFT = 700.0
"""Log-odds beyond which a shift changes nothing more; exp still is a number there."""


class Moment(NamedTuple):
    """What all decisions about one event share.

    event: its number among those of this start, from 1. time: Unix seconds. monotonic: seconds.
    labels: number of the last label learned before. slept: how many windows had slept before, over
    all modules. standing: of who is behind the event.
    """

    event: int
    time: float
    monotonic: float
    labels: int
    slept: int
    standing: Standing | None = None

    def details(self) -> dict[str, Any]:
        """What a record keeps of it, besides its time."""
        told: dict[str, Any] = {
            "event": self.event,
            "monotonic": self.monotonic,
            "labels": self.labels,
            "slept": self.slept,
        }
        if (standing := self.standing) is not None:
            told |= {"peer": standing.peer, "trust": standing.trust, "shift": standing.shift}
            if standing.wakes_per_hour is not None:
                told["budget"] = standing.wakes_per_hour
        return told

    def reasons(
        self, pushed: Iterable[tuple[str, float]], most: int
    ) -> tuple[tuple[str, float], ...]:
        """The `most` strongest of what pushed a score; trust is always named where it did."""
        standing = self.standing
        if standing is None or not standing.shift:
            return tuple(pushed)[:most]
        trust = (f"trust in {standing.peer} {standing.trust:+d}", standing.shift)
        named = [*tuple(pushed)[: most - 1], trust]
        return tuple(sorted(named, key=lambda each: -abs(each[1])))


def moment_of(time: float, details: Mapping[str, Any]) -> Moment:
    """The moment that a record tells of."""
    return Moment(
        details["event"],
        time,
        details["monotonic"],
        details["labels"],
        details["slept"],
        standing_of(details),
    )


def standing_of(details: Mapping[str, Any]) -> Standing | None:
    """Who was behind the event of a record; None when nobody was known to be."""
    if "peer" not in details:
        return None
    return Standing(details["peer"], details["trust"], details["shift"], details.get("budget"))


def shifted(score: float, shift: float) -> float:
    """The score with `shift` added to its log-odds: the same bits for 0; 0, 1, NaN stay so."""
    if shift == 0 or not 0.0 < score < 1.0:
        return score
    odds = math.exp(min(max(shift, -_MOST_SHIFT), _MOST_SHIFT))
    return score * odds / (1.0 - score + score * odds)
