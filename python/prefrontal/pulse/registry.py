"""The live gate: events come in, scoped questions go out, labels come back."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from ..clock import Clock, SystemClock
from ..decisions.listing import DecisionList
from ..decisions.log import Decision, DecisionLog
from ..errors import InputError
from ..settings.gate import PolicySettings
from ..types import Reason, SignalEvent
from .delivery import Delivery, Handler
from .fingerprint import ModuleFingerprint, parse_fingerprint
from .gate import Gate
from .labels import check_label
from .learned import Learned
from .limbic import LimbicLayer
from .policy import DeliveryPolicy
from .prefrontal import PrefrontalLayer
from .recall import check_recall
from .recall.audit import AuditDraw, RecallEstimate
from .sources.clock import ClockSource
from .sources.filesystem import FilesystemSource
from .sources.memory import MemoryStore
from .starts import GateSettings, StartNote
from .status_note import StatusNote
from .training import TrainingBuffer
from .wake_records import Module
from .worker import QUEUE_SIZE, Worker

if TYPE_CHECKING:
    from ..protocols import Source, Standings


class PulseRegistry:
    """Watches, scores, decides and asks, on one thread; handlers run on threads of their own.

    watch_dirs: folders to watch besides those that fingerprints name. threshold: 0..1, the floor
    under each module's own. model_save_path: file that the weights are also written to, every
    `auto_save_interval` labels and at the end, and read from when `log` holds none.
    log: where wakes, audits and labels are kept; in memory without one. policy: what holds wakes
    back. scorer, seed: see `LimbicLayer`. recall: share of what matters that must be caught; once
    enough audits were labelled each module's threshold follows from it. audit_share: share of the
    slept windows that is delivered all the same, marked as audits. sources: more of them.
    queue_size: events that may wait; more are refused and counted. log_refusals: keep them too.
    files_state: file that keeps which files were seen, so that what changed while nothing ran is
    found at the next start. poll: look at the folders every two seconds instead of being told.
    standings: how far who is behind a signal is trusted. own_folders: what changes in them is no
    signal.
    """

    def __init__(
        self,
        watch_dirs: Sequence[str | os.PathLike[str]] = (),
        threshold: float = 0.65,
        model_save_path: str | os.PathLike[str] | None = None,
        auto_save_interval: int = 10,
        *,
        log: DecisionLog | None = None,
        policy: PolicySettings | None = None,
        scorer: str = "linear",
        seed: int = 0,
        recall: float | None = None,
        audit_share: float = 0.02,
        sources: Sequence[Source] = (),
        clock: Clock | None = None,
        queue_size: int = QUEUE_SIZE,
        log_refusals: bool = False,
        files_state: str | os.PathLike[str] | None = None,
        poll: bool = False,
        standings: Standings | None = None,
        own_folders: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        if recall is not None:
            check_recall(recall)
        self._floor = PrefrontalLayer(threshold).threshold
        self._clock = SystemClock() if clock is None else clock
        self._limbic = LimbicLayer(scorer, seed)
        settings = PolicySettings() if policy is None else policy
        self._delivery = Delivery(settings.overlap)
        self._gate = Gate(
            self._limbic,
            DeliveryPolicy(settings),
            AuditDraw(audit_share, seed),
            self._delivery,
            self._clock,
            standings,
        )
        self._log = DecisionLog() if log is None else log
        path = None if model_save_path is None else Path(model_save_path).expanduser()
        self._learned = Learned(
            self._log,
            self._limbic,
            LimbicLayer(scorer, seed),
            self._gate,
            path,
            auto_save_interval,
            recall,
        )
        self._worker = Worker(self._gate, self._log, self._learned, self._delivery, self._clock)
        self._worker.queue_size = queue_size
        told = GateSettings(self._floor, recall, settings, scorer, seed, self._gate.audit_share)
        self._start_note = StartNote(self._log, self._gate, self._limbic, told)
        if log_refusals:
            self._gate.unstored = []
        self._activations = TrainingBuffer(self._clock)
        self._worker.learn_more = self._learn_activations
        self._status_note = StatusNote(self._log, self.status, self._clock)
        self._worker.after_work = self._status_note.look
        roots = [Path(each) for each in watch_dirs]
        self._files = FilesystemSource(
            roots,
            settings.settle_s,
            poll=poll,
            state_path=files_state,
            own_folders=own_folders,
            clock=self._clock,
        )
        self._ticks = ClockSource(self._minutes_since_wake)
        self.memory = MemoryStore()
        self._sources: list[Source] = [self._files, self._ticks, self.memory, *sources]
        self._lock = RLock()
        self._running = False

    def register_module(
        self, module_id: str, fingerprint_raw: dict[str, Any] | ModuleFingerprint
    ) -> None:
        """Start or replace a module; what it learned under the same signal priors comes back.

        Raises InputError, with nothing registered, for a bad fingerprint or another module_id in
        it than the one given.
        """
        if isinstance(fingerprint_raw, ModuleFingerprint):
            fingerprint = fingerprint_raw
        else:
            fingerprint = parse_fingerprint(fingerprint_raw)
        if fingerprint.module_id != module_id:
            raise InputError(
                f"module_id must be that of the fingerprint ({fingerprint.module_id!r}),"
                f" got {module_id!r}"
            )
        with self._lock, self._worker.paused():
            self._learned.shelve(module_id)
            self._gate.forget(module_id)
            self._limbic.register(module_id, fingerprint)
            module = Module(fingerprint, max(self._floor, fingerprint.default_threshold))
            self._gate.modules[module_id] = module
            self._learned.recall(module_id)
            self._learned.look()
            self._start_note.changed()
            for directory in fingerprint.watch_directories():
                self._files.add_root(Path(directory))

    def unregister_module(self, module_id: str) -> None:
        """Forget a module; nothing of it fires from now on. An unknown id is ignored."""
        with self._lock, self._worker.paused():
            self._learned.shelve(module_id)
            self._gate.forget(module_id)
            self._limbic.unregister(module_id)
            self._start_note.changed()

    @property
    def run(self) -> str:
        """The name of this start, in the details of its wakes."""
        return self._gate.run

    def modules(self) -> list[str]:
        """Ids of the registered modules, sorted."""
        with self._lock:
            return sorted(self._gate.modules)

    def push(self, event: SignalEvent) -> bool:
        """Hand in one event; False when the queue is full or the registry is not running."""
        return self._worker.push(event)

    def on_escalation(self, handler: Handler) -> Callable[[], None]:
        """Call `handler(decision)`, a function or a coroutine function, for each wake and audit.

        Several may be given. Calling the answer takes this one away again.
        """
        return self._delivery.add(handler)

    def start(self) -> None:
        """Begin to watch and to decide; a second call does nothing, a stopped one starts again."""
        with self._lock:
            if self._running:
                return
            self._start_note.begin()
            self._worker.start()
            self._running = True
            for source in self._sources:
                source.start(self.push)

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Decide what was handed in, deliver it, save, and end every thread.

        Whether all of it was done within `timeout_s`; a handler that goes on longer is left alone.
        """
        with self._lock:
            if not self._running:
                return True
            self._running = False
        # Without the lock: the handlers that are waited for may ask the registry something.
        for source in self._sources:
            source.stop(timeout_s)
        stopped = self._worker.stop(timeout_s)
        self._status_note.look(last=True)
        return stopped

    def record_activation(self, module_id: str, window: Sequence[SignalEvent]) -> str:
        """Keep a window of your own for five minutes; the id to give feedback with."""
        return self._activations.record_activation(module_id, window)

    def record_feedback(self, activation_id: str, label: float) -> None:
        """Say how much it mattered, 0..1; kept durably, learned soon after, on the gate's thread.

        An unknown id is ignored. Raises TypeError or ValueError for a label that is none.
        """
        check_label(label)
        if activation_id in self._activations:
            self._activations.record_feedback(activation_id, label)
        else:
            self._log.add_label(activation_id, float(label), self._clock.now())
        self._worker.labels_came()
        if not self._running:
            self.drain_training()

    def drain_training(self) -> None:
        """Learn all labels that were given, now."""
        with self._worker.paused():
            self._learn_activations()
            self._learned.learn()

    def explain(self, decision_id: str) -> Decision | None:
        """A wake, an audit or one of the last refusals by its id; None when it is not known."""
        with self._worker.paused():
            gate = self._gate
            found = [each for each in gate.refusals if gate.refusal_id(each) == decision_id]
            return self._gate.refused(found)[0] if found else self._log.get(decision_id)

    def refusals(self, limit: int = 20) -> DecisionList:
        """The latest windows that woke nobody, newest first, each with what pushed its score."""
        with self._worker.paused():
            latest = list(self._gate.refusals)[-limit:] if limit > 0 else []
            return DecisionList(self._gate.refused(reversed(latest)))

    def recall_estimate(self, module_id: str) -> RecallEstimate | None:
        """Share of what matters that wakes the module, from audits; None while unknown."""
        with self._lock:
            module = self._gate.modules.get(module_id)
            return None if module is None else module.recall.estimate()

    def status(self) -> dict[str, Any]:
        """Counts since the start by reason, the queue, the handlers, and what sources say."""
        with self._lock:
            return {
                "running": self._running,
                "modules": len(self._gate.modules),
                "events": self._worker.taken,
                "refused_by_queue": self._worker.refused,
                "waiting": self._worker.waiting(),
                "broken_events": self._worker.broken,
                "decisions": self._counts(),
                "labels_learned": self._learned.learned,
                "delivered": self._delivery.delivered,
                "handler_errors": self._delivery.failed,
                "thresholds": {k: m.threshold for k, m in sorted(self._gate.modules.items())},
                "sources": [
                    {"kind": type(each).__name__} | each.status() for each in self._sources
                ],
            }

    def _counts(self) -> dict[str, int]:
        kept = dict(self._gate.counts)  # at once: the gate's thread may add a reason meanwhile
        counts = {str(reason): count for reason, count in kept.items()}
        if merged := self._files.coalesced:
            counts[str(Reason.COALESCED)] = merged
        return dict(sorted(counts.items()))

    def _learn_activations(self) -> None:
        self._activations.drain(self._limbic)

    def _minutes_since_wake(self) -> float | None:
        last = self._worker.last_wake
        return None if last is None else (self._clock.monotonic() - last) / 60
