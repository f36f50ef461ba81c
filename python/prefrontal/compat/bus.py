"""A queue with one thread that hands each event to every subscriber, in order."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread, current_thread
from time import monotonic

from ..errors import InputError
from ..types import SignalEvent

HISTORY = 1_000
"""Events kept for `get` at most; the oldest go first."""

Subscriber = Callable[[SignalEvent], object]
_log = logging.getLogger("prefrontal.pulse")


class SignalBus:
    """Events in from any thread, out to subscribers on one thread and to whoever calls `get`.

    maxsize: events that may wait for the subscribers, 0 for no bound; `put` refuses and counts
    what is over it. The last HISTORY events wait for `get`, whether it was called before or not.
    The thread starts with the first `put` and ends in `stop`.
    """

    def __init__(self, maxsize: int = 0) -> None:
        if isinstance(maxsize, bool) or not isinstance(maxsize, int):
            raise TypeError(f"maxsize must be a whole number, got {maxsize!r}")
        self._maxsize = maxsize
        self._ready = Condition()
        self._waiting: deque[SignalEvent] = deque()
        self._pulled: deque[SignalEvent] = deque(maxlen=HISTORY)
        self._pulling = False
        self._subscribers: list[Subscriber] = []
        self._thread: Thread | None = None
        self._stopped = False
        self._finished = False
        self.dropped = 0
        """Events refused by `put` because the bus was full or stopped."""
        self.forgotten = 0
        """Events kept for `get` that went because nobody fetched them in time. Where there are
        subscribers and nobody ever called `get`, none count."""
        self.failures = 0
        """Calls of subscribers that raised."""

    def put(self, event: SignalEvent) -> bool:
        """Hand in an event; False, and counted as dropped, when full or stopped."""
        with self._ready:
            if self._stopped or 0 < self._maxsize <= len(self._waiting):
                self.dropped += 1
                return False
            self._waiting.append(event)
            self._begin()
            self._ready.notify_all()
            return True

    def get(self, timeout: float = 1.0) -> SignalEvent | None:
        """The oldest event kept, waiting up to `timeout` seconds for one; None when none came.

        After `stop` what was kept can still be fetched. Raises InputError for a negative timeout.
        """
        if not timeout >= 0:
            raise InputError(f"timeout must be 0 or more seconds, got {timeout!r}")
        deadline = monotonic() + timeout
        with self._ready:
            self._pulling = True
            while not self._pulled:
                left = deadline - monotonic()
                if left <= 0 or (self._stopped and (self._finished or self._thread is None)):
                    return None
                self._ready.wait(left)
            return self._pulled.popleft()

    def subscribe(self, callback: Subscriber) -> None:
        """Call `callback(event)` for each event from now on; twice, if subscribed twice."""
        with self._ready:
            self._subscribers.append(callback)

    def unsubscribe(self, callback: Subscriber) -> None:
        """Take the callback away once; one that is not there is ignored."""
        with self._ready:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

    def stop(self, timeout_s: float | None = None) -> bool:
        """Refuse more events, deliver those handed in, and end the thread.

        Whether all was delivered within `timeout_s`, None for however long it takes. From a
        subscriber it only asks for the end, since the thread cannot wait for itself.
        """
        with self._ready:
            self._stopped = True
            self._ready.notify_all()
            thread = self._thread
        if thread is None:
            return True
        if thread is not current_thread():
            thread.join(timeout_s)
        return not thread.is_alive()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="signal-bus-dispatcher", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (event := self._next()) is not None:
            with self._ready:
                subscribers = list(self._subscribers)
                full = len(self._pulled) == HISTORY
                self.forgotten += full and (self._pulling or not subscribers)
                self._pulled.append(event)
                self._ready.notify_all()
            for subscriber in subscribers:
                self._call(subscriber, event)
        with self._ready:
            self._finished = True
            self._ready.notify_all()  # whoever waits in `get` for an event that will not come

    def _next(self) -> SignalEvent | None:
        with self._ready:
            while not self._waiting:
                if self._stopped:
                    return None
                self._ready.wait()
            return self._waiting.popleft()

    def _call(self, subscriber: Subscriber, event: SignalEvent) -> None:
        try:
            subscriber(event)
        except BaseException:  # noqa: BLE001 - one subscriber must not silence the others
            self.failures += 1
            _log.exception("A subscriber of the signal bus failed on %s", event.location)
