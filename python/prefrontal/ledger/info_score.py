"""How much is known of a peer, 0..10, from counts and times alone."""

from __future__ import annotations

from typing import Protocol

_DAY_S = 86_400.0

# Interactions from..to, days from..to, score at the beginning and in the second half of the row.
_ROWS = (
    (51, 100, 180.0, 365.0, 9, 10),
    (31, 50, 30.0, 180.0, 7, 8),
    (16, 30, 30.0, 90.0, 6, 7),
    (6, 15, 7.0, 28.0, 4, 5),
    (3, 5, 0.0, 7.0, 2, 3),
    (1, 2, 0.0, 1.0, 1, 1),
)
_MANY_ASSESSMENTS = 10
_MOST = 10


class Known(Protocol):
    """The facts behind the score."""

    @property
    def first_seen(self) -> float: ...
    @property
    def last_seen(self) -> float: ...
    @property
    def interaction_count(self) -> int: ...


def compute_info_score(peer: Known, assessment_count: int = 0) -> int:
    """0 for no interaction, else the highest row whose count and whose days are both reached.

    In a row, the further of the two decides between its lower and its upper score: a burst of
    messages does not make up for days, nor do days for messages. Ten assessments lift 9 to 10.
    The days are those between the first and the last message, so that waiting adds nothing.
    """
    days = max(0.0, peer.last_seen - peer.first_seen) / _DAY_S
    score = score_of(peer.interaction_count, days)
    return _MOST if score == _MOST - 1 and assessment_count >= _MANY_ASSESSMENTS else score


def score_of(interactions: int, days: float) -> int:
    """The score of so many interactions over so many days, without the assessments."""
    for least, most, first_day, last_day, low, high in _ROWS:
        if interactions >= least and days >= first_day:
            by_count = (interactions - least) / (most - least)
            by_days = (days - first_day) / (last_day - first_day)
            return high if max(by_count, by_days) >= 0.5 else low
    return 0
