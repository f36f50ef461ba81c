"""The log lines of all plugins, stored and shown."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from ..plain_text import one_line
from ..redaction import redact

CAPACITY = 10_000
LONGEST = 1 << 16
"""Characters stored of a line."""
LEVELS = ("debug", "info", "warn", "error", "off")
Line = tuple[str, str, str]
"""Level, plugin id, message."""
_COLOURS = {"debug": "2", "info": "0", "warn": "33", "error": "31"}


class LogLines:
    """The newest lines, without secrets."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._kept: deque[Line] = deque(maxlen=capacity)

    @property
    def kept(self) -> list[Line]:
        return list(self._kept)

    def add(self, level: str, plugin_id: str, message: str, extra: Mapping[str, Any]) -> Line:
        """Store a line, with `extra` as key=value behind the message."""
        text = " ".join([message, *(f"{key}={value}" for key, value in extra.items())])
        line = (level, plugin_id, redact(text)[:LONGEST])
        self._kept.append(line)
        return line


def show(line: Line, stream: TextIO | None) -> None:
    """Write `[I] [source      ] message`; in colour on a terminal unless NO_COLOR is set.

    Ignores a stream that is closed or whose disk is full.
    """
    if stream is None:
        return
    level, source, message = line
    text = f"[{level[:1].upper()}] [{source:<12.12}] {one_line(message)}"
    with suppress(OSError, ValueError):
        if stream.isatty() and not os.environ.get("NO_COLOR"):
            text = f"\x1b[{_COLOURS.get(level, '0')}m{text}\x1b[0m"
        stream.write(f"{text}\n")
        stream.flush()
