"""The rule of the releases whose starts carry no version: their logs are decided again by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .audit import LiveRecall, RecallEstimate


class UniformControl:
    """Audits with one chance for all scores, and a threshold that follows 30 labelled ones.

    recall: None leaves the threshold at `own`, where it also stays while too little is known.
    The threshold moves only when `refresh` is called. counts: what is known so far.
    """

    def __init__(self, recall: float | None, own: float, share: float) -> None:
        self.threshold = own
        self._recall = recall
        self._own = own
        self._share = share
        self.counts = LiveRecall()

    def audit_chance(self, score: float) -> float:
        return self._share

    def decided(self, score: float, propensity: float, unseen: float = 0.0) -> None:
        """A window that woke, or slept, asked about or not."""
        if self._woke(score, self.threshold, propensity):
            self.counts.wakes += 1
        else:
            self.counts.slept += 1

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None
    ) -> None:
        woke = self._woke(score, threshold, 1.0 if propensity is None else propensity)
        self.counts.labelled(woke=woke, score=score, label=float(relevant))

    def _woke(self, score: float, threshold: float, propensity: float) -> bool:
        """A group may wake below a threshold that moved meanwhile; an audit always lies below."""
        return propensity >= 1.0 and (self._share < 1.0 or score >= threshold)

    def refresh(self) -> None:
        """Let the threshold follow what was counted."""
        moved = None if self._recall is None else self.counts.threshold(self._recall)
        self.threshold = self._own if moved is None else moved

    def estimate(self) -> RecallEstimate | None:
        return self.counts.estimate()

    def to_dict(self) -> dict[str, Any]:
        return self.counts.to_dict()

    def restore(self, raw: Mapping[str, Any]) -> None:
        """What `to_dict` gave; what a `RecallControl` knew is passed over."""
        if "wakes" in raw:
            self.counts = LiveRecall.from_dict(raw)
