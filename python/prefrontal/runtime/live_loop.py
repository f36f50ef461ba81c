"""The loop of a running agent: polls regularly or when woken, and handles messages meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..plugin import IncomingMessage

MOST_IN_HAND = 200
"""Messages in hand at which polling pauses; channels then make their senders wait."""
GRACE_S = 5.0
"""How long messages in hand may go on after a stop."""


class Handler(Protocol):
    """Polls and handles: the plugin `loop`."""

    async def poll(self) -> list[IncomingMessage]: ...
    async def handle_all(self, messages: list[IncomingMessage]) -> None: ...


class LiveLoop:
    """Polls every `interval_s`, and at once when woken. Belongs to the running event loop."""

    def __init__(self, handler: Handler, interval_s: float) -> None:
        self.is_running = False
        self.after_each: Callable[[], object] | None = None
        self._handler = handler
        self._interval_s = interval_s
        self._asyncio = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._stopped = asyncio.Event()
        self._grace_s: float | None = GRACE_S
        self._give_up_at: float | None = None
        self._polling: asyncio.Timeout | None = None
        self._in_hand: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """Poll now. From any thread."""
        self._call_soon(self._woken.set)

    def stop(self, *, patient: bool = False) -> None:
        """Poll once more, finish the messages in hand, then return. From any thread.

        patient: wait as long as they take, not only `GRACE_S`.
        """
        self._grace_s = None if patient else GRACE_S
        self._call_soon(self._end_soon)

    async def run(self) -> None:
        """Run until stopped; then cancels a hanging poll together with the messages in hand."""
        self.is_running = True
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._give_up_at) as self._polling:
                    await self._keep_polling()
        finally:
            self._polling = None
            await self._end()

    async def _keep_polling(self) -> None:
        while not self._stopped.is_set():
            self._woken.clear()
            if len(self._in_hand) < MOST_IN_HAND:
                await self._poll()
            await self._pause()
        await self._poll()

    def _call_soon(self, callback: Callable[[], object]) -> None:
        if not self._asyncio.is_closed():
            self._asyncio.call_soon_threadsafe(callback)

    def _end_soon(self) -> None:
        self._stopped.set()
        self._woken.set()
        if self._grace_s is not None:
            self._give_up_at = self._asyncio.time() + self._grace_s
            if self._polling is not None:
                self._polling.reschedule(self._give_up_at)

    async def _poll(self) -> None:
        for message in await self._handler.poll():
            task = asyncio.create_task(self._handle(message))
            self._in_hand.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._in_hand.discard(task)
        if len(self._in_hand) == MOST_IN_HAND - 1:  # there is room again
            self._woken.set()

    async def _handle(self, message: IncomingMessage) -> None:
        await self._handler.handle_all([message])
        if self.after_each is not None:
            self.after_each()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self._interval_s):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _end(self) -> None:
        try:
            if self._in_hand:
                await asyncio.wait(self._in_hand, timeout=self._grace_s)
        finally:
            left = tuple(self._in_hand)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
