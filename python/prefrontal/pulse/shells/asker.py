"""The gate for those who ask: a window comes in, the decisions about it come back at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from threading import Lock
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...decisions.payloads import WakePayload
from ...errors import InputError
from ..opening import open_gate

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...decisions.log import DecisionLog
    from ...protocols import Standings
    from ...settings.gate import GateSettings
    from ...types import SignalEvent
    from ..modules.fingerprint import ModuleFingerprint
    from ..threshold_facts import ThresholdFacts

LABELS_EVERY_S = 2.0
"""How often labels are looked for that another process wrote."""


class Asker:
    """The gate without a thread, a source or a handler, which may stand beside a running watch.

    It starts from what is saved in the log, learns the labels that came after, and never saves
    weights itself, so the two cannot disagree. What repeats is judged again, and nothing is
    gathered: who asks wants an answer. What slept is kept, too. Raises InputError for two modules
    of one id.
    """

    def __init__(
        self,
        log: DecisionLog,
        modules: Sequence[ModuleFingerprint],
        settings: GateSettings,
        *,
        standings: Standings | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._log = log
        self._clock = SystemClock() if clock is None else clock
        policy = settings.policy.model_copy(update={"group_s": 0.0, "hold_s": 0.0})
        answering = settings.model_copy(update={"policy": policy, "log_refusals": True})
        opened = open_gate(answering, log, self._clock, modules, standings=standings, asking=True)
        opened.spend_before(log, self._clock.now())
        self._gate = opened.gate
        self._learned = opened.learned
        self._lock = Lock()
        self._learn()
        opened.note(log, asking=True).begin()

    def modules(self) -> list[str]:
        """Ids of the modules, sorted."""
        return sorted(self._gate.modules)

    def judge(self, window: Sequence[SignalEvent], module_id: str | None = None) -> list[Decision]:
        """One decision for the module, or for each module that the window concerns.

        What was held back in earlier calls is told of by these, or asked about besides.

        Each is on its way into the log: a killed process loses the last moments, `label` waits
        for the disk. Raises InputError for an unknown module and where there is none, and
        TypeError naming the field of an event that has the wrong type.
        """
        self._check(module_id)
        with self._lock:
            if self._clock.monotonic() - self._learned_at >= LABELS_EVERY_S:
                self._learn()
            with self._log.telling() if self._gate.holds.count else nullcontext():
                self._forget_told()
                decisions = self._decided(window, module_id)
        return sorted(decisions, key=lambda each: each.subject)

    def label(self, decision_id: str, label: float) -> Decision:
        """Keep how much a decision mattered, 0..1, and learn it; the decision as it was before.

        Raises InputError for an unknown id and for any other label.
        """
        before = self.find(decision_id)
        self._log.add_label(before.id, label, self._clock.now(), once=True)
        with self._lock:
            self._learn()
        return before

    def find(self, decision_id: str) -> Decision:
        """The decision of that id, or of the only one that begins so. Raises InputError."""
        self._log.flush()
        decision = self._log.get(decision_id)
        if decision is None:
            rule = "be one of a decision that was kept, or its beginning"
            raise InputError(f"decision id must {rule}, got {decision_id!r:.80}")
        return decision

    def threshold(self, module_id: str) -> ThresholdFacts:
        """Whose the threshold of the module is. Raises KeyError for an unknown one."""
        with self._lock:
            return self._gate.modules[module_id].facts()

    def _decided(self, window: Sequence[SignalEvent], module_id: str | None) -> list[Decision]:
        self._gate.judge(window, module_id, again=True)
        self._gate.tick()
        decisions = self._gate.drain()
        for each in decisions:
            self._log.append_soon(each)
        if any(isinstance(each.payload, WakePayload) and each.payload.folded for each in decisions):
            self._log.flush()  # others look there before they tell of the same
        return decisions

    def _forget_told(self) -> None:
        """What waited here and a question of another process has told of is done with."""
        if self._gate.holds.count:
            questions = self._log.fold_questions(self._gate.holds.ids())
            self._gate.holds.drop({each for each, by in questions.items() if by is not None})

    def _check(self, module_id: str | None) -> None:
        known = self._gate.modules
        if not known:
            hint = "prefrontal modules add FILE, or modules in prefrontal.yml, then start again"
            raise InputError(f"modules must hold one at least, got none: {hint}")
        if module_id is not None and module_id not in known:
            names = ", ".join(self.modules()[:20])
            raise InputError(f"module must be one of {names}, got {module_id!r:.80}")

    def _learn(self) -> None:
        """Take the labels and thresholds that came since."""
        self._learned_at = self._clock.monotonic()
        self._learned.learn()
