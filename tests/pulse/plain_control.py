"""The rule of `RecallControl` where only what is asked about is labelled, in NumPy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

BINS = 160
EDGES = np.concatenate([[0.0], 1 / (1 + np.exp(8.0 - 0.1 * np.arange(1, BINS))), [1.0]])


class Belief:
    """Relevant labels beside what was expected of them; the older ones fade."""

    def __init__(self, memory: float) -> None:
        self.memory, self.found, self.expected = memory, 0.0, 0.0

    def add(self, score: float, relevant: bool, weight: float) -> None:
        keep = max(0.0, 1 - weight * score / self.memory)
        self.found = keep * self.found + weight * relevant
        self.expected = keep * self.expected + weight * score

    def mean(self, prior: float, center: float = 1.0) -> float:
        return (prior * center + self.found) / (prior + self.expected)


class Calibration:
    """A logistic regression of labels on log-odds; one label in 200 is forgotten by each."""

    PRIOR = np.diag([4.0, 10.0])

    def __init__(self) -> None:
        self.weights, self.precision = np.array([0.0, 1.0]), self.PRIOR.copy()

    def chance(self, score: float) -> float:
        return float(1 / (1 + np.exp(-self.weights @ self._features(score))))

    def learn(self, score: float, relevant: bool) -> None:
        chance, features = self.chance(score), self._features(score)
        self.precision = (199 * self.precision + self.PRIOR) / 200
        self.precision += chance * (1 - chance) * np.outer(features, features)
        back = self.PRIOR @ (self.weights - [0.0, 1.0]) / 200
        step = features * (relevant - chance) - back
        self.weights = self.weights + np.linalg.solve(self.precision, step)
        self.weights[1] = np.clip(self.weights[1], 0.3, 3.0)

    def _features(self, score: float) -> NDArray[np.float64]:
        return np.array([1.0, np.log(score / (1 - score))])


class PlainControl:
    """Threshold and audits without alarms. share, version: as of `RecallControl`."""

    def __init__(self, recall: float, share: float, version: int) -> None:
        self.calibration = None if version == 1 else Calibration()
        self.moves = version >= 3
        self.top, self.least, self.prior, self.center = (
            (3, 1 / 8, 8, 1.0) if version == 1 else (5, 1 / 4, 2, 1.5)
        )
        self.most, self.budget, self.lowest_chance = 1 - recall, 2 * share, 0.0
        self.needed = math.ceil(1 / self.most - 1e-9) - 1
        self.known, self.balance, self.decided_mass = 0, 0.0, 0.0
        self.wakes, self.near, self.sleeps = Belief(100), Belief(30), Belief(40)
        self.woke, self.below, self.meanwhile = (np.zeros(BINS) for _ in range(3))
        self.pending: list[tuple[float, NDArray[np.float64]]] = []

    @property
    def threshold(self) -> float:
        if self.calibration is None or self.lowest_chance in (0.0, 1.0):
            return self.lowest_chance
        odds = np.log(self.lowest_chance / (1 - self.lowest_chance))
        shift, slope = self.calibration.weights
        return float(1 / (1 + np.exp((shift - odds) / slope)))

    def chance(self, score: float) -> float:
        return score if self.calibration is None else self.calibration.chance(score)

    def near_an_edge(self, score: float) -> bool:
        """Whether rounding may put it into either of two bins."""
        chance = self.chance(score)
        return bool(np.min(np.abs(EDGES - chance) / np.minimum(chance, 1 - chance)) < 1e-4)

    def audit_chance(self, score: float) -> float:
        return self.audit_chance_of(self.chance(score))

    def audit_chance_of(self, chance: float) -> float:
        near = min(1.0, chance / max(self.lowest_chance, 1e-3))
        return min(0.5, self.budget * max(self.least, self.top * near**3))

    def decided(self, score: float, propensity: float) -> None:
        raw, score = score, self.chance(score)
        place = self._place(score)
        if propensity == 0:
            self.meanwhile[place] += score
            return
        missed = self.phi() * self.meanwhile.sum()
        self.count(missed, -(1 - self.most) * missed)
        self.below += self.meanwhile
        self.meanwhile = np.zeros(BINS)
        expected = (self.wakes.mean(2) if propensity == 1 else self.phi()) * score
        self.count(expected, self.most * expected)
        (self.woke if propensity == 1 else self.below)[place] += score
        brought = np.zeros((2, BINS))
        brought[int(propensity == 1), place] = score
        self.pending.append((raw, brought))
        self.move()

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float, now: float
    ) -> None:
        self.known += relevant
        chance = self.chance(score)
        moved = abs(np.log(now / (1 - now)) - np.log(score / (1 - score))) if self.moves else 0.0
        if self.moves:
            at = [raw for raw, _ in self.pending].index(score)
            below, woke = self.pending.pop(at)[1]
            if moved:
                self.woke, self.below = self.woke - woke, self.below - below
                mass = self.woke if woke.any() else self.below
                mass[self._place(self.chance(now))] += self.chance(now)
        if score < threshold:
            self.sleeps.add(chance, relevant, 1.0)
        else:
            self.wakes.add(chance, relevant, 1.0)
            self.near.add(chance, relevant, min(1.0, max(self.lowest_chance, 0.1) / chance))
        if self.calibration is not None and moved <= 1.0:
            self.calibration.learn(score, relevant)
        self.move()

    def _place(self, chance: float) -> int:
        return int(np.searchsorted(EDGES, chance, side="right")) - 1

    def phi(self) -> float:
        return min(50.0, self.sleeps.mean(self.prior, self.center * self.near.mean(2)))

    def count(self, expected: float, balance: float) -> None:
        self.woke = self.woke * max(0.0, 1 - expected / 200)
        self.below = self.below * max(0.0, 1 - expected / 200)
        self.pending = [(s, m * max(0.0, 1 - expected / 200)) for s, m in self.pending]
        if self.known >= self.needed:
            self.decided_mass = min(200.0, self.decided_mass + expected)
            low, high = -200 * self.most, 0.5 * self.most * self.decided_mass
            self.balance = min(high, max(low, self.balance + balance))

    def move(self) -> None:
        if self.known < self.needed:
            return
        mass: NDArray[np.float64] = self.wakes.mean(2) * self.woke + self.phi() * self.below
        gain = 0.008 * math.sqrt(self.most) * 200 / max(self.needed, self.decided_mass)
        share = self.most + min(self.most, max(-self.most, gain * self.balance))
        allowed = min(1.0, share) * mass.sum()
        missed = mass * [1 - self.audit_chance_of(edge) for edge in EDGES[:-1]]
        passed = np.concatenate([[0.0], np.cumsum(missed)])
        self.lowest_chance = float(np.interp(allowed, passed, EDGES)) if allowed > 0 else 0.0
        if allowed > 0 and allowed >= mass.sum() * (1 - 1e-9):
            self.lowest_chance = 1.0
