"""How much of what matters is caught, when nobody labels what the agent slept through.

A random share of the slept windows is delivered all the same, marked as an audit. What the
audits find, weighted by how rarely they are drawn, stands for all that was slept through.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ...notebook import frame, share, table
from ...plural import many
from .promise import MEMORY, share_interval

LEAST_AUDITS = 30
"""Labelled audits below which no threshold is moved: too little is known of what was missed."""

FIELDS = ("recall", "low", "high", "audits")
"""Of an estimate, in the order it is shown."""


class AuditDraw:
    """Picks slept windows at random, `share` of them, without a draw for each."""

    def __init__(self, share: float, seed: int) -> None:
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ValueError(f"audit_share must be a number from 0 to 1, got {share!r}")
        self.share = float(share)
        self._seed = seed
        self.seek(0)

    def seek(self, offered: int) -> None:
        """Go on as if `offered` windows had slept so far."""
        self._random = Random(self._seed)
        self._skip = self._gap()
        self.pick(offered)

    def pick(self, slept: int) -> list[int]:
        """Which of the next `slept` windows to audit, counted from 0."""
        picked = []
        while self._skip < slept:
            picked.append(self._skip)
            self._skip += 1 + self._gap()
        self._skip -= slept
        return picked

    def _gap(self) -> int:
        """Windows before the next audit: geometric, so each is picked with chance `share`."""
        if self.share <= 0:
            return 2**62
        if self.share >= 1:
            return 0
        return int(math.log(1.0 - self._random.random()) / math.log1p(-self.share))


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """Share of what mattered that woke, with its 90 % interval, and how many audits say so."""

    recall: float
    low: float
    high: float
    audits: int

    def __str__(self) -> str:
        return (
            f"estimated recall {self.recall:.2f} ({self.low:.2f} to {self.high:.2f})"
            f" from {self.source}"
        )

    @property
    def source(self) -> str:
        """What it was made from: audits, or labels that came without, as those of a history."""
        return many(self.audits, "audit") if self.audits else "labels, no audit among them"

    def to_pandas(self) -> Any:
        """The figures as a pandas.DataFrame of one row. Raises SourceError without pandas."""
        return frame([(self.recall, self.low, self.high, self.audits)], FIELDS)

    def _repr_html_(self) -> str:
        figures = map(share, (self.recall, self.low, self.high))
        return table(str(self), FIELDS, [(*figures, str(self.audits))])


@dataclass(slots=True)
class LiveRecall:
    """Counts of one module's wakes, sleeps and what labels said of them."""

    wakes: int = 0
    slept: int = 0
    labelled_wakes: int = 0
    relevant_wakes: int = 0
    labelled_audits: int = 0
    relevant_audits: int = 0
    recent: deque[tuple[float, bool]] = field(default_factory=lambda: deque(maxlen=MEMORY))

    def labelled(self, *, woke: bool, score: float, label: float) -> None:
        """A label for a wake, or (`woke` False) for an audited sleep; 0.5 and up is relevant."""
        relevant = label >= 0.5
        if woke:
            self.labelled_wakes += 1
            self.relevant_wakes += relevant
        else:
            self.labelled_audits += 1
            self.relevant_audits += relevant
        if relevant:
            self.recent.append((score, woke))

    def estimate(self) -> RecallEstimate | None:
        """None until both a wake and an audit were labelled and something mattered."""
        if not self.labelled_wakes or not self.labelled_audits:
            return None
        caught = self.wakes * self.relevant_wakes / self.labelled_wakes
        missed = self.slept * self.relevant_audits / self.labelled_audits
        if caught + missed <= 0:
            return None
        low_wakes, high_wakes = share_interval(self.relevant_wakes, self.labelled_wakes)
        low_misses, high_misses = share_interval(self.relevant_audits, self.labelled_audits)
        worst = _share(self.wakes * low_wakes, self.slept * high_misses)
        best = _share(self.wakes * high_wakes, self.slept * low_misses)
        return RecallEstimate(caught / (caught + missed), worst, best, self.labelled_audits)

    def threshold(self, recall: float) -> float | None:
        """The highest threshold that would have kept `recall`; None while too little is known."""
        if self.labelled_audits < LEAST_AUDITS or not self.labelled_wakes or recall >= 1.0:
            return None
        weight_of = {
            True: self.wakes / self.labelled_wakes,
            False: self.slept / self.labelled_audits,
        }
        ranked = sorted((score, weight_of[woke]) for score, woke in self.recent)
        total = sum(weight for _, weight in ranked)
        allowed = (1.0 - recall) * total
        if len(ranked) < math.ceil(1.0 / (1.0 - recall)) - 1:
            return None
        passed = 0.0
        threshold = 0.0
        for score, weight in ranked:
            if passed > allowed:
                break
            threshold = score
            passed += weight
        return threshold

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which `from_dict` reads back."""
        return {name: getattr(self, name) for name in _COUNTS} | {
            "recent": [[score, woke] for score, woke in self.recent]
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> LiveRecall:
        """What `to_dict` gave."""
        recall = cls()
        for name in _COUNTS:
            setattr(recall, name, int(raw[name]))
        recall.recent.extend((float(score), bool(woke)) for score, woke in raw["recent"])
        return recall


_COUNTS = (
    "wakes",
    "slept",
    "labelled_wakes",
    "relevant_wakes",
    "labelled_audits",
    "relevant_audits",
)


def _share(caught: float, missed: float) -> float:
    return caught / (caught + missed) if caught + missed > 0 else 1.0
