"""Hands decisions to the people's handlers, away from the thread that scores."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from time import monotonic

from ..decisions.decision import Decision
from ..decisions.document import mention
from ..types import Reason

Handler = Callable[[Decision], Awaitable[object] | object]

WORKERS = 4
MOST_WAITING = 10_000
RESERVED = 1_000
"""So many more may wait of modules of which few do, whatever others have waiting."""
FEW = 16

log = logging.getLogger("prefrontal.pulse")


class Delivery:
    """Runs every handler for every decision on at most four threads.

    overlap: "queue" runs a module's decisions one after another, "skip" refuses one while the
    module's handlers are at work, "parallel" runs as many as there are threads. A handler that
    raises is logged and counted, and the others still run. A coroutine is run to its end.
    """

    def __init__(self, overlap: str) -> None:
        self._overlap = overlap
        self._lock = Lock()
        self._handlers: list[Handler] = []
        self._busy: dict[str, deque[Decision]] = {}
        self._waiting = 0
        self._waiting_of: Counter[str] = Counter()
        self._futures: set[Future[None]] = set()
        self._pool: ThreadPoolExecutor | None = None
        self.delivered = 0
        self.failed = 0
        self.on_free: Callable[[], object] = lambda: None
        """Called when a module's handlers are done that kept others of it back."""

    def add(self, handler: Handler) -> Callable[[], None]:
        """Call `handler` from now on; the answer takes it away again."""
        if not callable(handler):
            raise TypeError(f"handler must be callable, got {handler!r}")
        with self._lock:
            self._handlers.append(handler)

        def remove() -> None:
            with self._lock:
                if handler in self._handlers:
                    self._handlers.remove(handler)

        return remove

    def refuses(self, module_id: str) -> Reason | None:
        """Why a decision of this module could not be taken now, if so."""
        with self._lock:
            if self._overlap == "skip" and module_id in self._busy:
                return Reason.BUSY
            reserved = RESERVED if self._waiting_of[module_id] < FEW else 0
            return Reason.DROPPED if self._waiting >= MOST_WAITING + reserved else None

    def submit(self, decision: Decision) -> None:
        """Deliver as soon as the overlap allows."""
        with self._lock:
            if not self._handlers:
                return
            self._waiting += 1
            self._waiting_of[decision.subject] += 1
            if self._overlap != "parallel":
                if (queue := self._busy.get(decision.subject)) is not None:
                    queue.append(decision)
                    return
                self._busy[decision.subject] = deque()
            self._start(decision)

    def stop(self, timeout_s: float) -> bool:
        """Finish what waits, for at most `timeout_s`; whether all of it was delivered."""
        end = monotonic() + timeout_s
        while (left := end - monotonic()) > 0:
            with self._lock:
                running = {each for each in self._futures if not each.done()}
            if not running:
                break
            wait(running, timeout=left)
        with self._lock:
            pool, self._pool = self._pool, None
            done = not self._waiting and all(each.done() for each in self._futures)
            for queue in self._busy.values():
                queue.clear()
        if pool is not None:
            pool.shutdown(wait=done, cancel_futures=True)
        return done

    def _start(self, decision: Decision) -> None:
        """The caller holds the lock."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="prefrontal-handler")
        future = self._pool.submit(self._run, decision)
        self._futures.add(future)
        future.add_done_callback(self._done)

    def _done(self, future: Future[None]) -> None:
        with self._lock:
            self._futures.discard(future)

    def _run(self, decision: Decision) -> None:
        with self._lock:
            handlers = list(self._handlers)
        try:
            for handler in handlers:
                self._call(handler, decision)
        finally:
            with self._lock:
                self._waiting -= 1
                self._waiting_of[decision.subject] -= 1
                self.delivered += 1
                self._next(decision.subject)
            if self._overlap == "skip":
                self.on_free()

    def _call(self, handler: Handler, decision: Decision) -> None:
        try:
            answer = handler(decision)
            if inspect.isawaitable(answer):
                asyncio.run(_finish(answer))
        except Exception:
            log.exception(
                "handler %r failed for %s",
                handler,
                decision.id,
                extra={"decision": mention(decision)},
            )
            with self._lock:
                self.failed += 1

    def _next(self, module_id: str) -> None:
        """Start the module's next decision; the caller holds the lock."""
        queue = self._busy.get(module_id)
        if queue is None:
            return
        if queue and self._pool is not None:
            self._start(queue.popleft())
        else:
            del self._busy[module_id]


async def _finish(answer: Awaitable[object]) -> None:
    await answer
