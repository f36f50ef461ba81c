"""The control of the recall, and what it is held against, each as the role `Control`."""

from __future__ import annotations

import math
from bisect import insort
from collections import deque

from prefrontal.pulse.recall import RecallPromise
from prefrontal.pulse.recall.audit import LiveRecall
from prefrontal.pulse.recall.control import VERSION, RecallControl

UNIFORM = 0.02


class Twin:
    """Uniform audits, no interval and no alarm."""

    threshold = 0.0

    def __init__(self, recall: float, share: float = UNIFORM) -> None:
        self.recall, self.share = recall, share

    def audit_chance(self, score: float) -> float:
        return self.share

    def decided(self, score: float, propensity: float, unseen: float) -> None: ...

    def interval(self) -> tuple[float, float] | None:
        return None

    def alarmed(self) -> bool:
        return False


class Ours(Twin):
    """`RecallControl` as it ships."""

    version = VERSION

    def __init__(self, recall: float, share: float = UNIFORM) -> None:
        super().__init__(recall, share)
        self.control = RecallControl(recall, share, self.version)
        self.audit_chance = self.control.audit_chance  # type: ignore[method-assign]
        self.decided = self.control.decided  # type: ignore[method-assign]
        self.labelled = self.control.labelled

    @property
    def threshold(self) -> float:  # type: ignore[override]
        return self.control.threshold

    def interval(self) -> tuple[float, float] | None:
        found = self.control.estimate()
        return None if found is None else (found.low, found.high)

    def alarmed(self) -> bool:
        return self.control.alarm() is not None


class SecondRules(Ours):
    """`RecallControl` of the release before: an answer counts at the score of then."""

    version = 2


class FirstRules(Ours):
    """`RecallControl` as it was until November 2026: scores count as they are."""

    version = 1


class UniformAudits(Ours):
    """The same, but every window that sleeps is audited with one chance."""

    def __init__(self, recall: float, share: float = UNIFORM) -> None:
        super().__init__(recall, share)
        self.audit_chance = lambda score: share  # type: ignore[method-assign]


class Before(Twin):
    """The live gate of before: .5 until 30 audits are labelled (`LiveRecall`)."""

    def __init__(self, recall: float) -> None:
        super().__init__(recall)
        self.counts, self.threshold = LiveRecall(), 0.5

    def decided(self, score: float, propensity: float, unseen: float) -> None:
        woke = propensity >= 1.0
        self.counts.wakes += woke
        self.counts.slept += not woke

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        self.counts.labelled(woke=score >= threshold, score=score, label=float(relevant))
        moved = self.counts.threshold(self.recall)
        self.threshold = 0.5 if moved is None else moved

    def interval(self) -> tuple[float, float] | None:
        found = self.counts.estimate()
        return None if found is None else (found.low, found.high)


class Promise(Twin):
    """`RecallPromise`: what a replay with complete labels decides by."""

    def __init__(self, recall: float) -> None:
        super().__init__(recall, 0.0)
        self.promise = RecallPromise(recall)

    @property
    def threshold(self) -> float:  # type: ignore[override]
        return self.promise.threshold

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        self.promise.observe(score, relevant, threshold)


class Tracker(Twin):
    """A quantile tracker of step .02; a miss that an audit found counts as often as it is rare."""

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        if relevant:
            missed = score < threshold
            weight = 1.0 / propensity if missed and propensity else 1.0
            moved = self.threshold + 0.02 * weight * (1.0 - self.recall - missed)
            self.threshold = min(1.0, max(0.0, moved))


class Adaptive(Twin):
    """Adaptive conformal inference (Gibbs and Candes, NeurIPS 2021), rate .005, as published: the
    quantile of past relevant scores at a level that each error moves."""

    def __init__(self, recall: float, share: float = UNIFORM) -> None:
        super().__init__(recall, share)
        self.level, self.scores = 1.0 - recall, list[float]()

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        if relevant:
            self.level += 0.005 * (1.0 - self.recall - (score < threshold))
            insort(self.scores, score)
            place = math.floor((len(self.scores) + 1) * self.level)
            self.threshold = self.scores[min(place, len(self.scores)) - 1] if place > 0 else 0.0


class ControlSet(Twin):
    """A stopping rule of technology-assisted review: recall on a control set drawn by chance.

    One in ten windows is asked about whatever its score; the threshold is the highest that would
    have caught the asked share of the last 50 relevant ones among them, at least ten (Cormack and
    Grossman, SIGIR 2016: the target method).
    """

    def __init__(self, recall: float) -> None:
        super().__init__(recall, 0.1)
        self.found: deque[float] = deque(maxlen=50)
        self.chance = 0

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        # Of wakes every tenth belongs to the set, as every tenth of what sleeps does.
        self.chance = (self.chance + 1) % 10
        if relevant and (score < threshold or self.chance == 0):
            self.found.append(score)
        if len(self.found) >= 10:
            ranked = sorted(self.found)
            self.threshold = ranked[math.floor((1.0 - self.recall) * len(ranked))]
