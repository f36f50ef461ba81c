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


class PlainControl:
    """Threshold and audits without alarms. share: as of `RecallControl`."""

    def __init__(self, recall: float, share: float) -> None:
        self.most, self.budget, self.threshold = 1 - recall, 2 * share, 0.0
        self.needed = math.ceil(1 / self.most - 1e-9) - 1
        self.known, self.balance, self.decided_mass = 0, 0.0, 0.0
        self.wakes, self.near, self.sleeps = Belief(100), Belief(30), Belief(40)
        self.woke, self.below, self.meanwhile = (np.zeros(BINS) for _ in range(3))

    def audit_chance(self, score: float) -> float:
        near = min(1.0, score / max(self.threshold, 1e-3))
        return min(0.5, self.budget * max(1 / 8, 3 * near**3))

    def decided(self, score: float, propensity: float) -> None:
        place = int(np.searchsorted(EDGES, score, side="right")) - 1
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
        self.move()

    def labelled(self, score: float, relevant: bool, threshold: float, propensity: float) -> None:
        self.known += relevant
        if score < threshold:
            self.sleeps.add(score, relevant, 1.0)
        else:
            self.wakes.add(score, relevant, 1.0)
            self.near.add(score, relevant, min(1.0, max(self.threshold, 0.1) / score))
        self.move()

    def phi(self) -> float:
        return min(50.0, self.sleeps.mean(8, self.near.mean(2)))

    def count(self, expected: float, balance: float) -> None:
        self.woke = self.woke * max(0.0, 1 - expected / 200)
        self.below = self.below * max(0.0, 1 - expected / 200)
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
        missed = mass * [1 - self.audit_chance(edge) for edge in EDGES[:-1]]
        passed = np.concatenate([[0.0], np.cumsum(missed)])
        self.threshold = float(np.interp(allowed, passed, EDGES)) if allowed > 0 else 0.0
        if allowed > 0 and allowed >= mass.sum() * (1 - 1e-9):
            self.threshold = 1.0
