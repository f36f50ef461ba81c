"""One open file that others write to: the lines that are added to it."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO

from ...errors import InputError
from .event_lines import LineSplitter

_CHUNK = 2**11
"""Bytes whose lines are decided and stored at once; nobody else waits longer than for these."""
HEAD = 8_000
"""Bytes told of a line that is longer than any that is kept whole."""
_MARK = 256
"""Bytes before the place that was reached, by which it is known again."""

log = logging.getLogger("prefrontal.pulse")


class FollowedFile:
    """Begins at the file's start. Raises OSError when it cannot be opened or read, InputError for
    what is no regular file.

    It stays the same file when it is renamed. One that became shorter, or holds something else
    where it was read, is read anew. content, identity: of a file that was unpacked. is_ended:
    whether nobody writes to it any more.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        content: IO[bytes] | None = None,
        identity: list[int] | None = None,
    ) -> None:
        self._path = os.fspath(path)
        self._identity = identity
        self.is_ended = identity is not None
        if content is None:
            number = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            content = os.fdopen(number, "rb", buffering=0)
        self._file: IO[bytes] = content
        if not stat.S_ISREG(os.fstat(content.fileno()).st_mode):
            self._file.close()
            raise InputError(f"log file must be a regular file, got {self._path!r}")
        self.lines = LineSplitter(HEAD)
        self._offset = 0
        self._mark = self._marked(0)
        self._read_of = self._written()
        self._was_empty = not self.size

    @property
    def identity(self) -> list[int]:
        """Of the file itself, whatever its name."""
        if self._identity is not None:
            return self._identity
        facts = self._facts()
        return [facts.st_dev, facts.st_ino]

    @property
    def is_unpacked(self) -> bool:
        return self._identity is not None

    @property
    def size(self) -> int:
        """Bytes."""
        return self._facts().st_size

    @property
    def is_read(self) -> bool:
        """Whether all of it was read."""
        return self._offset == self.size

    @property
    def is_cut(self) -> bool:
        """Whether what was read last does not stand there any more."""
        return self.size < self._offset or self._mark != self._marked(self._offset)

    @property
    def may_be_cut(self) -> bool:
        """Whether nothing stood in it, and it was changed since: perhaps written to and cut."""
        return self._was_empty and not self._offset and self._written() != self._read_of

    @property
    def reached(self) -> dict[str, object]:
        """What was read last, for `continues`, whatever stands there now."""
        place = {"file": self.identity, "offset": self._offset, "mark": self._mark}
        return place | {"written": self._read_of}

    @property
    def end(self) -> dict[str, object]:
        """The place behind all that is in it."""
        size = self.size
        place = {"file": self.identity, "offset": size, "mark": self._marked(size)}
        return place | {"written": self._written()}

    @property
    def place(self) -> dict[str, object]:
        """Up to the last whole line, for `goes_on`: what waits for its end is read again.

        inside: there when it is inside a line that is too long, whose head was told of.
        """
        offset = self._offset - self.lines.waiting
        place = {"file": self.identity, "offset": offset, "mark": self._marked(offset)}
        inside = {"inside": True} if self.lines.is_skipping else {}
        return place | {"written": self._written()} | inside

    def goes_on(self, place: Mapping[str, object]) -> bool:
        """Go to the place; False, and nothing else, when it is of another file.

        A file's number alone may belong to a new one.
        """
        mark = place.get("mark", "")
        return place["file"] == self.identity and self._goes_to(place, mark in ("", None))

    def continues(self, place: Mapping[str, object]) -> bool:
        """As `goes_on`, of a file that was copied or packed: known by what stands before."""
        return place["offset"] != 0 and self._goes_to(place, known=False)

    def _goes_to(self, place: Mapping[str, object], known: bool) -> bool:
        """Whether it reaches the place and, unless it is `known`, the mark is there."""
        offset = place["offset"]
        if not isinstance(offset, int) or not 0 <= offset <= self.size:
            return False
        if not known and self._marked(offset) != place.get("mark"):
            return False
        self.go_to(offset, inside=bool(place.get("inside")))
        return True

    def go_to(self, offset: int, inside: bool = False) -> None:
        """inside: whether that is in a line that is too long, whose rest is left out."""
        self._file.seek(offset)
        self._offset = offset
        self._mark = self._marked(offset)
        self._read_of = self._written()
        self._was_empty = not offset and not self.size
        self.lines = LineSplitter(HEAD, skipping=inside)

    def added(self, limit: int) -> Iterator[list[bytes]]:
        """The whole lines that are new, some at a time, each time with the `place` after them.

        limit: bytes after which to stop.
        """
        if self.is_cut:
            log.info("%s was cut and is read anew", self._path)
            self.go_to(0)
        self._read_of = self._written()
        self._skip_hole()
        end = self._offset + limit
        while self._offset < end and (data := self._file.read(_CHUNK)):
            self._offset += len(data)
            self._mark = self._marked(self._offset)
            yield list(self.lines.feed(data))

    def close(self) -> None:
        self._file.close()

    def _skip_hole(self) -> None:
        """A writer that goes on at its old place after a cut leaves nothing before it."""
        if self.is_read or self.lines.waiting or not hasattr(os, "SEEK_DATA"):
            return
        try:
            offset = os.lseek(self._file.fileno(), self._offset, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:  # a drive that does not know its holes
                return
            offset = self.size
        if offset > self._offset:
            self.go_to(offset, self.lines.is_skipping)

    def _written(self) -> int:
        """When last, in ns; of what was packed, when the pack was."""
        if self._identity is None:
            return self._facts().st_mtime_ns
        with suppress(OSError):
            return Path(self._path).stat().st_mtime_ns
        return 0

    def _marked(self, offset: int) -> str:
        """Tells what stands before that place, without saying it."""
        begin = max(0, offset - _MARK)
        before = os.pread(self._file.fileno(), offset - begin, begin)
        return blake2b(before, digest_size=16).hexdigest()

    def _facts(self) -> os.stat_result:
        return os.fstat(self._file.fileno())
