"""Answers to what was read before standard input ended.

The SDK gives up what it works on once its client's stream ends, and a client that pipes a few
requests ends it at once.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

LAST_ANSWERS_S = 60.0
"""How long they are waited for."""
_ENDLESS = "subscriptions/listen"
_CANCELLED = "notifications/cancelled"


class OpenRequests:
    """Requests that were read and have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._closed = anyio.Event()

    def note(self, message: object) -> None:
        """A message, whoever sent it."""
        match message:
            case JSONRPCRequest(id=number, method=method) if method != _ENDLESS:
                self._ids.add(number)
            case JSONRPCNotification(method=method, params=params) if method == _CANCELLED:
                self._ids.discard((params or {}).get("requestId"))
            case JSONRPCResponse(id=number) | JSONRPCError(id=number):
                self._ids.discard(number)
        if not self._ids:
            self._closed.set()
            self._closed = anyio.Event()

    async def wait(self) -> None:
        """Until none is left, or for as long as is waited."""
        with anyio.move_on_after(LAST_ANSWERS_S):
            while self._ids:
                await self._closed.wait()


class PatientReading:
    """A stream of messages that ends once all of them are answered."""

    def __init__(self, stream: Any, requests: OpenRequests) -> None:
        self._stream = stream
        self._requests = requests

    @property
    def last_context(self) -> Any:
        return self._stream.last_context

    async def receive(self) -> SessionMessage | Exception:
        try:
            item: SessionMessage | Exception = await self._stream.receive()
        except anyio.EndOfStream:
            await self._requests.wait()
            raise
        if not isinstance(item, Exception):
            self._requests.note(item.message)
        return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> PatientReading:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        with suppress(anyio.EndOfStream):
            return await self.receive()
        raise StopAsyncIteration

    async def __aenter__(self) -> PatientReading:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class NotedWriting:
    """A stream of messages whose answers are noted."""

    def __init__(self, stream: Any, requests: OpenRequests) -> None:
        self._stream = stream
        self._requests = requests

    async def send(self, item: SessionMessage) -> None:
        await self._stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._requests.note(item.message)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> NotedWriting:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
