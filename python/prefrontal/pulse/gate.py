"""The steps from one event to decisions and back from labels to weights; for one thread."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from ..storage.decisions import DecisionRecord
from ..types import Reason, SignalEvent
from .audit import AuditDraw, LiveRecall
from .policy import DeliveryPolicy
from .prefrontal import EscalationDecision, PrefrontalLayer

if TYPE_CHECKING:
    from ..clock import Clock
    from .delivery import Delivery
    from .fingerprint import ModuleFingerprint
    from .limbic import LimbicLayer

RING = 1000
"""Windows that slept, kept in memory so that they can be asked about."""

REASONS = 12

_SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835


@dataclass(slots=True)
class Module:
    """One registered module: its fingerprint, the score it wakes at, and what labels said."""

    fingerprint: ModuleFingerprint
    threshold: float
    recall: LiveRecall = field(default_factory=LiveRecall)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A window that woke nobody: who was asked, with which score, and why not."""

    id: str
    time: float
    window: tuple[SignalEvent, ...]
    module_id: str
    score: float
    threshold: float
    reason: Reason


@dataclass(slots=True)
class _Group:
    """Wakes of one module that are asked as one when the time is up."""

    due: float
    window: list[SignalEvent]
    score: float


class Gate:
    """Route, score, decide, ask. Decisions wait in `decided` until they are stored and sent."""

    def __init__(
        self,
        limbic: LimbicLayer,
        policy: DeliveryPolicy,
        audits: AuditDraw,
        delivery: Delivery,
        clock: Clock,
    ) -> None:
        self.modules: dict[str, Module] = {}
        self.counts: Counter[str] = Counter()
        self.refusals: deque[Refusal] = deque(maxlen=RING)
        self.decided: list[tuple[DecisionRecord, EscalationDecision]] = []
        self._limbic = limbic
        self._policy = policy
        self._audits = audits
        self._delivery = delivery
        self._clock = clock
        self._asker = PrefrontalLayer(threshold=0.0)
        self._groups: dict[str, _Group] = {}
        self._first_id = uuid4().int
        self.refused_count = 0

    def take(self, event: SignalEvent) -> None:
        """One event through all steps. Raises TypeError naming a field of the wrong type."""
        now = self._clock.monotonic()
        if self._policy.repeated(event, now):
            self.counts[Reason.DUPLICATE] += 1
            return
        window = (event,)
        slept: list[tuple[str, float]] = []
        for module_id, score in self._limbic.score_routed(window).items():
            module = self.modules.get(module_id)
            if module is None:
                continue
            if score >= module.threshold:  # False for NaN
                self._wake(module_id, module, score, window, now)
            else:
                slept.append((module_id, score))
        if slept:
            self._sleep(slept, window, now)

    def due(self) -> float | None:
        """Monotonic second at which the next group is to be asked; None without groups."""
        return min((group.due for group in self._groups.values()), default=None)

    def tick(self, everything: bool = False) -> None:
        """Ask the groups whose time is up, or all of them."""
        now = self._clock.monotonic()
        for module_id, group in list(self._groups.items()):
            if everything or group.due <= now:
                del self._groups[module_id]
                if module := self.modules.get(module_id):
                    self._ask(module_id, module, group.score, tuple(group.window), Reason.WOKE)

    def learn(self, record: DecisionRecord, label: float) -> None:
        """Train a registered module on one label; a wake or an audit enters its recall estimate.

        Not a window that slept: whoever labels it chose it, and no share follows from that.
        """
        self._limbic.update_weights(record.subject, record.window, label)
        if record.acted and (module := self.modules.get(record.subject)):
            woke = record.reason != Reason.AUDIT
            module.recall.labelled(woke=woke, score=record.score, label=label)

    def forget(self, module_id: str) -> None:
        """A module is gone: nothing of it may fire any more."""
        self.modules.pop(module_id, None)
        self._groups.pop(module_id, None)
        self._policy.forget(module_id)

    def _wake(
        self,
        module_id: str,
        module: Module,
        score: float,
        window: tuple[SignalEvent, ...],
        now: float,
    ) -> None:
        if group := self._groups.get(module_id):
            group.window.extend(window)
            group.score = max(group.score, score)
            self.counts[Reason.GROUPED] += 1
            return
        if reason := self._held_back(module_id, now):
            self._refuse(module_id, module, score, window, reason)
        elif self._policy.settings.group_s > 0:
            due = now + self._policy.settings.group_s
            self._groups[module_id] = _Group(due, list(window), score)
        else:
            self._ask(module_id, module, score, window, Reason.WOKE)

    def _held_back(self, module_id: str, now: float) -> Reason | None:
        return self._delivery.refuses(module_id) or self._policy.admit(
            module_id, self._clock.now(), now
        )

    def _sleep(
        self, slept: list[tuple[str, float]], window: tuple[SignalEvent, ...], now: float
    ) -> None:
        audited = self._audits.pick(len(slept))
        for place, (module_id, score) in enumerate(slept):
            module = self.modules[module_id]
            module.recall.slept += 1
            if place in audited and self._held_back(module_id, now) is None:
                self._ask(module_id, module, score, window, Reason.AUDIT)
            else:
                self._refuse(module_id, module, score, window, Reason.BELOW_THRESHOLD)

    def _ask(
        self,
        module_id: str,
        module: Module,
        score: float,
        window: tuple[SignalEvent, ...],
        reason: Reason,
    ) -> None:
        asked = self._asker.evaluate(module_id, score, window, module.fingerprint)
        if not asked.should_escalate:
            self._refuse(module_id, module, score, window, Reason.NO_QUESTION)
            return
        audit = reason is Reason.AUDIT
        decision = EscalationDecision(
            module_id, True, asked.question, score, window, uuid4().hex, reason, audit
        )
        module.recall.wakes += not audit
        self.counts[reason] += 1
        self.decided.append((self._record(decision, module.threshold), decision))

    def _record(self, decision: EscalationDecision, threshold: float) -> DecisionRecord:
        assert decision.activation_id is not None
        why = self._limbic.contributions(decision.module_id, decision.window)
        return DecisionRecord(
            id=decision.activation_id,
            time=self._clock.now(),
            kind="wake",
            subject=decision.module_id,
            acted=True,
            reason=decision.reason,
            score=decision.confidence,
            threshold=threshold,
            question=decision.question,
            propensity=self._audits.share if decision.audit else 1.0,
            window=tuple(decision.window),
            why=tuple(why[:REASONS]),
        )

    def _refuse(
        self,
        module_id: str,
        module: Module,
        score: float,
        window: tuple[SignalEvent, ...],
        reason: Reason,
    ) -> None:
        self.counts[reason] += 1
        self.refused_count += 1
        self.refusals.append(
            Refusal(
                self._refusal_id(),
                self._clock.now(),
                window,
                module_id,
                score,
                module.threshold,
                reason,
            )
        )

    def _refusal_id(self) -> str:
        """A new id in a fraction of uuid4's time; the odd factor spreads the first digits."""
        return f"{(self._first_id + self.refused_count * _SPREAD) % 2**128:032x}"

    def refused(self, refusals: Iterable[Refusal]) -> list[DecisionRecord]:
        """Refusals in the form of the log, each with what pushed its score now."""
        return [
            DecisionRecord(
                id=each.id,
                time=each.time,
                kind="wake",
                subject=each.module_id,
                acted=False,
                reason=each.reason,
                score=each.score,
                threshold=each.threshold,
                question=None,
                propensity=1.0,
                window=each.window,
                why=tuple(self._limbic.contributions(each.module_id, each.window)[:REASONS]),
            )
            for each in refusals
        ]
