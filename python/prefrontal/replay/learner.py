"""Who learns what, and when: every label, or only those that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocols import Judge
    from ..types import Judgement, LateQuestion, Window

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

    def late(self, until: float) -> Iterator[LateQuestion]:
        """What is asked by then because holds end; its answer is yes if any of it mattered."""
        for question in self.judge.late(until):
            folded = question.judgement.folded
            known = [each.known_at for each in folded if each.known_at is not None]
            if self.labels == ASKED:  # else each was labelled when it came
                known_at = max(known, default=None)
                self.take(replace(question.window, known_at=known_at), question.judgement)
            yield question

    def decide(self, window: Window) -> Judgement:
        """Learn what was known before the window, and judge it."""
        while self._waiting and self._waiting[0][0] < window.time:
            _, _, earlier, judgement = heappop(self._waiting)
            self.judge.label(earlier, judgement, self._answer(earlier, judgement))
        return self.judge.judge(window)

    def take(self, window: Window, judgement: Judgement) -> None:
        """Learn its label, now or when it becomes known, if it ever does."""
        if self.labels == ASKED and not judgement.woke:
            return
        if window.known_at is None:
            self.judge.label(window, judgement, self._answer(window, judgement))
            return
        self._count += 1
        heappush(self._waiting, (window.known_at, self._count, window, judgement))

    def _answer(self, window: Window, judgement: Judgement) -> bool:
        """A question is worth it if anything mattered that it tells of."""
        others = judgement.folded if self.labels == ASKED else ()
        return bool(window.relevant) or any(each.relevant for each in others)

    def waiting(self) -> list[tuple[Window, Judgement]]:
        """What was decided and is not learned yet, in the order it was decided."""
        return [(window, made) for _, _, window, made in sorted(self._waiting, key=lambda e: e[1])]
