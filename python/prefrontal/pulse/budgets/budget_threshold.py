"""The score to wake at for the most recall within a budget: the best scores, as many as may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...settings.budget import Budget

BINS = 1024
WIDEST = 16.0
"""Log-odds beyond which scores are not told apart."""
HALF_LIFE_SPANS = 1.0
"""Spans after which a score counts half: labels move all scores, and old ones are in the way."""
LEAST_SPANS = 1 / 24
"""Of the past, before which nothing is known of how often a score comes, and everything wakes."""
EVERY = 16
"""Windows after which the threshold is computed again, if nothing woke meanwhile."""
_REBASE = 200.0


class BudgetThreshold:
    """Follows how often scores came: it is where the wakes that are left would last a span.

    The gate's policy keeps the number of wakes; the threshold says which ones are worth it.
    """

    def __init__(self, budget: Budget) -> None:
        import numpy as np

        self.budget = budget
        self._counts = np.zeros(BINS)
        self._began: float | None = None
        self._base = 0.0  # Unix second at which a score has weight 1
        self._since = EVERY
        self._at = 0.0
        self._threshold = 0.0

    def threshold(self, now: float, spent: float) -> float:
        """The least score that wakes at Unix second `now`. spent: share of the budget."""
        if self._began is None or now - self._began < LEAST_SPANS * self.budget.span_s:
            return 0.0
        self._since += 1
        if self._since >= EVERY or now - self._at > self.budget.span_s / 1000:
            self._since, self._at = 0, now
            self._threshold = self._follow(now, spent)
        return self._threshold

    def decided(self, score: float, woke: bool, now: float) -> None:
        """Take note of a score, and whether a wake was spent on it."""
        if self._began is None:
            self._began = self._base = now
        if woke:
            self._since = EVERY
        exponent = (now - self._base) / self._half_life_s
        if exponent > _REBASE:
            self._counts *= 2.0**-exponent
            self._base, exponent = now, 0.0
        if not math.isnan(score):
            self._counts[_bin(score)] += 2.0**exponent

    @property
    def _half_life_s(self) -> float:
        return HALF_LIFE_SPANS * self.budget.span_s

    def _follow(self, now: float, spent: float) -> float:
        import numpy as np

        assert self._began is not None
        half_life = self._half_life_s
        weight = 2.0 ** ((now - self._base) / half_life)
        aged = 2.0 ** (-(now - self._began) / half_life)
        spans = HALF_LIFE_SPANS / math.log(2.0) * (1.0 - aged)  # the past, in spans of today
        above = np.cumsum(self._counts[::-1])[::-1] / (weight * spans)
        wanted = self.budget.wakes - round(spent * self.budget.wakes)
        enough = np.flatnonzero(above <= wanted)
        place = int(enough[0]) if len(enough) else BINS
        # Equal scores that are too many together are taken as they come, rather than none of them.
        if place > 0 and wanted > 0 and (place == BINS or above[place] < wanted / 2):
            place = int(np.flatnonzero(self._counts[:place])[-1])
        return _edge(place) if place < BINS else 1.0


def _bin(score: float) -> int:
    if score <= 0.0:
        return 0
    if score >= 1.0:
        return BINS - 1
    place = (math.log(score / (1.0 - score)) + WIDEST) / (2 * WIDEST) * BINS
    return min(BINS - 1, max(0, int(place)))


def _edge(place: int) -> float:
    """The least score of a bin."""
    if place == 0:
        return 0.0
    return 1.0 / (1.0 + math.exp(WIDEST - place * 2 * WIDEST / BINS))
