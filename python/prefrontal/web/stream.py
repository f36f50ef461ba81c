"""Changes on their way to the open pages: server-sent events, each with its number."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .regions import PageChange

KEPT = 64
"""Changes that a page which lost the connection gets afterwards; past that, all anew."""
MOST_WAITING = 64
SILENCE_S = 15.0
RETRY_MS = 700


class Stream:
    """Spreads changes to everyone who listens. instance: of the server, see `Follower`."""

    def __init__(self, instance: str, hello: Callable[[], dict[str, Any]]) -> None:
        self._instance = instance
        self._hello = hello
        self._kept: deque[tuple[int, int, str]] = deque(maxlen=KEPT)
        self._open: set[asyncio.Queue[str | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = False

    @property
    def listeners(self) -> int:
        """Streams that are open."""
        return len(self._open)

    def begin(self) -> None:
        """Take the loop on which the streams run: the current one."""
        self._loop = asyncio.get_running_loop()

    def end(self) -> None:
        """Close every stream; for the loop's thread."""
        self._ended = True
        for queue in self._open:
            _put(queue, None)

    def tell(self, change: PageChange) -> None:
        """Spread a change; from any thread."""
        text = _event("change", f"{self._instance}-{change.end}", change.plain())
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._spread, change.start, change.end, text)

    async def listen(self, last_id: str = "") -> AsyncIterator[str]:
        """The events for one listener. last_id: of the last event that it has, if any."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self._open.add(queue)
        try:
            # no await before the first yield: nothing is told between the two
            missed = self._missed(last_id)
            hello = self._hello() | {"instance": self._instance}
            number = hello["number"]
            yield f"retry: {RETRY_MS}\n" + _event("hello", f"{self._instance}-{number}", hello)
            for text in missed:
                yield text
            while not self._ended:
                text_or_end = await _next(queue)
                if text_or_end is None:
                    return
                yield text_or_end
        finally:
            self._open.discard(queue)

    def _missed(self, last_id: str) -> list[str]:
        instance, _, number = last_id.rpartition("-")
        if instance != self._instance or not number.isdecimal():
            return []
        return [text for start, _, text in self._kept if start >= int(number)]

    def _spread(self, start: int, end: int, text: str) -> None:
        self._kept.append((start, end, text))
        for queue in self._open:
            _put(queue, text)


async def _next(queue: asyncio.Queue[str | None]) -> str | None:
    """The next event; a comment when there was none for long, so that a dead line is noticed."""
    try:
        return await asyncio.wait_for(queue.get(), SILENCE_S)
    except TimeoutError:
        return ": still here\n\n"


def _put(queue: asyncio.Queue[str | None], text: str | None) -> None:
    """A listener that is too slow is let go; its page comes back and gets everything."""
    try:
        queue.put_nowait(text)
    except asyncio.QueueFull:
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)


def _event(name: str, number: str, data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {name}\nid: {number}\ndata: {text}\n\n"
