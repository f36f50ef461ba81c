"""The gate on a thread of its own: events come in, scoped questions go out, labels come back."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from ...clock import Clock, SystemClock
from ...decisions.listing import DecisionList
from ...decisions.log import DecisionLog
from ...decisions.slept_ring import SleptRing
from ...home_folder import expanded
from ...types import Reason, SignalEvent
from ..delivery import Delivery, Handler
from ..learning.labels import check_label
from ..opening import open_gate
from ..slept_lines import SleptLines
from ..sources.clock import ClockSource
from ..sources.filesystem import FilesystemSource
from ..sources.memory import MemoryStore
from ..starts import Since, asked_about
from ..status_note import StatusNote
from .inbox import QUEUE_SIZE
from .worker import Worker
from .worker_intake import WorkerIntake

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...protocols import Source, Standings
    from ...settings.gate import GateSettings
    from ..followed import FollowedWindow
    from ..modules.fingerprint import ModuleFingerprint
    from ..recall.audit import RecallEstimate
    from ..threshold_facts import ThresholdFacts

SLEPT_S = 86_400.0
"""How long what slept can be explained."""


class Watch:
    """Watches, judges and asks, on one thread; handlers run on threads of their own.

    log: where wakes, audits and labels are kept; in memory without one. watch_dirs: folders to
    watch besides those that modules name. weights_file: file that the weights are also written to,
    every `auto_save_interval` labels and at the end, and read from when `log` holds none. sources:
    more of them. queue_size: windows that may wait; more are refused and counted. files_state: file
    that keeps which files were seen, so that what changed while nothing ran is found at the next
    start. poll: look at the folders every two seconds instead of being told. standings: how far who
    is behind a signal is trusted. own_folders: what changes in them is no signal. goes_on: count
    the wakes of earlier starts into cooldown and hourly budgets, as who starts for each look needs.
    """

    def __init__(
        self,
        settings: GateSettings,
        log: DecisionLog | None = None,
        *,
        watch_dirs: Sequence[str | os.PathLike[str]] = (),
        weights_file: str | os.PathLike[str] | None = None,
        auto_save_interval: int = 10,
        sources: Sequence[Source] = (),
        clock: Clock | None = None,
        queue_size: int = QUEUE_SIZE,
        files_state: str | os.PathLike[str] | None = None,
        poll: bool = False,
        standings: Standings | None = None,
        own_folders: Sequence[str | os.PathLike[str]] = (),
        goes_on: bool = False,
    ) -> None:
        self._clock = SystemClock() if clock is None else clock
        self._log = DecisionLog() if log is None else log
        self._delivery = Delivery(settings.policy.overlap)
        opened = open_gate(
            settings,
            self._log,
            self._clock,
            standings=standings,
            attention=self._delivery,
            weights_file=None if weights_file is None else expanded(weights_file),
            every=auto_save_interval,
        )
        opened.spend_before(self._log, self._clock.now())
        self._opened = opened if goes_on else None
        self._gate = opened.gate
        self._learned = opened.learned
        self._limbic = opened.limbic
        self._start_note = opened.note(self._log)
        self._worker = Worker(self._gate, self._log, self._learned, self._delivery, self._clock)
        self._worker.inbox.queue_size = queue_size
        held = asked_about(self._log, self._log.waiting_windows())
        self._worker.shared = {each.id for each in held}  # whoever asked may tell of them, too
        if (folder := self._log.slept_folder) and settings.slept_mb and not settings.log_refusals:
            records = self._gate.records
            most_bytes = int(settings.slept_mb * 1e6)
            ring = SleptRing(folder, most_bytes, SLEPT_S, records.run, records.first_id)
            self._worker.slept = SleptLines(ring, records, self._clock)
            self._gate.asleep = []
        self._delivery.on_free = self._worker.look
        self._status_note = StatusNote(self._log, self.status, self._clock)
        self._worker.after_work = self._status_note.look
        self._files = FilesystemSource(
            [Path(each) for each in watch_dirs],
            settings.policy.settle_s,
            poll=poll,
            state_path=files_state,
            own_folders=own_folders,
            clock=self._clock,
        )
        self._ticks = ClockSource(self._minutes_since_wake, clock=self._clock)
        self.memory = MemoryStore()
        self._sources: list[Source] = [self._files, self._ticks, self.memory, *sources]
        self._lock = RLock()
        self._running = False

    def add(self, module: ModuleFingerprint) -> None:
        """Start or replace a module; what it learned under the same priors comes back."""
        with self._lock, self._worker.paused():
            self._learned.add(module)
            self._learned.look()
            self._start_note.changed()
            for directory in module.watch_directories():
                self._files.add_root(Path(directory))

    def remove(self, module_id: str) -> None:
        """Forget a module; nothing of it fires from now on. An unknown id is ignored."""
        with self._lock, self._worker.paused():
            self._learned.remove(module_id)
            self._start_note.changed()

    @property
    def run(self) -> str:
        """The name of this start, as in its decisions."""
        return self._gate.run

    def modules(self) -> list[str]:
        """Ids of the modules, sorted."""
        with self._lock:
            return sorted(self._gate.modules)

    def push(
        self,
        window: SignalEvent | Sequence[SignalEvent] | FollowedWindow,
        module_id: str | None = None,
    ) -> bool:
        """Hand in one event, or several that are one thing, for all modules or for one alone.

        False when the queue is full or the watch is not running.
        """
        return self._worker.push(window, module_id)

    def on_replaced(self, callback: Callable[[], object]) -> None:
        """Call back once another process decides here: nothing more can be stored."""
        self._worker.on_replaced = callback

    def on_wake(self, handler: Handler) -> Callable[[], None]:
        """Call `handler(decision)`, a function or a coroutine function, for each wake and audit.

        Several may be given. Calling the answer takes this one away again.
        """
        return self._delivery.add(handler)

    def start(self) -> None:
        """Begin to watch and to decide; a second call does nothing, a stopped one starts again."""
        with self._lock:
            if self._running:
                return
            since = None
            if self._opened is not None:
                since = Since(self._clock.now(), self._clock.monotonic())
                self._opened.go_on(self._log, since)
            self._start_note.begin(since)
            self._worker.start()
            self._running = True
            intake = WorkerIntake(self._worker, self._log)
            for source in self._sources:
                source.start(intake)

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Decide what was handed in, deliver it, save, and end every thread.

        Whether all of it was done within `timeout_s`; a handler that goes on longer is left alone.
        """
        with self._lock:
            if not self._running:
                return True
            self._running = False
        # Without the lock: the handlers that are waited for may ask the watch something.
        for source in self._sources:
            source.stop(timeout_s)
        stopped = self._worker.stop(timeout_s)
        self._status_note.look(last=True)
        return stopped

    @property
    def loss(self) -> str:
        """Why what was decided at the end is not in the log; "" where it is. It comes again."""
        return self._worker.loss

    def caught_up(self, timeout_s: float) -> bool:
        """Wait until every source that can has handed on what was there; whether all have."""
        end = self._clock.monotonic() + timeout_s
        waits = [wait for each in self._sources if (wait := getattr(each, "caught_up", None))]
        caught_up = [wait(max(end - self._clock.monotonic(), 0.0)) for wait in waits]
        return all(caught_up)

    def late(self) -> list[dict[str, Any]]:
        """What sources say that failed at nothing and have not handed on all that was there."""
        with self._lock:
            waits = [(each, getattr(each, "caught_up", None)) for each in self._sources]
            late = [_report(each) for each, wait in waits if wait is not None and not wait(0.0)]
            return [each for each in late if not each.get("errors")]

    def due_s(self) -> float | None:
        """Seconds until something that was held back may be asked; None where nothing waits."""
        with self._worker.paused():
            due = self._gate.due()
        return None if due is None else max(due - self._clock.monotonic(), 0.0)

    def record_feedback(self, decision_id: str, label: float) -> None:
        """Say how much it mattered, 0..1; kept durably, learned soon after, on the gate's thread.

        An unknown id is ignored. Raises TypeError or ValueError for an invalid label.
        """
        check_label(label)
        self._log.add_label(decision_id, float(label), self._clock.now())
        self._labels_came()

    def learn(self) -> None:
        """Learn all labels that were given, now."""
        with self._worker.paused():
            self._worker.learn_more()
            self._learned.learn()

    def _labels_came(self) -> None:
        self._worker.labels_came()
        if not self._running:
            self.learn()

    def explain(self, decision_id: str) -> Decision | None:
        """A wake, an audit or one of the last refusals by its id; None when it is not known."""
        with self._worker.paused():
            gate = self._gate
            matches = [
                each for each in gate.refusals if gate.records.refusal_id(each) == decision_id
            ]
            return gate.refused(matches)[0] if matches else self._log.get(decision_id)

    def refusals(self, limit: int = 20) -> DecisionList:
        """The latest windows that woke nobody, newest first, each with what pushed its score."""
        with self._worker.paused():
            latest = list(self._gate.refusals)[-limit:] if limit > 0 else []
            return DecisionList(self._gate.refused(reversed(latest)))

    def recall_estimate(self, module_id: str) -> RecallEstimate | None:
        """Share of what matters that wakes the module, from audits; None while unknown."""
        with self._lock:
            module = self._gate.modules.get(module_id)
            return None if module is None else module.control.estimate()

    def thresholds(self) -> dict[str, ThresholdFacts]:
        """Whose the threshold of each module is, by id."""
        with self._lock, self._worker.paused():
            return {name: m.facts() for name, m in sorted(self._gate.modules.items())}

    def status(self) -> dict[str, Any]:
        """Counts since the start by reason, the queue, the handlers, and what sources say."""
        with self._lock:
            sources = [_report(each) for each in self._sources]
            return {
                "running": self._running,
                "modules": len(self._gate.modules),
                "events": self._worker.taken,
                "refused_by_queue": self._worker.refused,
                "waiting": self._worker.waiting(),
                "unstored": self._worker.unstored(),
                "broken_events": self._worker.broken,
                "decisions": self._counts(),
                "held_back": self._gate.holds.count,
                "held_elsewhere": self._gate.holds.of_others(self._gate.modules),
                "crowded": self._gate.holds.crowded,
                "labels_learned": self._learned.learned,
                "delivered": self._delivery.delivered,
                "handler_errors": self._delivery.failed,
                "thresholds": {k: m.threshold for k, m in sorted(self._gate.modules.items())},
                "gate": {k: m.facts().to_dict() for k, m in sorted(self._gate.modules.items())},
                "gaps": sum(int(str(each.get("gaps", 0))) for each in sources),
                "sources": sources,
            }

    def _counts(self) -> dict[str, int]:
        snapshot = dict(self._gate.counts)  # at once: the gate's thread may add a reason meanwhile
        counts = {str(reason): count for reason, count in snapshot.items()}
        if merged := self._files.coalesced:
            counts[str(Reason.COALESCED)] = merged
        return dict(sorted(counts.items()))

    def _minutes_since_wake(self) -> float | None:
        last = self._worker.last_wake
        return None if last is None else (self._clock.monotonic() - last) / 60


def _report(source: Source) -> dict[str, Any]:
    """What a source says of itself, with its kind."""
    return {"kind": type(source).__name__} | source.status()
