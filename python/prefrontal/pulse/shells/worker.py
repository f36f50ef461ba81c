"""The one thread that scores, decides and learns."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from threading import Condition, Lock, Thread
from time import thread_time
from typing import TYPE_CHECKING

from ...errors import PrefrontalError, SourceError
from ...storage.database import FencedError
from ...types import SignalEvent
from ..event_bytes import size_of
from ..followed import FollowedWindow, Following
from ..sources.source_batch import Post, PostPart, SourceBatch
from .inbox import BATCH, Addressed, Handed, Inbox, Taken
from .unstored import Unstored

if TYPE_CHECKING:
    from ...clock import Clock
    from ...decisions.log import Decision, DecisionLog
    from ..delivery import Delivery
    from ..gate import Gate
    from ..learned import Learned
    from ..slept_lines import SleptLines

RETRY_S = 1.0
"""After which a log that could not be written is tried again."""
COMPLAIN_EVERY_S = 60.0
"""Lost events are told of so often at most."""
ROOM_S = 0.2
"""Who waits for room looks so often whether it is to end."""
PLACES_EVERY_S = 0.5
"""Places of events that left nothing in the log are kept so often at most."""
LABELS_EVERY_S = 2.0
"""How often labels are looked for that another process wrote."""

TURN_S = 0.0025
"""A turn computes about so long where more waits: who comes next waits for one."""
LEAST_BATCH = 16
TOGETHER_S = 0.05
MOST_TOGETHER = 16
"""While more waits, turns are stored and told of together: so long, and so many decisions."""
LAST_SHARE = 0.25
"""Of the time to stop in, which is left for deciding what waits."""

UNSTORED = "decisions could not be stored, they are delivered all the same"

log = logging.getLogger("prefrontal.pulse")


class Worker:
    """Takes events in order, stores each batch's decisions and places, then hands wakes out.

    While the log cannot be written nothing more is taken: what was decided waits for it, and so do
    sources that can be read again; what is only pushed is refused once the queue is full.
    """

    def __init__(
        self,
        gate: Gate,
        decisions: DecisionLog,
        learned: Learned,
        delivery: Delivery,
        clock: Clock,
    ) -> None:
        self.learn_more: Callable[[], object] = lambda: None
        self.after_work: Callable[[], object] = lambda: None
        self.on_replaced: Callable[[], object] = lambda: None
        self.taken = 0
        self.refused = 0
        self.broken = 0
        self.loss = ""
        self.last_wake: float | None = None
        self.slept: SleptLines | None = None
        self.shared: set[str] = set()
        self._gate = gate
        self._decisions = decisions
        self._learned = learned
        self._delivery = delivery
        self._clock = clock
        self._following = Following(gate, learned, decisions, clock)
        self.inbox = Inbox()
        self._most = LEAST_BATCH
        self._cost_s = TURN_S / LEAST_BATCH
        self._unstored = Unstored()
        self._stuck = False
        self._is_replaced = False
        self._gap = False
        self._places_due = 0.0
        self._complaint_due = -math.inf
        self._told_crowded = 0
        self._stored_at = -math.inf
        self._put_off = False
        self._leave_at = math.inf
        guard = Lock()
        self._ready = Condition(guard)
        self._room = Condition(guard)
        self._working = Lock()  # held while the gate is at work
        self._thread: Thread | None = None
        self._ending = False
        self._labels = False
        self._looking = False
        self._labels_at = 0.0
        gate.holds.spill(self._load)  # what an earlier start let wait is in the log

    def push(
        self,
        window: SignalEvent | Sequence[SignalEvent] | FollowedWindow,
        module_id: str | None = None,
    ) -> bool:
        """Queue one event, or a window; False, and counted, when there is no room or no thread."""
        handed: Handed
        if isinstance(window, FollowedWindow):
            handed, size = window, size_of(window.events)
        else:
            events = (window,) if isinstance(window, SignalEvent) else tuple(window)
            handed = events if module_id is None else Addressed(events, module_id)
            size = size_of(events)
        with self._ready:
            if self._takes() and self.inbox.has_room(handed, size):
                self._add(handed, size)
                return True
        if not isinstance(window, FollowedWindow):  # which comes again
            self._refuse(handed)
        return False

    def put(self, batch: SourceBatch, is_ended: Callable[[], bool]) -> bool:
        """Queue the batch once there is room; False when it, or this, ends before."""
        size = size_of(batch.events)
        with self._ready:
            while self._takes() and not is_ended():
                if self.inbox.has_room(batch, size):
                    self._add(batch, size)
                    return True
                self._room.wait(ROOM_S)
            return False

    def accept(self, post: Post, timeout_s: float) -> bool:
        """Queue the post and wait until it is stored; whether it was, as of `Intake`."""
        size = size_of(post.events)
        with self._ready:
            if not self._takes() or self._stuck or not self.inbox.has_room(post, size):
                post.settle(stored=False)
                return False
            self._add(post, size)
        if not post.settled.wait(timeout_s):
            with self._ready:
                if is_withdrawn := self.inbox.withdraw(post):
                    post.settle(stored=False)
            if not (is_withdrawn or self._stuck):  # it is being decided
                post.settled.wait(timeout_s)
        return post.settled.is_set() and post.stored

    def _refuse(self, handed: Handed) -> None:
        """Count what is lost, since nobody sends it again, and say so now and then."""
        with self._ready:
            self.refused += 1
            now = self._clock.monotonic()
            if now < self._complaint_due:
                return
            self._complaint_due = now + COMPLAIN_EVERY_S
            why = self._why_not(handed)
        log.warning("%d pushed events were lost so far: %s", self.refused, why)

    def _why_not(self, handed: Handed) -> str:
        if not self._takes():
            return "the gate does not run"
        lane, inbox = self.inbox.lane_of(handed), self.inbox
        whose = f" from {lane.key[1]!r}" if lane.events >= inbox.events / 2 else ""
        return f"{inbox.events:,} events{whose} of {inbox.bytes / 1e6:,.1f} MB wait already"

    def _takes(self) -> bool:
        return self._thread is not None and not self._ending

    def _add(self, handed: Handed, size: int) -> None:
        if not self.inbox:
            self._ready.notify()
        self.inbox.add(handed, size)

    def _take(self) -> list[Taken]:
        """The next of the queue; then there is room."""
        batch = self.inbox.take(self._most)
        self._room.notify_all()
        return batch

    def labels_came(self) -> None:
        """Look for labels soon."""
        with self._ready:
            self._labels = True
            self._ready.notify()

    def look(self) -> None:
        """Look soon whether something may be asked that was held back."""
        with self._ready:
            self._looking = True
            self._ready.notify()

    def waiting(self) -> int:
        """Windows not yet taken."""
        with self._ready:
            return self.inbox.events

    def unstored(self) -> int:
        """Decisions that wait for a log that could not be written."""
        return len(self._unstored.records) if self._stuck else 0

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
            self._ending = self._gap = False
            self._leave_at = math.inf
            self.loss = ""
            self._thread = Thread(target=self._run, name="prefrontal-gate", daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float) -> bool:
        """Take what is queued, deliver it, save; whether all was done in time.

        What could not be decided in the first part of the time is left: sources tell of it again,
        posts are refused, and what is lost is told of.
        """
        started = self._clock.monotonic()
        with self._ready:
            thread = self._thread
            self._leave_at = started + LAST_SHARE * timeout_s
            self._ending = True
            self._ready.notify()
        if thread is None:
            return True
        thread.join(timeout_s)
        ended = not thread.is_alive()
        left = max(0.0, timeout_s - (self._clock.monotonic() - started))
        delivered = self._delivery.stop(left)
        if ended:
            with self._working:
                self._learn()  # what the last handlers said
                self._learned.save()
                self._flush()
                if self.slept is not None:
                    self.slept.close()
            with self._ready:
                self._thread = None
        return ended and delivered

    def _run(self) -> None:
        with self._working:
            self._learn()  # what was said while nothing ran counts from the first window on
        while True:
            with self._ready:
                if self._stuck:
                    if not self._ending:
                        self._ready.wait(RETRY_S)
                    batch = []
                else:
                    if not (self.inbox or self._labels or self._looking or self._ending):
                        self._ready.wait(0.0 if self._put_off else self._patience())
                    self._looking = False
                    batch = self._take()
                    if self._ending and self._clock.monotonic() >= self._leave_at:
                        self._leave()
                last = self._ending and not self.inbox
                labels, self._labels = self._labels, False
            begin, before = thread_time(), self.taken
            with self._working:
                self._work(batch, labels, last)
            if self.inbox and not self.inbox.was_for_few and self.taken > before:
                self._fit(self.taken - before, thread_time() - begin)
            self.after_work()
            if last:
                return

    def _leave(self) -> None:
        """Decide nothing more that waits; the caller holds the lock."""
        lost = 0
        for handed in self.inbox.clear():
            if isinstance(handed, Post):
                handed.settle(stored=False)
            elif isinstance(handed, SourceBatch) and handed.places:
                self._gap = True
            elif not isinstance(handed, FollowedWindow):
                lost += len(handed.events) if isinstance(handed, SourceBatch) else 1
        if lost:
            self.refused += lost
            log.warning("%d pushed events were lost: there was no time to decide them", lost)

    def _fit(self, events: int, took_s: float) -> None:
        """Take as many at once as fit into a turn, by what each took of late.

        took_s: of CPU. What the disk and a busy machine take is not less for fewer events.
        """
        self._cost_s += (took_s / events - self._cost_s) / 4
        most = BATCH if self._ending else round(TURN_S / max(self._cost_s, TURN_S / BATCH))
        self._most = max(LEAST_BATCH, most)

    def _patience(self) -> float:
        """Seconds until something is due without an event."""
        due = self._gate.due()
        if due is None:
            return LABELS_EVERY_S
        return max(0.0, min(LABELS_EVERY_S, due - self._clock.monotonic()))

    def _work(self, batch: list[Taken], labels: bool, last: bool) -> None:
        with self._decisions.telling() if self.shared else nullcontext():
            if self.shared:
                self._forget_told()
            self._decide(batch, last)
        now = self._clock.monotonic()
        if labels or last or now - self._labels_at >= LABELS_EVERY_S:
            self._labels_at = now
            self._learn()

    def _decide(self, batch: list[Taken], last: bool) -> None:
        """What came and what is due; stored, then handed out."""
        for handed in batch:
            self._judge(handed)
        was_stuck = self._stuck
        if not was_stuck:
            self._gate.tick(everything=last)
        self._put_off = not (last or was_stuck) and self._waits_for_more()
        if not self._put_off:
            self._send(last)
        if last and was_stuck and not self.loss:  # the log took it just now
            self._gate.tick(everything=True)
            self._send(last)
        if self.slept is not None and self._gate.asleep is not None:  # once wakes are on their way
            self.slept.keep(self._gate.asleep)
            self._gate.asleep = []

    def _waits_for_more(self) -> bool:
        """Whether what was decided is stored with what is decided next, for those who flood.

        Who says little waits for each commit of theirs.
        """
        is_soon = self._clock.monotonic() < self._stored_at + TOGETHER_S
        made = len(self._gate.decided) + len(self._gate.held) + len(self._gate.unstored or ())
        return bool(self.inbox) and not self.inbox.had_few and is_soon and made < MOST_TOGETHER

    def _judge(self, handed: Taken) -> None:
        if isinstance(handed, SourceBatch):
            self._judge_source(handed)
        elif isinstance(handed, PostPart):
            for event in handed.events:
                self._attempt(self._gate.judge, (event,))
            if handed.last:
                self._unstored.posts.append(handed.post)
                self._unstored.places.update(handed.post.places)
        elif isinstance(handed, FollowedWindow):
            self._attempt(self._follow, handed)
        elif isinstance(handed, Addressed):
            self._attempt(self._gate.judge, handed.window, handed.module_id)
        else:
            self._attempt(self._gate.judge, handed)

    def _load(self, ids: Sequence[str]) -> Sequence[Decision]:
        """What the log holds of these; nothing while it cannot be read."""
        try:
            return self._decisions.chosen(ids)
        except SourceError as error:
            log.error("what waits cannot be read now: %s", error)
            return []

    def _forget_told(self) -> None:
        """Who asks the gate, over MCP say, may have told meanwhile of what waited there."""
        try:
            questions = self._decisions.fold_questions(sorted(self.shared))
        except SourceError as error:
            log.error("what was told elsewhere is not known: %s", error)
            return
        self._gate.holds.drop({each for each, by in questions.items() if by is not None})
        self.shared &= set(self._gate.holds.ids())

    def _judge_source(self, batch: SourceBatch) -> None:
        if self._gap and batch.places:  # what came before it is not in the log, and comes again
            return
        judge = self._judge_again if batch.places else self._gate.judge  # its place knows repeats
        for window in batch.windows():
            self._attempt(judge, window)
        self._unstored.places.update(batch.places)

    def _judge_again(self, window: tuple[SignalEvent, ...]) -> None:
        self._gate.judge(window, again=True)

    def _attempt(self, judge: Callable[..., object], *arguments: object) -> None:
        self.taken += 1
        try:
            judge(*arguments)
        except Exception as error:  # this window is wrong in some way, and no other
            self.broken += 1
            log.exception("event left out: %s", error)

    def _learn(self) -> None:
        try:
            self.learn_more()
            self._learned.learn()
        except PrefrontalError as error:  # the next look finds the same labels
            log.error("labels could not be read: %s", error)

    def _send(self, last: bool = False) -> None:
        """Store what was decided with its places, and only then hand it out."""
        self._stored_at, self._put_off = self._clock.monotonic(), False
        gate, unstored = self._gate, self._unstored
        unstored.records += gate.stored()
        woken, gate.decided, gate.held = gate.decided, [], []
        if gate.unstored:
            unstored.records += gate.refused(gate.unstored)
            gate.unstored = []
        if unstored.records:
            unstored.places |= gate.holds.crowd_state()
            self._tell_crowd()
        if unstored.records or self._is_time(unstored, last):
            if self._is_stored(unstored):
                self._unstored = Unstored()
        elif unstored.posts:  # nothing of them is to be kept
            unstored.settle(stored=True)
            unstored.posts = []
        if not self._is_replaced:  # else whoever decides here now delivers
            self._deliver(woken)

    def _tell_crowd(self) -> None:
        """Say that questions count what they do not name, whenever that became twice as much."""
        if (crowded := self._gate.holds.crowded) > 2 * self._told_crowded:
            self._told_crowded = crowded
            log.warning("%d windows found no room to wait: questions count them", crowded)

    def _is_time(self, unstored: Unstored, last: bool) -> bool:
        """Whether places alone are to be kept now."""
        now = self._clock.monotonic()
        is_due = last or self._stuck or now >= self._places_due or unstored.is_awaited
        if not unstored.places or not is_due:
            return False
        self._places_due = now + PLACES_EVERY_S
        return True

    def _is_stored(self, unstored: Unstored) -> bool:
        """Whether it need not be tried again."""
        was_stuck, self._stuck = self._stuck, False
        try:
            self._decisions.keep(unstored.records, states=unstored.states())
        except FencedError as error:
            self._end_replaced(error)
            unstored.settle(stored=False)
            return True
        except SourceError as error:
            self._stuck = not self._ending
            if self._ending or not was_stuck:
                wait = "" if self._ending else "; nothing more is decided until they are"
                log.error("%s: %s%s", UNSTORED, error, wait)
            if self._ending:
                self.loss = str(error)
                self._gap = bool(unstored.places)
                unstored.settle(stored=False)
            return self._ending
        except PrefrontalError as error:  # no disk's fault: the next time would fail, too
            log.error("%s: %s", UNSTORED, error)
            unstored.records.clear()
            return self._is_stored(unstored)
        unstored.settle(stored=True)
        self._gate.holds.spill(self._load)
        if was_stuck:
            count = len(unstored.records)
            log.warning("the log can be written again: %d decision%s", count, "s"[: count != 1])
        return True

    def _end_replaced(self, error: FencedError) -> None:
        """Another process decides here since: take nothing more, and have the watch ended."""
        if self._is_replaced:
            return
        log.error("%s", error)
        self._is_replaced, self.loss = True, str(error)
        with self._ready:
            self._ending = True
        self.on_replaced()

    def _follow(self, window: FollowedWindow) -> None:
        self._send()  # what came before is stored before
        self._deliver(self._following.take(window))

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
