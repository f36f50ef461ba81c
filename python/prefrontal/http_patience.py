"""A uvicorn server whose connections do not wait for ever, and which a signal ends quietly.

The page and MCP need one, as extras; what the package itself listens with is `http_server`.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .http_server import READING_S

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from .http_door import Door


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


def listen(door: Door) -> socket.socket:
    """Take the address. Raises SourceError when it cannot be used."""
    family = socket.AF_INET6 if ":" in door.host else socket.AF_INET
    try:
        return socket.create_server((door.host, door.port), family=family)
    except (OSError, UnicodeError) as error:
        raise door.refusal(error) from None


class QuietServer(uvicorn.Server):
    """Ends at SIGINT or SIGTERM, and keeps which it was, the first one, in `signal_number`.

    uvicorn itself raises each of them again once it has ended, in the midst of its event loop.
    """

    signal_number: int | None = None

    def __init__(self, app: ASGIApp, ending_s: int, **options: Any) -> None:
        """ending_s: how long requests may go on once it is to end. options: of uvicorn."""
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="on",
                timeout_graceful_shutdown=ending_s,
                ws="none",
                http=PatientProtocol,
                **options,
            )
        )

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
