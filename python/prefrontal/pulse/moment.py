"""What trust adds to the scores of an event, and how it is named among their reasons."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..decisions.payloads import Moment
    from ..protocols import Standings
    from ..types import SignalEvent, Standing

_MOST_SHIFT = 700.0
"""Log-odds beyond which a shift changes nothing more; exp still is a number there."""


log = logging.getLogger("prefrontal.pulse")


def standing_behind(window: Sequence[SignalEvent], standings: Standings | None) -> Standing | None:
    """Of who is behind the last event; None where nobody knows."""
    try:
        return standings.standing(window[-1]) if window and standings is not None else None
    except Exception as error:  # a window must not be lost for who may be behind it
        log.exception("the standing behind an event is not known: %s", error)
        return None


def reasons(
    moment: Moment, pushed: Iterable[tuple[str, float]], most: int
) -> tuple[tuple[str, float], ...]:
    """The `most` strongest of what pushed a score; trust is always named where it did."""
    standing = moment.standing
    if standing is None or not standing.shift:
        return tuple(pushed)[:most]
    trust = (f"trust in {standing.peer} {standing.trust:+d}", standing.shift)
    named = [*tuple(pushed)[: most - 1], trust]
    return tuple(sorted(named, key=lambda each: -abs(each[1])))


def shifted(score: float, shift: float) -> float:
    """The score with `shift` added to its log-odds: the same bits for 0; 0, 1, NaN stay so."""
    if shift == 0 or not 0.0 < score < 1.0:
        return score
    odds = math.exp(min(max(shift, -_MOST_SHIFT), _MOST_SHIFT))
    return score * odds / (1.0 - score + score * odds)
