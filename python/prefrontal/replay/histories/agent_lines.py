"""Session files of agents, line by line: whatever is broken is counted, never in the way."""

from __future__ import annotations

import codecs
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

LINE_LIMIT = 16 * 2**20
"""Bytes a line may hold; a longer one is skipped and counted, so that memory stays bounded."""

_BUFFER = 2**18
_UTF8_MARK = codecs.BOM_UTF8
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

Seen = Callable[[int], None]
"""Called with the number of bytes read since the last call."""


def session_entries(
    path: Path, counts: Counter[str], seen: Seen = lambda _: None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line that is a JSON object, with its number from 1.

    Counted are "lines" (not blank), "broken" (no JSON object), "long" (over LINE_LIMIT),
    "mended" (bytes that are not text became U+FFFD) and "growing" (a broken last line without an
    end: somebody is still writing). Read is what the file held when it was opened. A file with the
    mark of UTF-16 is read as such. Raises OSError when it cannot be read.
    """
    with path.open("rb", buffering=_BUFFER) as file:
        encoding = _UTF16.get(file.read(2), "")
        file.seek(0)
        lines = _utf16_lines(file, encoding) if encoding else _lines(file, counts, seen)
        for number, raw in enumerate(lines, start=1):
            line = raw.removeprefix(_UTF8_MARK) if number == 1 else raw
            if not line.strip():
                continue
            counts["lines"] += 1
            entry = line_entry(line, counts)
            if entry is not None:
                yield number, entry
            else:
                counts["broken" if raw.endswith(b"\n") else "growing"] += 1


def _lines(file: IO[bytes], counts: Counter[str], seen: Seen) -> Iterator[bytes]:
    """The lines up to the length the file has now; a line that is too long becomes an empty one."""
    left = file.seek(0, 2)
    file.seek(0)
    while left > 0 and (line := file.readline(min(LINE_LIMIT, left))):
        size = len(line)
        if size == LINE_LIMIT and not line.endswith(b"\n"):
            counts["long"] += 1
            while left > size and (more := file.readline(min(LINE_LIMIT, left - size))):
                size += len(more)
                if more.endswith(b"\n"):
                    break
            line = b""
        left -= size
        seen(size)
        yield line


def _utf16_lines(file: IO[bytes], encoding: str) -> Iterator[bytes]:
    """The lines of a UTF-16 file as UTF-8; one that is too long comes in broken parts."""
    text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="\n")
    try:
        text.read(1)  # the mark
        while line := text.readline(LINE_LIMIT // 4):
            yield line.encode("utf-8", "replace")
    finally:
        with suppress(ValueError):  # who stops in the middle has closed the file
            text.detach()


def line_entry(line: bytes, counts: Counter[str]) -> dict[str, Any] | None:
    """The JSON object of a line; None when it is not one. Bytes that are not text are "mended"."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        counts["mended"] += 1
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) is dict else None
