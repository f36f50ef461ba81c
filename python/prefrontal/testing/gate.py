"""A gate for tests: it does what the test says and writes down what was asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..types import Judgement, LateQuestion, Reason, SignalEvent, Window

if TYPE_CHECKING:
    from ..settings.budget import Budget

Events = Sequence[SignalEvent]


@dataclass(frozen=True, slots=True)
class ScriptedRule:
    """The rule `wakes`, with a text of its own."""

    wakes: Callable[[Events], bool]
    text: str = "**"

    def matches(self, window: Events) -> bool:
        return self.wakes(window)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ScriptedFinding:
    """A rule and the counts of the windows it was asked to be found on."""

    rule: ScriptedRule
    windows: int
    relevant: int
    matched: int
    caught: int
    beats_chance: bool = True


@dataclass
class ScriptedGate:
    """A `protocols.TrialGate` whose scores, threshold and rule the test chooses.

    score: of a window's events, 0..1. threshold: what wakes, whatever was observed. audits: which
    of the windows that slept are asked about.
    diary: what was asked, in order, as (what, location of the window's first event, value): "rule",
    "warm" and "learn" with the label, "score" with the score, "why" with 0, "observe" with "yes"
    or "no" and the threshold the window was decided with.
    """

    score: Callable[[Events], float]
    threshold: float = 0.5
    rule: ScriptedRule = field(default_factory=lambda: ScriptedRule(bool))
    audits: Callable[[Events], bool] = field(default=lambda _: False)
    diary: list[tuple[str, str, float]] = field(default_factory=list)

    def find_rule(self, labelled: Iterable[tuple[Events, bool]]) -> ScriptedFinding:
        windows = list(labelled)
        for events, relevant in windows:
            self._note("rule", events, relevant)
        labels = [relevant for _, relevant in windows]
        matched = [relevant for events, relevant in windows if self.rule.matches(events)]
        return ScriptedFinding(self.rule, len(labels), sum(labels), len(matched), sum(matched))

    def open(
        self, prior_rule: object, recall: float, complete: bool, *, commits: bool = False
    ) -> ScriptedJudge:
        return ScriptedJudge(self, recall)

    def open_within(
        self, prior_rule: object, budget: Budget, complete: bool, *, commits: bool = False
    ) -> ScriptedJudge:
        return ScriptedJudge(self, 1.0, budget=budget)

    def open_incidents(self, budget: Budget) -> ScriptedJudge:
        return ScriptedJudge(self, 1.0, budget=budget)

    def interval(self, hits: int, trials: int) -> tuple[float, float]:
        return (hits / trials, hits / trials) if trials else (0.0, 1.0)

    def asked(self, what: str) -> list[str]:
        """The locations for which `what` was asked, in order."""
        return [place for call, place, _ in self.diary if call == what]

    def _note(self, what: str, events: Events, value: float) -> None:
        self.diary.append((what, events[0].location if events else "", float(value)))


@dataclass(slots=True)
class ScriptedJudge:
    """The judge of a `ScriptedGate`: always its threshold; it audits what `audits` says.

    budget: what wakes it keeps to; the first that come are taken.
    """

    gate: ScriptedGate
    recall: float
    everything: bool = False
    budget: Budget | None = None
    woken: list[float] = field(default_factory=list)

    def wake_on_everything(self, on: bool) -> None:
        self.everything = on

    def late(self, until: float) -> tuple[LateQuestion, ...]:
        return ()

    def judge(self, window: Window) -> Judgement:
        score = self.gate.score(window.events)
        self.gate._note("score", window.events, score)
        threshold = 0.0 if self.everything else self.gate.threshold
        if score >= threshold:
            if self._spent(window.time):
                return Judgement(score, threshold, Reason.GLOBAL_BUDGET)
            self.woken.append(window.time)
            return Judgement(score, threshold, Reason.WOKE)
        if self.gate.audits(window.events):
            return Judgement(score, threshold, Reason.AUDIT, 0.5)
        return Judgement(score, threshold, Reason.BELOW_THRESHOLD)

    def _spent(self, now: float) -> bool:
        if self.budget is None:
            return False
        since = now - self.budget.span_s
        return sum(each > since for each in self.woken) >= self.budget.wakes

    def label(self, window: Window, judgement: Judgement, relevant: bool) -> None:
        entry = ("observe", "yes" if relevant else "no", judgement.threshold)
        self.gate.diary.append(entry)
        self.gate._note("learn", window.events, relevant)

    def learn(self, window: Window) -> None:
        self.gate._note("warm", window.events, bool(window.relevant))

    def contributions(self, window: Window) -> list[tuple[str, float]]:
        self.gate._note("why", window.events, 0.0)
        return [("script", 1.0)]

    def sentence(self) -> str:
        return f"Nothing is promised for recall {self.recall:g}: this is a test."
