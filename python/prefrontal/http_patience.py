"""A uvicorn server whose connections do not wait for ever, and which a signal ends quietly."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .http_server import READING_S


class PatientProtocol(H11Protocol):
    """Cuts a connection on which no whole head of a request came within READING_S.

    uvicorn itself waits as long as the client likes, and so many such clients keep all others out.
    """

    reading_s = READING_S
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(  # type: ignore[override] # as the class above
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_no_more()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.reading_s, self.transport.abort)

    def _wait_no_more(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()


class QuietServer(uvicorn.Server):
    """Ends at SIGINT or SIGTERM, and keeps which it was, the first one, in `signal_number`.

    uvicorn itself raises each of them again once it has ended, in the midst of its event loop.
    """

    signal_number: int | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ending = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._end) for number in ending}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, _: FrameType | None) -> None:
        """A second one changes nothing: ending takes `timeout_graceful_shutdown` at most."""
        self.signal_number = self.signal_number or number
        self.should_exit = True
