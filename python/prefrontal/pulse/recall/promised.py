"""A threshold that follows the recall to keep from the first window on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .audit import LiveRecall, RecallEstimate
from .promise import RecallPromise


class PromisedControl:
    """The threshold of a `RecallPromise`, and audits with one chance for all scores.

    Everything wakes until the promise can be kept. share: the chance of an audit.
    """

    def __init__(self, recall: float, share: float) -> None:
        self.recall = recall
        self._share = share
        self._promise = RecallPromise(recall)
        self._observed: list[tuple[float, float]] = []
        self._counts = LiveRecall()

    @property
    def threshold(self) -> float:
        """A window wakes when its score is at least this."""
        return self._promise.threshold

    @property
    def known(self) -> int:
        """Relevant answers that the threshold follows from."""
        return self._promise.positives

    @property
    def needed(self) -> int | None:
        """How many there must be before anything sleeps; None when nothing ever does."""
        return self._promise.needed

    @property
    def alarm(self) -> bool:
        """Whether less is caught than was asked, beyond chance."""
        estimate = self.estimate()
        return estimate is not None and estimate.high < self.recall

    def audit_chance(self, score: float) -> float:
        """The chance that a window of that score, which sleeps, is asked about all the same."""
        return self._share

    def decided(self, score: float, propensity: float) -> None:
        """A window was decided about. propensity: 1 it woke, 0 it slept, between: an audit."""
        if propensity >= 1.0:
            self._counts.wakes += 1
        else:
            self._counts.slept += 1

    def labelled(self, score: float, relevant: bool, threshold: float, propensity: float) -> None:
        """The label of a window that was decided with `threshold`."""
        self._counts.labelled(woke=score >= threshold, score=score, label=float(relevant))
        self._promise.observe(score, relevant, threshold)
        if relevant:
            self._observed.append((score, threshold))

    def estimate(self) -> RecallEstimate | None:
        """Share of what mattered that woke; None while unknown."""
        return self._counts.estimate()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which `restore` reads back."""
        return self._counts.to_dict() | {"observed": [list(each) for each in self._observed]}

    def restore(self, raw: Mapping[str, Any]) -> None:
        """What `to_dict` gave, or `UniformControl.to_dict` in an earlier release."""
        self._counts = LiveRecall.from_dict(raw)
        known = raw.get("observed")
        if known is None:  # what mattered then, as if everything had woken
            known = [(score, 0.0) for score, _ in self._counts.recent]
        self._promise = RecallPromise(self.recall)
        self._observed = [(float(score), float(threshold)) for score, threshold in known]
        for score, threshold in self._observed:
            self._promise.observe(score, True, threshold)
