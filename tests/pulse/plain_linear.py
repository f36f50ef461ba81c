"""The formulas of `LinearScorer` for one module, over the names of features."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from prefrontal._core import pulse
from prefrontal.types import SignalEvent

SLOW, FAST, MOST, FIRST_ENERGY, DISCOUNT = 0.65, 0.035, 6.0, 0.1, 0.995
SHARED = (0.8, 1.5, 2.6, 0.07)
RATES = {  # of a kind: slow, fast, surprise, variance
    "name": (0.7, 0.2, 0.0, 0.25),
    "attribute": (0.7, 0.2, 0.0, 0.25),
    "token": (0.7, 1.2, 0.0, 0.25),
    "word": (1.4, 1.0, 0.0, 0.14),
    "words": (1.4, 0.2, 0.0, 0.14),
    "extension": (2.4, 1.0, 0.0, 0.25),
    "only extension": (2.4, 1.0, 0.0, 0.25),
    "extensions": (2.4, 1.0, 0.0, 0.25),
    "actor": (4.0, 1.0, 0.7, 0.4),
    "directory": (0.5, 2.0, 3.0, 0.07),
    "only directory": (0.6, 1.0, 2.6, 0.07),
    "directories": (0.6, 1.0, 2.6, 0.07),
    "hour": (0.7, 0.7, 2.0, 0.07),
    "weekday": (0.7, 0.7, 2.0, 0.07),
    "bias": (0.5, 1.0, 4.0, 0.05),
}


def sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def log_loss(odds: float, label: float) -> float:
    return -label * math.log(sigmoid(odds)) - (1 - label) * math.log(sigmoid(-odds))


def error_after(odds: float, reach: float, label: float) -> float:
    """label - p where the log-odds of p are odds + reach (label - p)."""
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        low, high = (p, high) if p < sigmoid(odds + reach * (label - p)) else (low, p)
    return label - p


class PlainLinear:
    """A module without priors. steady: version 3, else 2."""

    def __init__(self, *, steady: bool = True) -> None:
        self.steady = steady
        self.weights = [defaultdict[str, float](float) for _ in range(3)]
        self.energy = defaultdict[str, float](lambda: FIRST_ENERGY)
        self.lead = self.pair_lead = 0.0

    def odds(self, window: Sequence[SignalEvent]) -> tuple[float, float, float, float]:
        """Of the slow, the fast and the steady learner, and of the pair."""
        slow, fast, steady = (
            sum(learner[name] for name in self.names(window)) for learner in self.weights
        )
        share = sigmoid(0.3 * self.lead)
        return slow, fast, steady, share * slow + (1 - share) * fast

    def score(self, window: Sequence[SignalEvent]) -> float:
        *_, steady, pair = self.odds(window)
        share = sigmoid(0.6 * self.pair_lead - 1.0) if self.steady else 1.0
        return sigmoid(share * pair + (1 - share) * steady)

    def learn(self, window: Sequence[SignalEvent], label: float) -> None:
        *odds, pair = self.odds(window)
        names, steps = self.names(window), list[tuple[float, float, float]]()
        for name in names:
            slow, fast, surprise, variance = RATES.get(name.partition("=")[0], SHARED)
            self.energy[name] += (label - sigmoid(odds[0])) ** 2
            energy = self.energy[name]
            share = 1 / (1 + (surprise / energy) ** 4)
            steady = variance / (1 + variance * energy)
            steps.append(
                (share * SLOW * slow / math.sqrt(energy), share * FAST * fast, share * steady)
            )
        for at, learner in enumerate(self.weights):
            reach = sum(step[at] for step in steps)
            part = math.sqrt(MOST / reach) if reach > MOST else 1.0
            error = part * error_after(odds[at], part * reach, label)
            for name, step in zip(names, steps, strict=True):
                learner[name] += step[at] * error
        slow, fast, steady = (log_loss(each, label) for each in odds)
        self.lead = self.lead * DISCOUNT + fast - slow
        self.pair_lead = self.pair_lead * DISCOUNT + steady - log_loss(pair, label)

    def names(self, window: Sequence[SignalEvent]) -> list[str]:
        return [*dict.fromkeys(pulse.feature_names(window, True)), "bias"]
