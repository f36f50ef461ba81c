"""The thread of a source that looks for news by itself."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread, current_thread

from .running import Outlet, Push


class SourceThread:
    """Calls `run(end)` on a thread of its own from each start to the next stop.

    run: returns soon after `end` is set. name: of the thread, cut at 200 characters. wake: called
    at a stop, once `end` is set, to end what `run` may be waiting for. looked: to be set by `run`
    after the first look since the start.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[Event], None],
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self.outlet = Outlet()
        self.looked = Event()
        self._name = name[:200]
        self._run = run
        self._wake = wake
        self._lock = Lock()
        self._end = Event()
        self._thread: Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it was started and not stopped since."""
        return self._thread is not None

    def start(self, push: Push) -> None:
        """Begin, with events going to `push`; does nothing while it runs."""
        with self._lock:
            if self._thread is not None:
                return
            self._end = end = Event()
            self.looked.clear()
            self.outlet.push, self.outlet.is_ended = push, end.is_set
            self._thread = Thread(target=self._run, args=(end,), name=self._name, daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """End, and wait so long for the thread."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._end.set()
        self._wake()
        if thread is not None and thread is not current_thread():
            thread.join(timeout_s)
