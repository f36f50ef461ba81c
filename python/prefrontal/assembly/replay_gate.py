"""The live gate on a kept clock, in the role that a replay needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..decisions.decision import Decision
from ..decisions.labels import PRESET
from ..decisions.payloads import WakePayload
from ..pulse.budgets.budget_threshold import BudgetThreshold
from ..pulse.gate import Gate
from ..pulse.learning.limbic import LimbicLayer
from ..pulse.learning.rules import FoundRule as PulseRule
from ..pulse.learning.rules import find_rule
from ..pulse.modules.fingerprint import ModuleFingerprint
from ..pulse.modules.priors import HistoryPrior
from ..pulse.policy import DeliveryPolicy
from ..pulse.recall import RecallPromise, share_interval
from ..pulse.scored_window import scored_events
from ..settings.adopted import QUESTION
from ..settings.budget import parse_budget
from ..settings.gate import GateSettings, PolicySettings
from ..types import Judgement, LateQuestion, Reason, SignalEvent, Window
from .incident_warming import IncidentWarming

if TYPE_CHECKING:
    from ..decisions.payloads import Burst
    from ..protocols import FoundRule, Judge
    from ..pulse.gate_module import GateModule
    from ..pulse.incidents.bursts import Bursts
    from ..settings.budget import Budget

REPLAY = "replay"
"""The id of the module of a replay that nobody adopts."""


def history_module(
    module_id: str,
    recall: float | None,
    rule: PulseRule | None,
    complete: bool,
    question: str,
    commits: bool = False,
) -> ModuleFingerprint:
    """The module of one history. rule: what was found on its warm-up, the prior of its scores."""
    parts = None if rule is None else rule.rule.to_dict()
    return ModuleFingerprint(
        module_id=module_id,
        cluster="adopted",
        version="1",
        question_template=question,
        default_threshold=None,
        history=HistoryPrior(recall, parts, complete, commits),
    )


class KeptTime:
    """A clock that stands at the window that is judged."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


class ReplayJudge:
    """One module of the live gate, as the role `Judge`. settings: of that gate."""

    def __init__(
        self,
        module: ModuleFingerprint,
        settings: GateSettings,
        budget: BudgetThreshold | None = None,
    ) -> None:
        self.module_id = module.module_id
        self.settings = settings
        self.limbic = LimbicLayer(settings.scorer, settings.seed)
        self._clock = KeptTime()
        self._gate = Gate(settings, self.limbic, self._clock, explained=False)
        self.module: GateModule = self._gate.add(module)
        recall = self.module.recall
        self._budget = budget
        self._waiting: dict[str, Window] = {}
        self._payloads: dict[str, WakePayload] = {}
        self._burst: Burst | None = None
        self._whole: Budget | None = None
        self._warming: IncidentWarming | None = None
        if (incidents := self.module.incidents) is not None and settings.policy.budget is not None:
            self._whole = parse_budget(settings.policy.budget)
            self._warming = IncidentWarming(incidents, self.limbic, self.module_id, self._whole)
        # With every label the gate's threshold is that of a promise, which says it in words.
        promising = budget is None and recall and self.module.complete
        self._promise = RecallPromise(recall) if promising and recall else None

    def late(self, until: float) -> Iterator[LateQuestion]:
        while (due := self._gate.due()) is not None and due <= until:
            self._clock.time = max(self._clock.time, due)
            self._gate.tick()
            for decision in self._take_decided():
                window, judgement = self._asked(decision)
                assert window is not None
                yield LateQuestion(decision.time, window, judgement)

    @property
    def bursts(self) -> Bursts | None:
        """What came so far, where bursts are decided about."""
        return self._gate.bursts

    def begin(self) -> None:
        """Take over what other histories taught; the first window does so, too."""
        if self._warming is not None:
            self._warming.finish()
            self._warming = None

    def judge(self, window: Window) -> Judgement:
        self.begin()
        if self._budget is None:
            return self._judgement(window)
        self.module.wish(self._budget.threshold(window.time, self._gate.policy.spent(window.time)))
        judgement = self._judgement(window)
        self._budget.decided(judgement.score, judgement.woke, window.time)
        return judgement

    def _judgement(self, window: Window) -> Judgement:
        gate = self._gate
        self._clock.time = window.time
        gate.judge(window.events, self.module_id, again=True)
        if gate.decided:
            [decision] = self._take_decided()
            self._keep_payload(window, decision)
            return self._asked(decision)[1]
        if gate.held:
            held = gate.held.pop()
            wake = held.payload
            assert isinstance(wake, WakePayload)
            self._burst = wake.burst
            if wake.waits:
                self._waiting[held.id] = window
            reason = Reason(held.reason)
            return Judgement(held.score, held.threshold, reason, waits=wake.waits)
        refusal = gate.refusals.newest
        self._burst = refusal.scored.moment.burst
        return Judgement(refusal.scored.score, refusal.threshold, refusal.reason)

    def _take_decided(self) -> list[Decision]:
        gate, decided = self._gate, self._gate.decided
        gate.decided = []
        gate.held = []  # how far bursts got that are over
        return decided

    def _asked(self, decision: Decision) -> tuple[Window | None, Judgement]:
        """The judgement of a question; the window that it is about, if that waited."""
        wake = decision.payload
        assert isinstance(wake, WakePayload)
        folded = tuple(self._waiting.pop(each.id) for each in wake.folded)
        reason, chance = Reason(decision.reason), decision.propensity
        judgement = Judgement(decision.score, decision.threshold, reason, chance, folded)
        same = (each for each in folded if each.events == decision.window)
        window = next(same, None)
        if window is not None and wake.late:
            self._keep_payload(window, decision)
        return window, judgement

    def _keep_payload(self, window: Window, decision: Decision) -> None:
        """Until its label comes: a burst is learned as it was when it was asked about."""
        wake = decision.payload
        if isinstance(wake, WakePayload) and wake.burst is not None:
            self._burst = wake.burst
            self._payloads[window.key] = wake

    def label(self, window: Window, judgement: Judgement, relevant: bool) -> None:
        decision = self.decision(window, judgement)
        self._gate.learn(decision, float(relevant), PRESET if self._promise else "user")
        if self._promise is not None:
            self._promise.observe(judgement.score, relevant, judgement.threshold)

    def learn(self, window: Window) -> None:
        """Weights alone: how scores of another history lie tells nothing of thresholds here."""
        if self._warming is not None:
            self._warming.add(window)
        else:
            relevant = float(bool(window.relevant))
            self.limbic.update_weights(self.module_id, window.events, relevant)

    def decision(self, window: Window, judgement: Judgement) -> Decision:
        """What the log would keep of it, without an id."""
        wake = self._payloads.pop(window.key, WakePayload())
        return Decision(
            id="",
            time=window.time if wake.moment is None else wake.moment.time,
            subject=self.module_id,
            acted=judgement.woke,
            reason=judgement.reason,
            score=judgement.score,
            threshold=judgement.threshold,
            question=None,
            propensity=judgement.propensity,
            window=window.events,
            payload=wake,
        )

    def wake_on_everything(self, on: bool) -> None:
        """Not within a budget, which holds from the first window on."""
        if self._budget is None and self.module.incidents is None:
            self.module.wish(0.0 if on else None)

    def contributions(self, window: Window) -> list[tuple[str, float]]:
        if self._burst is not None and not self._burst.look:
            return []
        events = scored_events(window.events, self._burst)
        return self.limbic.contributions(self.module_id, events)

    def sentence(self) -> str:
        if self._budget is not None:
            budget = self._budget.budget
            most = f"No {budget.span} has more than {budget.wakes:,} wake-ups"
            return f"{most}; no recall is promised."
        if self.module.incidents is not None and self._whole is not None:
            most = f"No {self._whole.span} has more than {self._whole.wakes:,} wake-ups"
            return f"{most}; bursts of alike windows are one question."
        if self._promise is not None:
            return self._promise.sentence()
        return _asked_sentence(self.module)


def _asked_sentence(module: GateModule) -> str:
    """What a gate promises that learns only of what it asks about."""
    facts = module.facts()
    if facts.needed is None or facts.known < facts.needed:
        needs = "" if facts.needed is None else f" needs {facts.needed} relevant answers, and"
        return (
            f"No promise yet: recall {facts.recall:g}{needs} there are {facts.known}, so every"
            " window wakes."
        )
    if facts.estimate is None:
        return f"The threshold follows {facts.known} relevant answers."
    return (
        f"The gate itself, which does not know what it slept through, estimates a recall of"
        f" {facts.estimate.recall:.2f} ({facts.estimate.low:.2f} to {facts.estimate.high:.2f},"
        f" 90 % interval) from {facts.estimate.source}."
    )


class PulseGate:
    """The gate of `pulse`, as the role `TrialGate`; hours in UTC, so a replay is the same anywhere.

    module_id, question: of the module that is opened. settings: of the gate. judges: what was
    opened, in that order. rule: what was found.
    """

    def __init__(
        self,
        module_id: str = REPLAY,
        question: str = QUESTION,
        settings: GateSettings | None = None,
    ) -> None:
        self._module_id = module_id
        self._question = question
        self._settings = GateSettings() if settings is None else settings
        self.judges: list[ReplayJudge] = []
        self.rule: PulseRule | None = None

    def find_rule(self, labelled: Iterable[tuple[Sequence[SignalEvent], bool]]) -> PulseRule:
        self.rule = find_rule(labelled)
        return self.rule

    def open(
        self, prior_rule: FoundRule | None, recall: float, complete: bool, *, commits: bool = False
    ) -> Judge:
        rule = prior_rule if isinstance(prior_rule, PulseRule) and prior_rule.beats_chance else None
        module = history_module(self._module_id, recall, rule, complete, self._question, commits)
        judge = ReplayJudge(module, self._settings)
        self.judges.append(judge)
        return judge

    def open_within(
        self,
        prior_rule: FoundRule | None,
        budget: Budget,
        complete: bool,
        *,
        commits: bool = False,
    ) -> Judge:
        """The live gate's policy keeps the budget; nothing is audited, which would be wakes."""
        rule = prior_rule if isinstance(prior_rule, PulseRule) and prior_rule.beats_chance else None
        module = history_module(self._module_id, None, rule, complete, self._question, commits)
        policy = self._settings.policy.model_copy(update={"budget": str(budget)})
        settings = self._settings.model_copy(update={"policy": policy, "audit_share": 0.0})
        judge = ReplayJudge(module, settings, BudgetThreshold(budget))
        self.judges.append(judge)
        return judge

    def open_incidents(self, budget: Budget) -> Judge:
        """The live gate with `policy.incidents`, which audits nothing."""
        module = history_module(self._module_id, None, None, False, self._question)
        changes = {"budget": str(budget), "incidents": True}
        policy = self._settings.policy.model_copy(update=changes)
        settings = self._settings.model_copy(update={"policy": policy, "audit_share": 0.0})
        judge = ReplayJudge(module, settings)
        self.judges.append(judge)
        return judge

    def interval(self, hits: int, trials: int) -> tuple[float, float]:
        return share_interval(hits, trials)


def policy_admission(settings: PolicySettings) -> Callable[[Decision], str | None]:
    """A fresh delivery policy that lives in the time of the records it is asked about.

    The budget of a peer is what it was when the record was made.
    """
    policy = DeliveryPolicy(settings)

    def admit(record: Decision) -> str | None:
        wake = record.payload
        standing = wake.standing if isinstance(wake, WakePayload) else None
        return policy.admit(record.subject, record.time, record.time, standing)

    return admit
