"""Replay a labelled history: predict each window, then learn from it, and count."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING

from ..plural import many
from .curve import area_under_roc, ranked, recall_curve
from .heartbeats import DAY_S
from .learner import ALL, ASKED, LABELS, Learner
from .policies import policies, tallied
from .prices import SMALL_MODEL_SHARE, TOKENS_PER_WAKE, USUAL_PRICES, Prices
from .result import BudgetUse, OtherLabels, PolicyResult, ReplayResult
from .trial import SlidingCount, Tally, Trial

if TYPE_CHECKING:
    from ..protocols import FoundRule, TrialGate
    from ..settings.budget import Budget
    from ..types import SignalEvent, Window

WARM_UP_SHARE = 0.20
LEAST_DAYS = 1 / 24
"""A shorter history still counts as an hour, or its rates per day would explode."""

FEW_POSITIVES = 100
REPORT_EVERY = 200

Step = Callable[[str, int, int], None]
"""Called with what is being done, how many windows are done, and of how many."""

PATIENCE_S = 7 * DAY_S
"""What waits at the end of a history is asked about within so long, or counts as slept through."""


LABELLING_ORIGINS = ("git", "sample")
"""Where a history says itself what mattered; `watch` learns it there as well, of all windows."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a history.

    source, preset: what it is and what "relevant" means, for the report. total: how many windows
    there are, at least about; the first fifth of them is the warm-up. origin: as in
    `ReplayResult`. labels: who is told what mattered, one of LABELS. compared: whether the other
    of them is replayed, too, on the same windows. warm_up: how many
    windows it has, if not a fifth. prices: of a wake-up, by kind of token; None where one price
    holds for all of them. budget: most wake-ups, asked in place of the recall, which is replayed
    beside it. warm: labelled windows of other histories, learned from before the first; the warm-up
    is then empty unless it is given. step: told how far the warm-up has been learned.
    """

    source: str
    preset: str
    total: int
    recall: float = 0.9
    tokens_per_wake: int = TOKENS_PER_WAKE
    seed: int = 0
    notes: tuple[str, ...] = ()
    usd_per_million_tokens: float = USUAL_PRICES.usd_per_million_tokens
    origin: str = ""
    labels: str = ALL
    compared: bool = False
    warm_up: int | None = None
    prices: Prices | None = USUAL_PRICES
    budget: Budget | None = None
    warm: Callable[[], Iterable[Window]] | None = None
    step: Step = lambda *_: None


def backtest(windows: Iterable[Window], gate: TrialGate, question: Question) -> ReplayResult:
    """Replay the windows (in order of time, labelled) and say what each policy would have done."""
    return replayed(windows, gate, question)[0]


def replayed(
    windows: Iterable[Window], gate: TrialGate, question: Question
) -> tuple[ReplayResult, Learner]:
    """What `backtest` says, and the learner as it is at the end.

    The warm-up is learned from, the rule is found on it, and nothing in it is counted. After it
    each window is scored and decided before its label is learned; a label that became known late
    (`Window.known_at`) is learned at that time. With labels "asked" what slept and was not audited
    is never learned, and everything wakes in the warm-up; a budget holds in it, too.
    """
    started = perf_counter()
    stream = iter(windows)
    usual = round(question.total * WARM_UP_SHARE) if question.warm is None else 0
    first = usual if question.warm_up is None else min(question.warm_up, sys.maxsize)
    warm_up = list(islice(stream, first))
    prior = gate.find_rule(_known(warm_up))
    own, *others = _learners(gate, prior, question)
    for learner in (own, *others):
        for other_window in () if question.warm is None else question.warm():
            learner.judge.learn(other_window)
        _warm_up(learner, watched(warm_up, "warming up", len(warm_up), question.step))
    trial, other = Trial(), Tally()
    for window in stream:
        _take_late(own, trial, window.time)
        judgement = own.decide(window)
        trial.add(window, judgement, prior.rule.matches(window.events), own.judge.contributions)
        own.take(window, judgement)
        for learner in others:
            _take_late(learner, other, window.time)
            judgement = learner.decide(window)
            other.add(window, judgement)
            learner.take(window, judgement)
    end = window.time + PATIENCE_S if len(trial) else 0.0
    _take_late(own, trial, end)
    for learner in others:
        _take_late(learner, other, end)
    compared = _compared(trial, other, _days(trial), others[0].labels) if others else None
    if question.budget is not None:
        by_recall = _by_recall(trial, other, question) if others and len(trial) else None
        return _result(
            trial, gate, question, prior, own, len(warm_up), started, None, by_recall
        ), own
    return _result(trial, gate, question, prior, own, len(warm_up), started, compared), own


def _take_late(learner: Learner, counts: Trial | Tally, until: float) -> None:
    for question_asked in learner.late(until):
        counts.add_late(question_asked)


def _learners(gate: TrialGate, prior: FoundRule, question: Question) -> list[Learner]:
    """The one whose figures count, and others that are replayed beside it."""
    budget, complete = question.budget, question.labels == ALL
    if budget is not None and question.warm is not None and not complete:
        return [Learner(gate.open_incidents(budget), question.labels)]
    commits = question.origin in LABELLING_ORIGINS
    by_recall = [
        Learner(gate.open(prior, question.recall, labels == ALL, commits=commits), labels)
        for labels in _protocols(question)
    ]
    if budget is None:
        return by_recall
    # The rule knows every label of the warm-up; within a budget only what was asked is known.
    rule = prior if complete else None
    within = gate.open_within(rule, budget, complete, commits=commits)
    return [Learner(within, question.labels), by_recall[0]]


def _by_recall(trial: Trial, other: Tally, question: Question) -> PolicyResult:
    """The gate that was asked for a recall, beside the one that keeps a budget."""
    return tallied(
        "by_recall",
        f"asked to catch {question.recall:.0%}",
        (other.woken, other.caught),
        (len(trial), sum(trial.relevant)),
        _days(trial),
        question.tokens_per_wake,
    )


def watched(windows: Iterable[Window], what: str, total: int, step: Step) -> Iterator[Window]:
    """The windows as they come, of which `step` is told now and then, and at the end."""
    done = 0
    for done, window in enumerate(windows, start=1):
        if done % REPORT_EVERY == 0:
            step(what, done, total)
        yield window
    step(what, done, done)


def _warm_up(learner: Learner, windows: Iterable[Window]) -> None:
    learner.judge.wake_on_everything(learner.labels == ASKED)
    for window in windows:
        learner.take(window, learner.decide(window))
    learner.judge.wake_on_everything(False)


def _protocols(question: Question) -> list[str]:
    others = [each for each in LABELS if each != question.labels]
    return [question.labels, *others] if question.compared else [question.labels]


def _known(warm_up: list[Window]) -> Iterator[tuple[Sequence[SignalEvent], bool]]:
    """The windows of the warm-up whose label was known when it ended."""
    if not warm_up:
        return
    end = warm_up[-1].time
    for window in warm_up:
        if window.known_at is None or window.known_at < end:
            yield window.events, bool(window.relevant)


def _days(trial: Trial) -> float:
    span = trial.times[-1] - trial.times[0] if len(trial) else 0.0
    return max(LEAST_DAYS, span / DAY_S)


def _compared(trial: Trial, other: Tally, days: float, labels: str) -> OtherLabels | None:
    positives = sum(trial.relevant)
    if not len(trial):
        return None
    recall = other.caught / positives if positives else None
    return OtherLabels(labels, recall, other.woken / days, other.audits)


def _result(
    trial: Trial,
    gate: TrialGate,
    question: Question,
    prior: FoundRule,
    learner: Learner,
    warm_up: int,
    started: float,
    compared: OtherLabels | None,
    by_recall: PolicyResult | None = None,
) -> ReplayResult:
    days = _days(trial)
    positives = sum(trial.relevant)
    caught = sum(d & r for d, r in zip(trial.delivered, trial.relevant, strict=True))
    wakes = len(trial.question_times)
    rows = policies(
        trial,
        days,
        asked=question.recall,
        rule=str(prior.rule) if prior.beats_chance else None,
        tokens_per_wake=question.tokens_per_wake,
        seed=question.seed,
        cheap_usd_per_wake=_cheap_usd_per_wake(question),
        budget=question.budget,
    )
    own = rows[-1]
    if by_recall is not None:
        rows = (*rows[:-1], by_recall, own)
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
        promise=learner.judge.sentence(),
        wakes_per_day=own.wakes_per_day,
        share_woken=own.share_woken,
        precision=own.precision,
        tokens_per_useful_wake=own.tokens_per_useful_wake,
        tokens_per_wake=question.tokens_per_wake,
        policies=rows,
        curve=recall_curve(points),
        missed=positives - caught,
        misses=trial.misses(),
        wasted_count=wakes - trial.useful,
        wasted=trial.wasted(),
        strip=tuple(trial.strip),
        seconds=perf_counter() - started,
        notes=question.notes + tuple(_cautions(positives, _names_bursts(trial, question))),
        usd_per_million_tokens=question.usd_per_million_tokens,
        origin=question.origin,
        labels=question.labels,
        audits=trial.audits,
        compared=compared,
        prices=question.prices,
        budget=_budget_use(trial, question.budget),
        incidents=trial.incidents.incidents(),
    )


def _cheap_usd_per_wake(question: Question) -> float:
    """What a small model takes for a wake-up; without its prices a share of the one price."""
    if question.prices is not None:
        return question.prices.small_usd_per_wake
    return question.tokens_per_wake * question.usd_per_million_tokens * SMALL_MODEL_SHARE / 1e6


def _budget_use(trial: Trial, budget: Budget | None) -> BudgetUse | None:
    if budget is None:
        return None
    spent, most = SlidingCount(budget.span_s), 0
    for time in trial.question_times:
        most = max(most, spent.add(time))
    return BudgetUse(str(budget), most)


def _names_bursts(trial: Trial, question: Question) -> bool:
    """Whether windows name incidents within a budget, and their bursts were not asked about."""
    named = trial.incidents.incidents() is not None
    return named and question.budget is not None and question.warm is None


def _cautions(positives: int, names_bursts: bool) -> Iterator[str]:
    """What the verdict does not say already."""
    if names_bursts:
        yield "These windows name incidents: --incidents asks about each burst of them once."
    if 0 < positives < FEW_POSITIVES:
        yield (
            f"Only {many(positives, 'relevant window')} after the warm-up:"
            " read every figure with its interval, and try a longer history."
        )
