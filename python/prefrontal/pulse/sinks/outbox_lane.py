"""One durable sink: what it is owed, in order, and when to try again."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...decisions.deliveries import DONE, GIVEN_UP, PENDING, DamagedRowError, Deliveries, Owed
from ...errors import PrefrontalError
from ...plural import many
from .outcome import DeliveryOutcome, Sink

if TYPE_CHECKING:
    from ...clock import Clock
    from ...decisions.log import Decision

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 3600.0
STORAGE_WAIT_S = 30.0
"""Until a log that cannot be read or written is tried again."""
MOST_UNSTORED = 1000
"""Questions held in memory because the log could not be written."""
GIVE_UP_S = 86_400.0

log = logging.getLogger("prefrontal.pulse")


class OutboxLane:
    """Delivers to one sink, one question at a time, the oldest first; for one thread.

    name: the sink's key in the log and its name for people; it must stay the same over restarts.
    give_up_s: how old a question may get. worded: says the question of a decision in other words.

    A sink that is down (nobody there, "later") is left alone for a wait that doubles from half a
    second to an hour, or as long as it asks; nothing overtakes the question that met it so. A
    question that the sink answered with a refusal waits by itself, and those behind it go on. What
    is older than `give_up_s` is given up, but never before the sink has been tried for an hour (or
    `give_up_s`) by this process: after a night of sleep the network may take its time.
    """

    def __init__(
        self,
        name: str,
        sink: Sink,
        deliveries: Deliveries,
        clock: Clock,
        give_up_s: float = GIVE_UP_S,
    ) -> None:
        self.name = name
        self.sink = sink
        self.worded: Callable[[Decision], Decision] = lambda record: record
        self.delivered = 0
        self.abandoned = False
        self._deliveries = deliveries
        self._clock = clock
        self._give_up_s = give_up_s
        self._unstored: deque[Decision] = deque()
        self._early: dict[str, str] = {}
        self._unsettled: list[tuple[int, str, float, str]] = []
        self._failures = 0
        self._down_since = 0.0
        self._down_until = 0.0
        self._storage_told = False

    def take_unstored(self, decision: Decision) -> None:
        """Deliver a question that the log could not keep; it is lost if the process ends.

        Once the log has kept it after all, it is not delivered again.
        """
        if len(self._unstored) < MOST_UNSTORED:
            self._unstored.append(decision)
        else:
            log.error("%s: %s is lost: too many wait", self.name, _short(decision))

    def renew(self) -> int:
        """At the start: all that is owed is due; returns how much that is."""
        return self._deliveries.renew(self.name, self._clock.now())

    def step(self) -> float | None:
        """Try the first question that is due.

        Returns the seconds until the next step can do anything: 0 at once, None when nothing is
        owed. Never raises for the world's sake.
        """
        rest_s = self._down_until - self._clock.monotonic()
        if self._failures and rest_s > 0:
            return rest_s
        if self._unstored:
            return self._step_unstored(self._unstored[0])
        try:
            return self._step_stored()
        except PrefrontalError as error:
            self._tell_storage(error)
            return STORAGE_WAIT_S

    def _step_unstored(self, decision: Decision) -> float:
        outcome = self._deliver(decision)
        if outcome.down_for_s is not None and not outcome.ok:
            self._goes_down(outcome)
            return 0.0
        self._unstored.popleft()
        self._is_up(outcome)
        if outcome.ok:
            self._early[decision.id] = outcome.detail
            if len(self._early) > MOST_UNSTORED:
                del self._early[next(iter(self._early))]
        else:
            log.error("%s: %s is given up: %s", self.name, _short(decision), outcome.detail)
        return 0.0

    def _step_stored(self) -> float | None:
        settled = self._settle_late()
        after = max((seq for seq, *_ in self._unsettled), default=0)
        now = self._clock.now()
        try:
            owed = self._deliveries.first(self.name, now, LONGEST_WAIT_S, after)
        except DamagedRowError as error:
            self._settle(error.seq, GIVEN_UP, now, str(error))
            log.error("%s: %s is given up: %s", self.name, error.id[:8], error)
            return 0.0
        self._storage_told = self._storage_told and not settled
        if owed is None:
            if not settled:
                return STORAGE_WAIT_S
            moment = self._deliveries.next_at(self.name)
            return None if moment is None else max(0.0, min(moment - now, LONGEST_WAIT_S))
        if (detail := self._early.pop(owed.record.id, None)) is not None:
            self._settle(owed.seq, DONE, now, detail)
            return 0.0
        outcome = self._deliver(self.worded(owed.record))
        if outcome.ok:
            self._settle(owed.seq, DONE, now, outcome.detail)
        elif outcome.down_for_s is None:
            self._refused(owed, outcome)
        else:
            self._goes_down(outcome)
            self._settle(owed.seq, PENDING, now, outcome.detail, late=False)
            self._expire(outcome)
            return 0.0
        self._is_up(outcome)
        return 0.0

    def _deliver(self, decision: Decision) -> DeliveryOutcome:
        try:
            return self.sink.deliver(decision)
        except Exception as error:  # the lane outlives any slip of a sink
            log.exception("%s failed for %s", self.name, _short(decision))
            return DeliveryOutcome(False, f"{type(error).__name__}: {error}")

    def _refused(self, owed: Owed, outcome: DeliveryOutcome) -> None:
        now, id_ = self._clock.now(), owed.record.id[:8]
        if now - owed.record.time >= self._give_up_s:
            self._settle(owed.seq, GIVEN_UP, now, outcome.detail)
            log.error("%s: %s is given up: %s", self.name, id_, outcome.detail)
            return
        self._settle(owed.seq, PENDING, now + _wait_s(owed.attempts), outcome.detail)
        if not owed.attempts:
            log.warning(
                "%s failed for %s, which is tried again: %s", self.name, id_, outcome.detail
            )

    def _goes_down(self, outcome: DeliveryOutcome) -> None:
        now = self._clock.monotonic()
        if not self._failures:
            self._down_since = now
            log.warning("%s is down, its questions wait: %s", self.name, outcome.detail)
        wait_s = max(_wait_s(self._failures), outcome.down_for_s or 0.0)
        self._down_until = now + min(wait_s, LONGEST_WAIT_S)
        self._failures += 1

    def _is_up(self, outcome: DeliveryOutcome) -> None:
        self.delivered += outcome.ok
        if self._failures:
            log.warning("%s answers again", self.name)
        self._failures = 0

    def _expire(self, outcome: DeliveryOutcome) -> None:
        down_s = self._clock.monotonic() - self._down_since
        if down_s < min(self._give_up_s, LONGEST_WAIT_S):
            return
        before = self._clock.now() - self._give_up_s
        if count := self._deliveries.expire(self.name, before, outcome.detail):
            what = f"{many(count, 'question')} {'is' if count == 1 else 'are'}"
            log.error("%s: %s given up: %s", self.name, what, outcome.detail)

    def _settle(
        self, seq: int, state: str, next_at: float, detail: str, *, late: bool = True
    ) -> None:
        """Note what came of a try; one that cannot be noted now is noted later, not repeated.

        late: False where it is repeated all the same, before any other.
        """
        try:
            self._deliveries.settle(self.name, seq, state, next_at, detail)
        except PrefrontalError as error:
            if late:
                self._unsettled.append((seq, state, next_at, detail))
            self._tell_storage(error)

    def _settle_late(self) -> bool:
        """Note what could not be noted before; whether all of it is."""
        try:
            while self._unsettled:
                self._deliveries.settle(self.name, *self._unsettled[0])
                del self._unsettled[0]
        except PrefrontalError:
            return False
        return True

    def _tell_storage(self, error: PrefrontalError) -> None:
        if not self._storage_told and not self.abandoned:
            self._storage_told = True
            log.error("%s: the log cannot be read or written: %s", self.name, error)


def _wait_s(failures: int) -> float:
    return float(min(FIRST_WAIT_S * 2 ** min(failures, 60), LONGEST_WAIT_S))


def _short(decision: Decision) -> str:
    return decision.id[:8]
