"""Connections of a uvicorn server that do not wait for ever for a request."""

from __future__ import annotations

import asyncio

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
