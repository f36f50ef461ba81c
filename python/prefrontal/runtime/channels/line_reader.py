"""Reads lines of a file descriptor in a thread that can be stopped while it waits."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable

from ...standard_input import input_bytes

LONGEST = 1 << 20
PATIENCE_S = 2.0
_CHUNK = 1 << 16


def standard_input() -> int:
    """The descriptor of standard input. Raises SourceError if the process has none."""
    return input_bytes().fileno()


class LineReader:
    """Calls `on_line` with each line without its newline, then `on_end`, both in its own thread.

    Passes None for a line of more than `longest` bytes. The last line needs no newline.
    """

    def __init__(
        self,
        descriptor: int,
        on_line: Callable[[bytes | None], object],
        on_end: Callable[[], object],
        longest: int = LONGEST,
    ) -> None:
        self._descriptor = descriptor
        self._on_line = on_line
        self._on_end = on_end
        self._longest = longest
        self._rest = bytearray()
        self._skipping = False
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="prefrontal-lines", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop and join the thread, without calling `on_end`."""
        os.write(self._stop_write, b"x")
        if self._thread.is_alive():
            self._thread.join(timeout=PATIENCE_S)
        if self._thread.is_alive():  # a callback does not return
            return
        os.close(self._stop_read)
        os.close(self._stop_write)

    def _run(self) -> None:
        waiting = select.poll()
        waiting.register(self._descriptor, select.POLLIN)
        waiting.register(self._stop_read, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in waiting.poll()}
            if self._stop_read in ready:
                return
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except OSError:  # the terminal is gone
                chunk = b""
            if not chunk:
                break
            self._take(chunk)
        if self._rest or self._skipping:
            self._give(bytes(self._rest))
        self._on_end()

    def _take(self, chunk: bytes) -> None:
        *ended, rest = (bytes(self._rest) + chunk).split(b"\n")
        self._rest.clear()
        for line in ended:
            self._give(line)
        if len(rest) > self._longest:
            self._skipping = True
            rest = b""
        self._rest += rest

    def _give(self, line: bytes) -> None:
        too_long = self._skipping or len(line) > self._longest
        self._skipping = False
        self._on_line(None if too_long else line.removesuffix(b"\r"))
