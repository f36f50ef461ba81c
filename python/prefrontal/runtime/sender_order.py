"""Serializes the messages of one sender in one conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..plugin import IncomingMessage


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class SenderOrder:
    """Runs messages of different senders concurrently, those of one sender in order.

    Otherwise a second question might be answered before the first. Internal messages do not wait.
    """

    def __init__(self) -> None:
        self._queues: dict[tuple[str, str, str], _Queue] = {}

    def __len__(self) -> int:
        return len(self._queues)

    @asynccontextmanager
    async def turn_of(self, message: IncomingMessage) -> AsyncIterator[None]:
        """Wait for the message's turn, and hold it inside the context."""
        if message.is_internal:
            yield
            return
        key = message.channel_type, message.channel_id, message.sender_id
        queue = self._queues.setdefault(key, _Queue())
        queue.waiting += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                del self._queues[key]
