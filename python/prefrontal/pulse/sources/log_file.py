"""New lines of a log file as signals, through rotation."""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ...clock import Clock, SystemClock
from ...errors import InputError
from ...storage.files import write_atomic
from ...types import SignalEvent
from .event_lines import LineSplitter
from .polling import Poller
from .running import Outlet, Push

TEXT_LIMIT = 2_000
"""Characters of a line that are handed on."""
READ_LIMIT = 8 * 2**20
"""Bytes read in one look; the rest comes with the next."""

log = logging.getLogger("prefrontal.pulse")
_CHUNK = 2**16


class LogFileSource:
    """Follows one file and tells of each line that is added to it, looking every `interval_s`.

    An event has the source "log", the file's path as location, "line" as delta type and the feature
    `text`, the line (at most 2,000 characters). Rotation is followed both ways: a file that was
    renamed is read to its end before the new one of its name is begun at its start, and a file that
    became shorter is read anew. What was there at the first start is no event. A file that does not
    exist yet is waited for, and then read from its start.

    state_path: keeps how far was read, so that the next start goes on there; lines of a file that
    was rotated away meanwhile are lost. A line without its end waits for it. Blank lines are left
    out, and lines over 1 MiB counted. Raises InputError for a path that is a folder.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        interval_s: float = 1.0,
        *,
        state_path: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._path = Path(path).expanduser().absolute()
        if self._path.is_dir():
            raise InputError(f"log file must be a file, got the folder {str(path)!r}")
        self._state_path = None if state_path is None else Path(state_path).expanduser()
        self._clock = SystemClock() if clock is None else clock
        self._file: IO[bytes] | None = None
        self._lines = LineSplitter()
        self._offset = 0
        self._begun = False
        self._saved = ""
        self._told = 0
        self._too_long = 0
        self._poller = Poller(f"prefrontal-log {self._path}"[:200], interval_s, self._ask)

    def start(self, push: Push) -> None:
        """Begin: what is there now is no event, unless the kept state knows an earlier place."""
        self._begin()
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)
        if self._file is not None:
            self._file.close()
            self._file = None
        self._begun = False

    def status(self) -> dict[str, object]:
        """file, lines told of, lines too long, and what went wrong."""
        told = {"file": str(self._path), "lines": self._told, "too_long": self._too_long}
        return told | self._poller.status()

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        kept = self._kept()
        if not self._open():
            return
        known = kept is not None and kept[0] == self._identity() and kept[1] <= self._size()
        self._go_to(kept[1] if kept is not None and known else 0 if kept else self._size())

    def _ask(self, outlet: Outlet) -> None:
        self._begin()
        if self._file is None and not self._open():
            return
        for event in self._news():
            outlet(event)
        self._save()

    def _news(self) -> Iterator[SignalEvent]:
        yield from self._added()
        if self._offset == self._size() and self._replaced():
            yield from self._close_line()
            if self._open():
                yield from self._added()

    def _added(self) -> Iterator[SignalEvent]:
        assert self._file is not None
        if self._size() < self._offset:
            log.info("%s became shorter and is read anew", self._path)
            self._go_to(0)
        end = self._offset + READ_LIMIT
        while self._offset < end and (data := self._file.read(_CHUNK)):
            self._offset += len(data)
            yield from self._events(self._lines.feed(data))

    def _close_line(self) -> Iterator[SignalEvent]:
        """The last line of a file that nobody writes to any more needs no end."""
        yield from self._events(self._lines.end())

    def _events(self, lines: Iterator[bytes]) -> Iterator[SignalEvent]:
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip("\r")[:TEXT_LIMIT]
            self._told += 1
            yield SignalEvent(
                "log", str(self._path), "line", 1.0, self._clock.now(), {"text": text}
            )
        self._too_long += self._lines.too_long
        self._lines.too_long = 0

    def _open(self) -> bool:
        """Open the file that now has the name, at its start; whether there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None
        try:
            found = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        file = os.fdopen(found, "rb", buffering=0)
        if not stat.S_ISREG(os.fstat(found).st_mode):
            file.close()
            raise InputError(f"log file must be a regular file, got {str(self._path)!r}")
        self._file = file
        self._go_to(0)
        return True

    def _go_to(self, offset: int) -> None:
        assert self._file is not None
        self._file.seek(offset)
        self._offset = offset
        self._lines = LineSplitter()

    def _replaced(self) -> bool:
        """Whether the name belongs to another file by now."""
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return False  # between the two halves of a rotation
        return [there.st_dev, there.st_ino] != self._identity()

    def _identity(self) -> list[int]:
        assert self._file is not None
        found = os.fstat(self._file.fileno())
        return [found.st_dev, found.st_ino]

    def _size(self) -> int:
        assert self._file is not None
        return os.fstat(self._file.fileno()).st_size

    def _kept(self) -> tuple[list[int], int] | None:
        if self._state_path is None:
            return None
        try:
            kept = json.loads(self._state_path.read_bytes())
            return [int(part) for part in kept["file"]], int(kept["offset"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.error("How far %s was read is not known any more: %r", self._path, error)
            return None

    def _save(self) -> None:
        """Up to the last whole line: what waits for its end is read again."""
        if self._state_path is None or self._file is None:
            return
        offset = self._offset - self._lines.waiting
        place = json.dumps({"file": self._identity(), "offset": offset})
        if place != self._saved:
            write_atomic(self._state_path, place)
            self._saved = place
