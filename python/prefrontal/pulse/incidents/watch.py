"""Which bursts are asked about: at once when their score is among the best, then now and then."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING

from ..sliding_budget import SlidingBudget

if TYPE_CHECKING:
    from ...settings.budget import Budget
    from ..learning.limbic import LimbicLayer
    from .bursts import Look

ANY = "any"
"""The module that learns whether a burst belongs to an incident at all."""

HOLD_S = 15.0
"""Least seconds between two questions."""
OPEN_S = 3600.0
"""An incident is open so long after a question that was answered with yes."""
FOLD_S = 7200.0
"""A name is not asked about again for so long, OPEN_S while an incident is open."""
UPDATE_S, UPDATE_GROWTH, UPDATE_MOST_S = 240.0, 3.0, 7200.0
"""An open incident is asked about again after UPDATE_S, then ever more rarely."""
WARM_SHARE = 0.6
"""Of the budget: how often bursts of other histories that were nothing score above the start."""
PAST_SHARE = 1.25
"""Of the budget: how often bursts of this history score above the threshold."""
SPENT_COST = 2.0
"""Log-odds that a score must have more when the budget is spent; less in proportion."""
OPEN_BONUS = 1.5
"""Log-odds that a score may have less while an incident is open."""
SAME_COST = 8.0
"""Log-odds more for the kind that was just told; fades over OPEN_S."""


class IncidentWatch:
    """Learns the kinds of incidents from other histories, then decides about one, burst by burst.

    The constants were chosen on the four sites of benchmarks/bench_incidents.py.
    """

    def __init__(self, limbic: LimbicLayer, kinds: list[str], budget: Budget) -> None:
        self._limbic = limbic
        self._kinds = kinds
        self._spent = SlidingBudget(budget)
        self._budget = budget
        self._start = 0.0
        self._began: float | None = None
        self._past: list[float] = []
        self._told: dict[str, float] = {}
        self._asked: dict[str, float] = {}
        self._yes = self._last = -math.inf
        self._interval = UPDATE_S
        self._updating = False
        self.kind = ""

    def begin_at(self, scores: list[float], spans: float) -> None:
        """Start from the scores of what was nothing in other histories that spanned so much."""
        best = sorted(scores, reverse=True)
        place = int(WARM_SHARE * self._budget.wakes * spans)
        self._start = best[min(place, len(best) - 1)] if best else 0.0

    def score(self, look: Look) -> float:
        """Log-odds that the burst belongs to an incident; `kind` is then the likeliest."""
        events = (look.event,)
        scores = [(self._limbic.score(kind, events), kind) for kind in self._kinds]
        best, self.kind = max(scores, default=(0.0, ""))
        return _log_odds(max(best, self._limbic.score(ANY, events)))

    def look(self, look: Look) -> tuple[bool, float, float]:
        """(asked, score, threshold) of a burst, both in log-odds."""
        time, score = look.time, self.score(look)
        if self._began is None:
            self._began = time
        open_now = time - self._yes < OPEN_S
        threshold = self._threshold(time) - (OPEN_BONUS if open_now else 0.0)
        if not open_now:
            insort(self._past, score)
        if not self._spent.has(time) or time - self._last < HOLD_S:
            return False, score, threshold
        told = time - self._told.get(self.kind, -math.inf)
        cost = SAME_COST * max(0.0, 1.0 - told / OPEN_S)
        again = time - self._asked.get(look.name, -math.inf)
        fresh = again >= (OPEN_S if open_now else FOLD_S)
        self._updating = False
        if not (score - cost >= threshold and fresh):
            if not (open_now and time - self._last >= self._interval):
                return False, score, threshold
            self._updating = True
        self._spent.take(time)
        self._asked[look.name] = self._last = time
        return True, score, threshold

    def answer(self, look: Look, yes: bool) -> None:
        """The answer to the question about the last burst that was asked about."""
        events, time = (look.event,), look.time
        if not (yes and time - self._yes < OPEN_S):
            self._limbic.update_weights(ANY, events, float(yes))
        if not yes:
            for kind in self._kinds:
                self._limbic.update_weights(kind, events, 0.0)
            if self._updating:
                self._yes = -math.inf
            return
        self._yes = self._told[self.kind] = time
        grown = min(UPDATE_MOST_S, self._interval * UPDATE_GROWTH)
        self._interval = grown if self._updating else UPDATE_S

    def _threshold(self, time: float) -> float:
        assert self._began is not None
        spans = (time - self._began) / self._budget.span_s
        place = int(PAST_SHARE * self._budget.wakes * (spans + 1))
        own = self._past[-place] if len(self._past) > place else self._start
        share = min(1.0, spans)
        used = self._spent.used(time) / self._budget.wakes
        return share * own + (1 - share) * self._start + SPENT_COST * used


def _log_odds(score: float) -> float:
    score = min(max(score, 1e-9), 1 - 1e-9)
    return math.log(score / (1 - score))
