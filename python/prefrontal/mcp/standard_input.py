"""The client's lines on standard input, for a server that can be ended while it waits for one.

The SDK reads them in a thread that nothing can stop: after Ctrl-C the server would wait for one
more line, for ever where the client sends none.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..runtime.channels.line_reader import LineReader, standard_input

LONGEST = 16 << 20
"""Bytes of a message; a longer one is answered as one that is no JSON."""


class ClientLines:
    """Iterates over the lines; made in the event loop that reads them."""

    def __init__(self, descriptor: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader = LineReader(descriptor, self._line, self._end, LONGEST)

    def start(self) -> None:
        self._reader.start()

    def stop(self) -> None:
        """Read no more."""
        self._reader.stop()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            yield line

    def _line(self, line: bytes | None) -> None:
        if line is None or line.strip():
            self._put("" if line is None else line.decode("utf-8", "replace"))

    def _end(self) -> None:
        self._put(None)

    def _put(self, line: str | None) -> None:
        """In the reader's thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


@contextmanager
def client_lines() -> Iterator[ClientLines]:
    """The lines of standard input, which is empty for everybody else meanwhile.

    Raises SourceError when the process was started without one.
    """
    stream = standard_input()
    own = os.dup(stream)
    try:
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), stream)
        lines = ClientLines(own)
        lines.start()
        try:
            yield lines
        finally:
            lines.stop()
    finally:
        os.dup2(own, stream)
        os.close(own)
