"""What trust adds to the scores of an event, and how it is named among their reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..decisions.payloads import Moment

_MOST_SHIFT = 700.0
"""Log-odds beyond which a shift changes nothing more; exp still is a number there."""


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
