"""Hands stored questions to durable sinks until each has them: at least once, the same id."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...decisions.deliveries import GATE_CALLER
from ...errors import PrefrontalError
from ...plural import many
from .outbox_lane import GIVE_UP_S, OutboxLane

if TYPE_CHECKING:
    from ...decisions.deliveries import SinkProgress
    from ...decisions.log import Decision, DecisionLog
    from .outcome import Sink

LONGEST_SLEEP_S = 60.0
"""A machine that was suspended looks at the time again after so long at most."""

log = logging.getLogger("prefrontal.pulse")


class Outbox:
    """One thread for each durable sink, so that none waits for another, nor the gate for any.

    log: opened with `owed_to` these sinks' names. sinks: (name, sink, how many seconds old a
    question may get before it is given up). The sinks are closed by whoever made them.

    A question is delivered as the log holds it, under its decision's id, until the sink says it has
    it or it is given up; what is pending at the end is taken up at the next start. A process that
    is killed between a sink's answer and the note of it delivers that question twice.
    """

    def __init__(
        self,
        log: DecisionLog,
        sinks: Sequence[tuple[str, Sink, float]],
        clock: Clock | None = None,
    ) -> None:
        clock = SystemClock() if clock is None else clock
        self._clock = clock
        self._log = log
        self._deliveries = log.deliveries()
        self._runners = [
            _Runner(OutboxLane(name, sink, self._deliveries, clock, give_up_s))
            for name, sink, give_up_s in sinks
        ]
        log.on_owed = self.wake

    def start(self) -> None:
        """Take up what is owed, and go on; a second call does nothing."""
        try:
            self._see_to_orphans()
        except PrefrontalError as error:
            log.error("what is owed cannot be read: %s", error)
        for runner in self._runners:
            runner.start()

    def wake(self) -> None:
        """Something new is owed; returns at once."""
        for runner in self._runners:
            runner.wake()

    def take(self, decision: Decision) -> None:
        """See to a decision that was handed out, in case the log could not keep it."""
        try:
            if not self._runners or self._deliveries.knows(decision.id):
                return
        except PrefrontalError:  # better twice than never
            pass
        for runner in self._runners:
            runner.lane.take_unstored(decision)
            runner.wake()

    @property
    def sinks(self) -> int:
        """How many there are."""
        return len(self._runners)

    def word(self, worded: Callable[[Decision], Decision]) -> None:
        """Hand each decision out as `worded` has it, from now on; its id must stay."""
        for runner in self._runners:
            runner.lane.worded = worded

    def owe(self, decision_id: str) -> None:
        """Owe a decision of the log to every sink, once. Raises SourceError."""
        names = [runner.lane.name for runner in self._runners]
        self._deliveries.owe(decision_id, names, self._clock.now())
        self.wake()

    def owed(self) -> int:
        """How many deliveries are pending. Raises SourceError."""
        names = self._names()
        return sum(each.count for each in self._pending() if each.sink in names)

    def _see_to_orphans(self) -> None:
        """Tell of what is owed to sinks that are no more; give up what is a day old."""
        for each in self._pending():
            if each.sink in (*self._names(), GATE_CALLER):
                continue
            before = self._clock.now() - GIVE_UP_S
            old = self._deliveries.expire(each.sink, before, "no sink has this name any more")
            what = f"{many(each.count, 'question')} {'is' if each.count == 1 else 'are'}"
            given_up = f", {old} given up" if old else ""
            log.warning("%s owed to %s, but no sink has this name%s", what, each.sink, given_up)

    def _pending(self) -> list[SinkProgress]:
        return self._deliveries.standing(since=float("inf"))

    def _names(self) -> set[str]:
        return {runner.lane.name for runner in self._runners}

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Deliver what is due and end the threads; whether they ended within `timeout_s`."""
        end = monotonic() + timeout_s
        for runner in self._runners:
            runner.end()
        return all(runner.join(end - monotonic()) for runner in self._runners)

    def close(self) -> None:
        """Let go of the log, after `stop`; what is still under way is noted nowhere."""
        for runner in self._runners:
            runner.abandon()
        self._log.on_owed = lambda: None
        self._deliveries.close()


class _Runner:
    """The thread of one lane."""

    def __init__(self, lane: OutboxLane) -> None:
        self.lane = lane
        self._changed = Condition()
        self._news = False
        self._ending = False
        self._thread: Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            name = f"prefrontal-outbox-{self.lane.name}"
            self._thread = Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def wake(self) -> None:
        with self._changed:
            self._news = True
            self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify()

    def abandon(self) -> None:
        with self._changed:
            self.lane.abandoned = self._ending = True
            self._changed.notify()

    def join(self, timeout_s: float) -> bool:
        if self._thread is None:
            return True
        self._thread.join(max(0.0, timeout_s))
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            if waiting := self.lane.renew():
                log.info("%s: %d questions were left over", self.lane.name, waiting)
        except PrefrontalError as error:
            log.error("%s: %s", self.lane.name, error)
        while not self.lane.abandoned:
            wait_s = self._step()
            with self._changed:
                if wait_s != 0.0 and not self._news:
                    if self._ending:
                        return
                    self._changed.wait(_patience(wait_s))
                self._news = False

    def _step(self) -> float | None:
        try:
            return self.lane.step()
        except Exception:  # what one row of the log holds must not end the thread
            log.exception("%s: its questions cannot be read", self.lane.name)
            return LONGEST_SLEEP_S


def _patience(wait_s: float | None) -> float:
    return LONGEST_SLEEP_S if wait_s is None else min(wait_s, LONGEST_SLEEP_S)
