"""Replay a labelled history: predict each window, then learn from it, and count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from time import perf_counter

from ..protocols import FoundRule, Gate, Promise, Scorer
from ..types import SignalEvent, Window
from .curve import area_under_roc, ranked, recall_curve
from .policies import DAY_S, policies
from .result import USD_PER_MILLION_TOKENS, ReplayResult
from .trial import Trial

TOKENS_PER_WAKE = 100_675
WARM_UP_SHARE = 0.20
LEAST_DAYS = 1 / 24
"""A shorter history still counts as an hour, or its rates per day would explode."""

FEW_POSITIVES = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a history.

    source, preset: what it is and what "relevant" means, for the report. total: how many windows
    there are, at least about; the first fifth of them is the warm-up. origin: as in
    `ReplayResult`.
    """

    source: str
    preset: str
    total: int
    recall: float = 0.9
    tokens_per_wake: int = TOKENS_PER_WAKE
    seed: int = 0
    notes: tuple[str, ...] = ()
    usd_per_million_tokens: float = USD_PER_MILLION_TOKENS
    origin: str = ""


def backtest(windows: Iterable[Window], gate: Gate, question: Question) -> ReplayResult:
    """Replay the windows (in order of time, labelled) and say what each policy would have done.

    The warm-up is learned from, the rule is found on it, and nothing in it is counted. After it
    each window is scored and decided before its label is learned; a label that became known late
    (`Window.known_at`) is learned at that time.
    """
    started = perf_counter()
    stream = iter(windows)
    warm_up = list(islice(stream, round(question.total * WARM_UP_SHARE)))
    found = gate.find_rule(_known(warm_up))
    learner = _Learner(gate.scorer(found), gate.promise(question.recall))
    for window in warm_up:
        learner.catch_up(window.time)
        learner.take(window, learner.scorer.score(window.events))
    trial = Trial()
    for window in stream:
        learner.catch_up(window.time)
        score = learner.scorer.score(window.events)
        trial.add(
            window,
            score,
            learner.promise.threshold,
            found.rule.matches(window.events),
            learner.scorer.contributions,
        )
        learner.take(window, score)
    return _result(trial, gate, question, found, learner.promise, len(warm_up), started)


def _known(warm_up: list[Window]) -> Iterator[tuple[Sequence[SignalEvent], bool]]:
    """The windows of the warm-up whose label was known when it ended."""
    if not warm_up:
        return
    end = warm_up[-1].time
    for window in warm_up:
        if window.known_at is None or window.known_at < end:
            yield window.events, bool(window.relevant)


@dataclass(slots=True)
class _Learner:
    """Learns each label when it becomes known, not before.

    What a change tells is learned before the first one of a later time: of what happens in one
    second nobody can say what came first.
    """

    scorer: Scorer
    promise: Promise
    _waiting: list[tuple[float, int, Window, float, float]] = field(default_factory=list)
    _count: int = 0

    def take(self, window: Window, score: float) -> None:
        threshold = self.promise.threshold
        if window.known_at is None:
            self._learn(window, score, threshold)
        else:
            self._count += 1
            heappush(self._waiting, (window.known_at, self._count, window, score, threshold))

    def catch_up(self, now: float) -> None:
        while self._waiting and self._waiting[0][0] < now:
            _, _, window, score, threshold = heappop(self._waiting)
            self._learn(window, score, threshold)

    def _learn(self, window: Window, score: float, threshold: float) -> None:
        relevant = bool(window.relevant)
        self.promise.observe(score, relevant, threshold)
        self.scorer.learn(window.events, float(relevant))


def _result(
    trial: Trial,
    gate: Gate,
    question: Question,
    found: FoundRule,
    promise: Promise,
    warm_up: int,
    started: float,
) -> ReplayResult:
    span = trial.times[-1] - trial.times[0] if len(trial) else 0.0
    days = max(LEAST_DAYS, span / DAY_S)
    positives = sum(trial.relevant)
    caught = sum(w & r for w, r in zip(trial.woke, trial.relevant, strict=True))
    wakes = sum(trial.woke)
    rows = policies(
        trial,
        days,
        asked=question.recall,
        rule=str(found.rule) if found.beats_chance else None,
        tokens_per_wake=question.tokens_per_wake,
        seed=question.seed,
    )
    own = rows[-1]
    points = ranked(trial.scores, trial.relevant)
    return ReplayResult(
        source=question.source,
        preset=question.preset,
        windows=len(trial),
        relevant=positives,
        warmup=warm_up,
        days=days,
        auc=area_under_roc(points),
        asked_recall=question.recall,
        got_recall=own.recall,
        recall_interval=gate.interval(caught, positives) if positives else None,
        promise=promise.sentence(),
        wakes_per_day=own.wakes_per_day,
        share_woken=own.share_woken,
        precision=own.precision,
        tokens_per_useful_wake=own.tokens_per_useful_wake,
        tokens_per_wake=question.tokens_per_wake,
        policies=rows,
        curve=recall_curve(points),
        missed=positives - caught,
        misses=trial.misses(),
        wasted_count=wakes - caught,
        wasted=trial.wasted(),
        strip=tuple(trial.strip),
        seconds=perf_counter() - started,
        notes=question.notes + tuple(_cautions(len(trial), positives)),
        usd_per_million_tokens=question.usd_per_million_tokens,
        origin=question.origin,
    )


def _cautions(windows: int, positives: int) -> Iterator[str]:
    """What the verdict does not say already."""
    if 0 < positives < FEW_POSITIVES:
        yield (
            f"Only {positives} relevant windows after the warm-up: read every figure with its"
            " interval, and try a longer history."
        )
