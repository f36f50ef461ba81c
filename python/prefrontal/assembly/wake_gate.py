"""The gate for those who ask: a window comes in, the decisions about it come back at once."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from ..clock import Clock, SystemClock
from ..decisions.log import Decision, new_id
from ..decisions.payloads import WakePayload
from ..errors import InputError
from ..pulse.delivery import Delivery
from ..pulse.gate import Gate
from ..pulse.learned import Learned
from ..pulse.limbic import LimbicLayer
from ..pulse.policy import DeliveryPolicy
from ..pulse.prefrontal import PrefrontalLayer
from ..pulse.recall.audit import AuditDraw
from ..pulse.wake_records import REASONS, Module
from ..settings.gate import PolicySettings
from ..types import Reason, SignalEvent
from .step_gate import add_modules

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog
    from ..pulse.fingerprint import ModuleFingerprint

LABELS_EVERY_S = 2.0
"""How often labels are looked for that another process wrote."""
_NEVER = 2**62


class WakeGate:
    """Judges windows as `prefrontal watch` does, without a thread, a source or a handler.

    It may stand beside a running watch on the same log: it starts from the weights saved there,
    learns the labels that came after, and never saves weights itself, so the two cannot disagree.
    threshold: 0..1, the floor under each module's own. recall, policy, scorer, seed, audit_share:
    as for `PulseRegistry`. What repeats is judged again: who asks wants an answer. Raises
    InputError for two modules of one id.
    """

    def __init__(
        self,
        log: DecisionLog,
        modules: Sequence[ModuleFingerprint],
        *,
        threshold: float = 0.0,
        recall: float | None = None,
        policy: PolicySettings | None = None,
        scorer: str = "linear",
        seed: int = 0,
        audit_share: float = 0.02,
        clock: Clock | None = None,
    ) -> None:
        self._log = log
        self._clock = clock or SystemClock()
        self._policy = DeliveryPolicy(policy or PolicySettings())
        self._audits = AuditDraw(audit_share, seed)
        self._asker = PrefrontalLayer(threshold=0.0)
        self._limbic = LimbicLayer(scorer, seed)
        delivery = Delivery(self._policy.settings.overlap)
        self._gate = Gate(self._limbic, self._policy, self._audits, delivery, self._clock)
        shelf = LimbicLayer(scorer, seed)
        self._learned = Learned(log, self._limbic, shelf, self._gate, None, _NEVER, recall)
        add_modules(self._gate, self._limbic, self._learned, modules, threshold)
        self._learned.look()
        self._lock = Lock()
        self._learn()

    def modules(self) -> list[str]:
        """Ids of the modules, sorted."""
        return sorted(self._gate.modules)

    def judge(self, window: Sequence[SignalEvent], module_id: str | None = None) -> list[Decision]:
        """One decision for the module, or for each module that the window concerns.

        Each is on its way into the log: a killed process loses the last moments, `label` waits
        for the disk. Raises InputError for an unknown module and where there is none, and
        TypeError naming the field of an event that has the wrong type.
        """
        with self._lock:
            if self._clock.monotonic() - self._learned_at >= LABELS_EVERY_S:
                self._learn()
            scores = self._scores(window, module_id)
            kept = tuple(window)
            found = [self._decided(name, score, kept) for name, score in scores.items()]
        for each in found:
            self._log.append_soon(each)
        return found

    def label(self, decision_id: str, label: float) -> Decision:
        """Keep how much a decision mattered, 0..1, and learn it; the decision as it was before.

        Raises InputError for an unknown id and for any other label.
        """
        before = self.find(decision_id)
        self._log.add_label(before.id, label, self._clock.now())
        with self._lock:
            self._learn()
        return before

    def find(self, decision_id: str) -> Decision:
        """The decision of that id, or of the only one that begins so. Raises InputError."""
        self._log.flush()
        record = self._log.get(decision_id)
        if record is None:
            rule = "be one of a decision that was kept, or its beginning"
            raise InputError(f"decision id must {rule}, got {decision_id!r:.80}")
        return record

    def _scores(self, window: Sequence[SignalEvent], module_id: str | None) -> dict[str, float]:
        known = self._gate.modules
        if not known:
            hint = "prefrontal modules add FILE, or modules in prefrontal.yml, then start again"
            raise InputError(f"modules must hold one at least, got none: {hint}")
        if module_id is None:
            return self._limbic.score_routed(window)
        if module_id not in known:
            names = ", ".join(self.modules()[:20])
            raise InputError(f"module must be one of {names}, got {module_id!r:.80}")
        return {module_id: self._limbic.score(module_id, window)}

    def _decided(self, module_id: str, score: float, window: tuple[SignalEvent, ...]) -> Decision:
        module = self._gate.modules[module_id]
        reason = self._reason(module_id, module, score)
        question = None
        if reason in (Reason.WOKE, Reason.AUDIT):
            asked = self._asker.evaluate(module_id, score, window, module.fingerprint)
            question = asked.question
            reason = reason if asked.should_escalate else Reason.NO_QUESTION
        audit = reason is Reason.AUDIT
        return Decision(
            id=new_id(),
            time=self._clock.now(),
            subject=module_id,
            acted=question is not None,
            reason=reason,
            score=score,
            threshold=module.threshold,
            question=question,
            propensity=self._audits.share if audit else 1.0,
            window=window,
            payload=WakePayload(),
            why=tuple(self._limbic.contributions(module_id, window)[:REASONS]),
        )

    def _reason(self, module_id: str, module: Module, score: float) -> Reason:
        if score >= module.threshold:  # False for NaN
            return self._held_back(module_id) or Reason.WOKE
        if self._audits.pick(1) and self._held_back(module_id) is None:
            return Reason.AUDIT
        return Reason.BELOW_THRESHOLD

    def _held_back(self, module_id: str) -> Reason | None:
        return self._policy.admit(module_id, self._clock.now(), self._clock.monotonic())

    def _learn(self) -> None:
        """Take the labels and thresholds that came since."""
        self._learned_at = self._clock.monotonic()
        self._learned.learn()
