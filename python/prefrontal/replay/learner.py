"""Who learns what, and when: every label, or only those that were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocols import Judge
    from ..types import Judgement, Window

ALL, ASKED = "all", "asked"
LABELS = (ALL, ASKED)
"""Every window is labelled, or only what woke the agent and what was audited."""


@dataclass(slots=True)
class Learner:
    """Gives a judge each label when it becomes known, not before.

    What a change tells is learned before the first one of a later time: of what happens in one
    second nobody can say what came first. labels: one of LABELS.
    """

    judge: Judge
    labels: str
    _waiting: list[tuple[float, int, Window, Judgement]] = field(default_factory=list)
    _count: int = 0

    def decide(self, window: Window) -> Judgement:
        """Learn what was known before the window, and judge it."""
        while self._waiting and self._waiting[0][0] < window.time:
            _, _, earlier, judgement = heappop(self._waiting)
            self.judge.label(earlier, judgement, bool(earlier.relevant))
        return self.judge.judge(window)

    def take(self, window: Window, judgement: Judgement) -> None:
        """Learn its label, now or when it becomes known, if it ever does."""
        if self.labels == ASKED and not judgement.woke:
            return
        if window.known_at is None:
            self.judge.label(window, judgement, bool(window.relevant))
            return
        self._count += 1
        heappush(self._waiting, (window.known_at, self._count, window, judgement))

    def waiting(self) -> list[tuple[Window, Judgement]]:
        """What was decided and is not learned yet, in the order it was decided."""
        return [(window, made) for _, _, window, made in sorted(self._waiting, key=lambda e: e[1])]
