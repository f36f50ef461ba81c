"""What a replay remembers of every window it decided: numbers only, so a long history fits."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappush, heapreplace

from ..types import Judgement, LateQuestion, Reason, Window
from .incidents import IncidentTally
from .result import Outcome

KEPT = 100
"""Misses and wasted wakes that are kept with their reasons."""

STRIP = 120
SHOWN_PATHS = 3

FOR, AGAINST = 6, 2
"""Reasons that are kept: what pushed to the decision, and what pushed against it."""

Contributions = Callable[[Window], Sequence[tuple[str, float]]]


class Trial:
    """The decisions on the windows after the warm-up, in order.

    delivered: whether a question told of a window, at once or later. question_times: of all
    questions. useful: how many of them told of something that mattered. delays: minutes that what
    mattered waited until a question told of it.
    """

    def __init__(self) -> None:
        self.times = array("d")
        self.scores = array("d")
        self.relevant = bytearray()
        self.delivered = bytearray()
        self.question_times = array("d")
        self.useful = 0
        self.delays = array("d")
        self._places: dict[str, int] = {}
        self.by_rule = bytearray()
        self.audits = 0
        self.strip: deque[Outcome] = deque(maxlen=STRIP)
        self.incidents = IncidentTally()
        self._misses = _Worst()
        self._wasted = _Worst()

    def add(
        self,
        window: Window,
        judgement: Judgement,
        rule_matches: bool,
        contributions: Contributions,
    ) -> None:
        """Take in one decision; contributions are only asked for when it is kept with reasons."""
        relevant = bool(window.relevant)
        score, threshold, woke = judgement.score, judgement.threshold, judgement.woke
        self.times.append(window.time)
        self.scores.append(score)
        self.relevant.append(relevant)
        self.delivered.append(woke)
        self.audits += judgement.reason is Reason.AUDIT
        self.by_rule.append(rule_matches)
        self.incidents.add(window, woke)
        self.strip.append(_outcome(window, score, threshold, woke, ()))
        if woke:
            self._ask(window.time, (window, *judgement.folded))
            if relevant:
                self.delays.append(0.0)
        elif judgement.waits:
            self._places[window.key] = len(self.times) - 1
        if woke != relevant:
            worst = self._misses if relevant else self._wasted
            badness = threshold - score if relevant else score - threshold
            if worst.takes(badness):
                why = _reasons(contributions(window), woke)
                worst.add(badness, _outcome(window, score, threshold, woke, why))

    def add_late(self, question: LateQuestion) -> None:
        """Take in a question that was asked when a hold ended."""
        self._ask(question.time, question.judgement.folded)

    def _ask(self, time: float, windows: Sequence[Window]) -> None:
        self.question_times.append(time)
        self.useful += any(each.relevant for each in windows)
        for each in windows:
            if (place := self._places.pop(each.key, None)) is not None:
                self._deliver(each, place, time)

    def _deliver(self, window: Window, place: int, time: float) -> None:
        """A question tells of a window that waited."""
        self.delivered[place] = 1
        self.incidents.deliver(window, time)
        self._misses.remove(window.key)
        if window.relevant:
            self.delays.append((time - window.time) / 60)
        for number, each in enumerate(self.strip):
            if each.key == window.key:
                self.strip[number] = replace(each, woke=True)

    def misses(self) -> tuple[Outcome, ...]:
        """Relevant windows that did not wake, furthest below the threshold first."""
        return self._misses.sorted()

    def wasted(self) -> tuple[Outcome, ...]:
        """Wakes that found nothing, furthest above the threshold first."""
        return self._wasted.sorted()

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(slots=True)
class Tally:
    """How many questions were asked, were audits, and told of something that mattered."""

    woken: int = 0
    audits: int = 0
    caught: int = 0

    def add(self, window: Window, judgement: Judgement) -> None:
        """Take in one decision."""
        self.woken += judgement.woke
        self.audits += judgement.reason is Reason.AUDIT
        if judgement.woke:
            self._count(window, judgement)

    def add_late(self, question: LateQuestion) -> None:
        """Take in a question that was asked when a hold ended."""
        self.woken += 1
        self._count(None, question.judgement)

    def _count(self, window: Window | None, judgement: Judgement) -> None:
        """Relevant windows that a question tells of."""
        self.caught += bool(window is not None and window.relevant)
        self.caught += sum(bool(each.relevant) for each in judgement.folded)


class SlidingCount:
    """How many came in the span that ends with each."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._times: deque[float] = deque()

    def add(self, time: float) -> int:
        """Take in one at `time`, not before the last one; how many the span then holds."""
        times = self._times
        times.append(time)
        while times[0] <= time - self._span_s:
            times.popleft()
        return len(times)


def _reasons(
    contributions: Sequence[tuple[str, float]], woke: bool
) -> tuple[tuple[str, float], ...]:
    """What pushed to the decision, largest first, then the little that is said against it."""
    pushed = [each for each in contributions if (each[1] > 0) == woke]
    held = [each for each in contributions if (each[1] > 0) != woke]
    return (*pushed[:FOR], *held[:AGAINST])


class _Worst:
    """The outcomes that are furthest on the wrong side; of equals, the latest."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Outcome]] = []
        self._count = 0

    def takes(self, badness: float) -> bool:
        return len(self._heap) < KEPT or badness >= self._heap[0][0]

    def add(self, badness: float, outcome: Outcome) -> None:
        self._count += 1
        entry = (badness, self._count, outcome)
        if len(self._heap) < KEPT:
            heappush(self._heap, entry)
        else:
            heapreplace(self._heap, entry)

    def remove(self, key: str) -> None:
        """Take the outcome of that key back."""
        self._heap = [each for each in self._heap if each[2].key != key]
        heapify(self._heap)

    def sorted(self) -> tuple[Outcome, ...]:
        return tuple(outcome for *_, outcome in sorted(self._heap, reverse=True))


def _outcome(
    window: Window,
    score: float,
    threshold: float,
    woke: bool,
    why: tuple[tuple[str, float], ...],
) -> Outcome:
    paths = tuple([event.location for event in window.events[:SHOWN_PATHS]])
    return Outcome(
        key=window.key,
        time=window.time,
        score=score,
        threshold=threshold,
        woke=woke,
        relevant=bool(window.relevant),
        text=window.text,
        paths=paths,
        more_paths=max(0, len(window.events) - len(paths)),
        why=why,
    )
