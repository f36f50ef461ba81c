"""The live gate stepped by hand: an event goes in, its wakes come out, stored already."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..clock import Clock, SystemClock
from ..decisions.decision import Decision
from ..errors import InputError
from ..pulse.delivery import Delivery
from ..pulse.gate import Gate
from ..pulse.learned import Learned
from ..pulse.limbic import LimbicLayer
from ..pulse.policy import DeliveryPolicy
from ..pulse.recall.audit import AuditDraw, RecallEstimate
from ..pulse.starts import GateSettings, StartNote
from ..pulse.wake_records import Module
from ..settings.gate import PolicySettings
from ..types import SignalEvent

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog
    from ..protocols import Standings
    from ..pulse.fingerprint import ModuleFingerprint


class StepGate:
    """Decides as `PulseRegistry` does, without threads, sources or handlers; the role `Waker`.

    The labels that the log holds when an event comes are learned before it, so the same events and
    labels in the same order give the same decisions. It saves what it learned as a registry does;
    only one of both may work on a log. threshold: 0..1, the floor under each module's own. recall,
    policy, scorer, seed, audit_share, standings, clock, log_refusals, auto_save_interval: as for
    `PulseRegistry`; nobody is busy here, so `policy.overlap` says nothing. Raises InputError for
    two modules of one id. Methods may be called from several threads.
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
        standings: Standings | None = None,
        clock: Clock | None = None,
        log_refusals: bool = False,
        auto_save_interval: int = 10,
    ) -> None:
        settings = PolicySettings() if policy is None else policy
        told = GateSettings(threshold, recall, settings, scorer, seed, audit_share)
        limbic = LimbicLayer(scorer, seed)
        self._log = log
        self._gate = Gate(
            limbic,
            DeliveryPolicy(settings),
            AuditDraw(audit_share, seed),
            Delivery(settings.overlap),
            SystemClock() if clock is None else clock,
            standings,
        )
        self._gate.unstored = [] if log_refusals else None
        shelf = LimbicLayer(scorer, seed)
        self._learned = Learned(log, limbic, shelf, self._gate, None, auto_save_interval, recall)
        self._lock = RLock()
        add_modules(self._gate, limbic, self._learned, modules, threshold)
        self._learned.look()
        StartNote(log, self._gate, limbic, told).begin()

    @property
    def modules(self) -> list[str]:
        """Ids of the modules, sorted."""
        return sorted(self._gate.modules)

    @property
    def run(self) -> str:
        """The name of this start, as in the details of its decisions."""
        return self._gate.run

    def wake(self, event: SignalEvent) -> list[Decision]:
        """Decide about one event, now; its wakes and audits, each on the disk already.

        Raises TypeError naming a field of the wrong type, SourceError when the log cannot be
        written: what was decided then goes out with the next call.
        """
        with self._lock:
            self._learned.learn()
            self._gate.take(event)
            return self._stored()

    def tick(self, everything: bool = False) -> list[Decision]:
        """The wakes that were gathered and whose time is up, or all that were gathered."""
        with self._lock:
            self._gate.tick(everything)
            return self._stored()

    def due(self) -> float | None:
        """Monotonic second at which `tick` has something to ask; None without groups."""
        return self._gate.due()

    def learn(self) -> None:
        """Take in the labels and thresholds of the log, now rather than at the next event."""
        with self._lock:
            self._learned.learn()

    def thresholds(self) -> dict[str, float]:
        """The score from which each module wakes, by id."""
        with self._lock:
            return {name: m.threshold for name, m in sorted(self._gate.modules.items())}

    def recall_estimate(self, module_id: str) -> RecallEstimate | None:
        """Share of what matters that wakes the module, from audits; None while unknown."""
        with self._lock:
            module = self._gate.modules.get(module_id)
            return None if module is None else module.recall.estimate()

    def counts(self) -> dict[str, int]:
        """How many windows were decided about since the start, by reason."""
        with self._lock:
            return {str(reason): count for reason, count in sorted(self._gate.counts.items())}

    def close(self) -> list[Decision]:
        """Ask what was gathered, learn, and save; the wakes that were left."""
        with self._lock:
            left = self.tick(everything=True)
            self._learned.learn()
            self._learned.save()
            return left

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _stored(self) -> list[Decision]:
        """Put what was decided on the disk; on an error it is kept for the next time."""
        gate = self._gate
        woken = [record for record, _ in gate.decided]
        records = woken + gate.refused(gate.unstored or ())
        if records:
            self._log.append_many(records)
        gate.decided = []
        if gate.unstored:
            gate.unstored = []
        return woken


def add_modules(
    gate: Gate,
    limbic: LimbicLayer,
    learned: Learned,
    modules: Sequence[ModuleFingerprint],
    threshold: float,
) -> None:
    """Register modules, each with what it knew before. Raises InputError for an id given twice."""
    for module in modules:
        if module.module_id in gate.modules:
            raise InputError(f"module_id must be given once, got {module.module_id!r:.80}")
        limbic.register(module.module_id, module)
        floor = max(threshold, module.default_threshold)
        gate.modules[module.module_id] = Module(module, floor)
        learned.recall(module.module_id)
