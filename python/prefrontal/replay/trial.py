"""What a replay remembers of every window it decided: numbers only, so a long history fits."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace

from ..types import Judgement, Reason, Window
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
    """The decisions on the windows after the warm-up, in order."""

    def __init__(self) -> None:
        self.times = array("d")
        self.scores = array("d")
        self.relevant = bytearray()
        self.woke = bytearray()
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
        self.woke.append(woke)
        self.audits += judgement.reason is Reason.AUDIT
        self.by_rule.append(rule_matches)
        self.incidents.add(window, woke)
        self.strip.append(_outcome(window, score, threshold, woke, ()))
        if woke != relevant:
            worst = self._misses if relevant else self._wasted
            badness = threshold - score if relevant else score - threshold
            if worst.takes(badness):
                why = _reasons(contributions(window), woke)
                worst.add(badness, _outcome(window, score, threshold, woke, why))

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
    """How many of the windows woke, were audits, and were caught."""

    woken: int = 0
    audits: int = 0
    caught: int = 0

    def add(self, window: Window, judgement: Judgement) -> None:
        """Take in one decision."""
        self.woken += judgement.woke
        self.audits += judgement.reason is Reason.AUDIT
        self.caught += judgement.woke and bool(window.relevant)


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
