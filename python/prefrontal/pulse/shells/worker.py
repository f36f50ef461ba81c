"""The one thread that scores, decides and learns."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING

from ...errors import PrefrontalError
from ...types import SignalEvent
from ..followed import FollowedWindow, Following

if TYPE_CHECKING:
    from ...clock import Clock
    from ...decisions.log import Decision, DecisionLog
    from ..delivery import Delivery
    from ..gate import Gate
    from ..learned import Learned

QUEUE_SIZE = 50_000
BATCH = 256
LABELS_EVERY_S = 2.0
"""How often labels are looked for that another process wrote."""

log = logging.getLogger("prefrontal.pulse")


@dataclass(frozen=True, slots=True)
class Addressed:
    """A window for one module alone."""

    window: tuple[SignalEvent, ...]
    module_id: str


Handed = tuple[SignalEvent, ...] | Addressed | FollowedWindow


class Worker:
    """Takes events in order, stores each batch's wakes, then hands them to the handlers."""

    def __init__(
        self,
        gate: Gate,
        decisions: DecisionLog,
        learned: Learned,
        delivery: Delivery,
        clock: Clock,
    ) -> None:
        self.queue_size = QUEUE_SIZE
        self.learn_more: Callable[[], object] = lambda: None
        self.after_work: Callable[[], object] = lambda: None
        self.taken = 0
        self.refused = 0
        self.broken = 0
        self.last_wake: float | None = None
        self._gate = gate
        self._decisions = decisions
        self._learned = learned
        self._delivery = delivery
        self._clock = clock
        self._following = Following(gate, learned, decisions, clock)
        self._inbox: deque[Handed] = deque()
        self._ready = Condition(Lock())
        self._working = Lock()  # held while the gate is at work
        self._thread: Thread | None = None
        self._ending = False
        self._labels = False
        self._labels_at = 0.0

    def push(
        self,
        window: SignalEvent | Sequence[SignalEvent] | FollowedWindow,
        module_id: str | None = None,
    ) -> bool:
        """Queue one event, or a window; False, and counted, when there is no room or no thread."""
        handed: Handed
        if isinstance(window, FollowedWindow):
            handed = window
        else:
            events = (window,) if isinstance(window, SignalEvent) else tuple(window)
            handed = events if module_id is None else Addressed(events, module_id)
        with self._ready:
            if self._thread is None or self._ending or len(self._inbox) >= self.queue_size:
                self.refused += 1
                return False
            self._inbox.append(handed)
            if len(self._inbox) == 1:
                self._ready.notify()
            return True

    def labels_came(self) -> None:
        """Look for labels soon."""
        with self._ready:
            self._labels = True
            self._ready.notify()

    def waiting(self) -> int:
        """Windows not yet taken."""
        with self._ready:
            return len(self._inbox)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Between two batches: the gate may be changed or asked."""
        with self._working:
            yield

    def start(self) -> None:
        """Begin; does nothing when it already runs."""
        with self._ready:
            if self._thread is not None:
                return
            self._ending = False
            self._thread = Thread(target=self._run, name="prefrontal-gate", daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float) -> bool:
        """Take what is queued, deliver it, save; whether all was done in time."""
        with self._ready:
            thread = self._thread
            self._ending = True
            self._ready.notify()
        if thread is None:
            return True
        started = self._clock.monotonic()
        thread.join(timeout_s)
        ended = not thread.is_alive()
        left = max(0.0, timeout_s - (self._clock.monotonic() - started))
        delivered = self._delivery.stop(left)
        if ended:
            with self._working:
                self._learn()  # what the last handlers said
                self._learned.save()
                self._flush()
            with self._ready:
                self._thread = None
        return ended and delivered

    def _run(self) -> None:
        while True:
            with self._ready:
                if not self._inbox and not self._labels and not self._ending:
                    self._ready.wait(self._patience())
                batch = [self._inbox.popleft() for _ in range(min(BATCH, len(self._inbox)))]
                last = self._ending and not self._inbox
                labels, self._labels = self._labels, False
            with self._working:
                self._work(batch, labels, last)
            self.after_work()
            if last:
                return

    def _patience(self) -> float:
        """Seconds until something is due without an event."""
        due = self._gate.due()
        if due is None:
            return LABELS_EVERY_S
        return max(0.0, min(LABELS_EVERY_S, due - self._clock.monotonic()))

    def _work(self, batch: list[Handed], labels: bool, last: bool) -> None:
        judge = self._gate.judge
        for handed in batch:
            self.taken += 1
            try:
                if isinstance(handed, FollowedWindow):
                    self._follow(handed)
                elif isinstance(handed, Addressed):
                    judge(handed.window, handed.module_id)
                else:
                    judge(handed)
            except Exception as error:  # this window is wrong in some way, and no other
                self.broken += 1
                log.exception("event left out: %s", error)
        self._gate.tick(everything=last)
        self._send()
        now = self._clock.monotonic()
        if labels or last or now - self._labels_at >= LABELS_EVERY_S:
            self._labels_at = now
            self._learn()

    def _learn(self) -> None:
        try:
            self.learn_more()
            self._learned.learn()
        except PrefrontalError as error:  # the next look finds the same labels
            log.error("labels could not be read: %s", error)

    def _send(self) -> None:
        """Store what was decided, and only then hand it out."""
        decided, self._gate.decided = self._gate.decided, []
        if decided:
            self._hand_out(decided)
        self._store_refusals()

    def _follow(self, window: FollowedWindow) -> None:
        self._send()  # what came before is stored before
        self._deliver(self._following.take(window))

    def _hand_out(self, decided: list[Decision]) -> None:
        try:
            self._decisions.append_many(decided)
        except PrefrontalError as error:
            log.error("decisions could not be stored, they are delivered all the same: %s", error)
        self._deliver(decided)

    def _deliver(self, decided: list[Decision]) -> None:
        if decided:
            self.last_wake = self._clock.monotonic()
        for decision in decided:
            self._delivery.submit(decision)

    def _flush(self) -> None:
        try:
            self._decisions.flush()
        except Exception as error:  # noqa: BLE001 - whatever kept a refusal from the disk
            log.error("refusals could not be stored: %s", error)

    def _store_refusals(self) -> None:
        if unstored := self._gate.unstored:
            self._gate.unstored = []
            for record in self._gate.refused(unstored):
                self._decisions.append_soon(record)
