"""Progress of a long call, told to the client from the thread that works."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import anyio
import anyio.from_thread

from ..errors import PrefrontalError

if TYPE_CHECKING:
    from mcp.server.session import ServerSession


class StoppedError(PrefrontalError):
    """Nobody waits for the answer any more."""


class Progress:
    """For one call. session: of the request; it tells nothing when nobody asked for progress."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._stopped = Event()
        self._furthest = 0.0

    def step(self, what: str, done: int, total: int) -> None:
        """From a worker thread: so far we are. Raises StoppedError when the call was cancelled."""
        if self._stopped.is_set():
            raise StoppedError("The call was cancelled.")
        # Progress must rise; a replay counts anew when it begins its second pass.
        if done > self._furthest:
            self._furthest = done
            anyio.from_thread.run(self._session.report_progress, float(done), float(total), what)

    def stop(self) -> None:
        """The call is over, whoever still works for it."""
        self._stopped.set()
