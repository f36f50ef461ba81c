"""The gate stepped by hand: a window goes in, its wakes come out, stored already."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ...clock import Clock, SystemClock
from ..opening import open_gate

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...decisions.log import DecisionLog
    from ...protocols import Standings
    from ...settings.gate import GateSettings
    from ...types import SignalEvent
    from ..modules.fingerprint import ModuleFingerprint
    from ..recall.audit import RecallEstimate
    from ..threshold_facts import ThresholdFacts


class Stepper:
    """The gate without threads, sources or handlers; the role `Waker`.

    The labels that the log holds when a window comes are learned before it, so the same windows and
    labels in the same order give the same decisions. It saves what it learned as `Watch` does; only
    one of both may work on a log. Nobody is busy here, so `policy.overlap` says nothing. Raises
    InputError for two modules of one id. Methods may be called from several threads.
    """

    def __init__(
        self,
        log: DecisionLog,
        modules: Sequence[ModuleFingerprint],
        settings: GateSettings,
        *,
        standings: Standings | None = None,
        clock: Clock | None = None,
        auto_save_interval: int = 10,
    ) -> None:
        self._log = log
        self._lock = RLock()
        clock = SystemClock() if clock is None else clock
        opened = open_gate(
            settings,
            log,
            clock,
            modules,
            standings=standings,
            every=auto_save_interval,
        )
        opened.spend_before(log, clock.now())
        self._gate = opened.gate
        self._learned = opened.learned
        opened.note(log).begin()

    @property
    def modules(self) -> list[str]:
        """Ids of the modules, sorted."""
        return sorted(self._gate.modules)

    @property
    def run(self) -> str:
        """The name of this start, as in its decisions."""
        return self._gate.run

    def wake(self, event: SignalEvent) -> list[Decision]:
        """Decide about one event, now; its wakes and audits, each on the disk already.

        Raises TypeError naming a field of the wrong type, SourceError when the log cannot be
        written: what was decided then goes out with the next call.
        """
        return self.judge((event,))

    def judge(self, window: Sequence[SignalEvent], module_id: str | None = None) -> list[Decision]:
        """`wake` for several events that are one thing, or for one module alone."""
        with self._lock:
            self._learned.learn()
            self._gate.judge(window, module_id)
            self._gate.tick()
            return self._stored()

    def tick(self, everything: bool = False) -> list[Decision]:
        """The wakes that were held back and may be asked now, or all that were gathered, too."""
        with self._lock:
            self._gate.tick(everything)
            return self._stored()

    def due(self) -> float | None:
        """Monotonic second at which `tick` may have something to ask; None where nothing waits."""
        return self._gate.due()

    def learn(self) -> None:
        """Take in the labels and thresholds of the log, now rather than at the next window."""
        with self._lock:
            self._learned.learn()

    def thresholds(self) -> dict[str, ThresholdFacts]:
        """Whose the threshold of each module is, by id."""
        with self._lock:
            return {name: m.facts() for name, m in sorted(self._gate.modules.items())}

    def recall_estimate(self, module_id: str) -> RecallEstimate | None:
        """Share of what matters that wakes the module, from audits; None while unknown."""
        with self._lock:
            module = self._gate.modules.get(module_id)
            return None if module is None else module.control.estimate()

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
        woken = gate.decided
        records = gate.stored() + gate.refused(gate.unstored or ())
        if records:
            states = [(name, content, 0) for name, content in gate.holds.crowd_state().items()]
            self._log.keep(records, states=states)
        gate.decided, gate.held = [], []
        if gate.unstored:
            gate.unstored = []
        return woken
