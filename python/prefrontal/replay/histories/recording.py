"""A stream that is read twice but produced once: the first reader leaves a copy on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from tempfile import TemporaryFile
from typing import IO, Protocol
from weakref import finalize


class Readable(Protocol):
    """What can be read in chunks; an empty chunk is the end."""

    def read(self, size: int, /) -> bytes: ...


class Recording:
    """The output of a slow source, kept in an unnamed temporary file once it was read to its end.

    Without room for the copy, or when a reader stops early, the source is simply asked again.
    """

    def __init__(self, source: Callable[[], AbstractContextManager[IO[bytes]]]) -> None:
        self._source = source
        self._copy: IO[bytes] | None = None

    @contextmanager
    def open(self) -> Iterator[Readable]:
        """The stream from its start; any number of readers may each have their own."""
        if self._copy is not None:
            yield _RecordingReader(self._copy.fileno())
            return
        copy = TemporaryFile()  # noqa: SIM115 (kept open past this method)
        tee = _Tee(copy)
        try:
            with self._source() as tee.output:
                yield tee
            if tee.whole:
                copy.flush()
                self._copy = copy
                finalize(self, copy.close)
        finally:
            if self._copy is not copy:
                copy.close()


class _Tee:
    """Reads on, and writes what it read."""

    output: IO[bytes]

    def __init__(self, copy: IO[bytes]) -> None:
        self._copy = copy
        self._room = True
        self.whole = False  # whether the copy holds all there was

    def read(self, size: int, /) -> bytes:
        chunk = self.output.read(size)
        if self._room:
            try:
                self._copy.write(chunk)
            except OSError:  # a full disk costs time, not the replay
                self._room = False
        self.whole = self._room and not chunk
        return chunk


class _RecordingReader:
    """A position of its own in a file that others may read too."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._offset = 0

    def read(self, size: int, /) -> bytes:
        chunk = os.pread(self._descriptor, size, self._offset)
        self._offset += len(chunk)
        return chunk
