"""Escalations as lines of JSON."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from threading import Lock
from typing import IO, TYPE_CHECKING

from ...errors import InputError
from .outcome import DeliveryOutcome, Shape, as_line, checked_shape

if TYPE_CHECKING:
    from ...decisions.decision import Decision


class LinesSink:
    """One line of JSON for each escalation, on an open text stream. shape: as of `as_line`."""

    def __init__(self, stream: IO[str], *, close: bool = False, shape: Shape = "v2") -> None:
        self._shape = checked_shape(shape)
        self._stream = stream
        self._close = close
        self._lock = Lock()

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        line = as_line(decision, self._shape) + "\n"
        try:
            with self._lock:
                self._stream.write(line)
                self._stream.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            return DeliveryOutcome(False, f"cannot be written: {error}", down_for_s=0.0)
        return DeliveryOutcome(True, "written")

    def close(self) -> None:
        """Close the stream, where this sink was told to own it."""
        if self._close:
            with self._lock, suppress(OSError):
                self._stream.close()


class LinesFileSink:
    """The same, added to a file; one that was rotated away or deleted is begun anew.

    A line that broke off, on a full disk or in a kill, is ended before the next one. synced: a
    line counts as written once it survives a power cut. Raises InputError when the file cannot be
    written.
    """

    def __init__(
        self, path: str | os.PathLike[str], shape: Shape = "v2", *, synced: bool = False
    ) -> None:
        self._synced = synced
        self._shape = checked_shape(shape)
        self._path = os.fspath(path)
        self._lock = Lock()
        self._closed = False
        try:
            self._file: int | None = self._opened()
        except OSError as error:
            raise InputError(f"{self._path} cannot be written: {error.strerror}") from None

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        line = as_line(decision, self._shape).encode() + b"\n"
        with self._lock:
            if self._closed:
                return DeliveryOutcome(False, "cannot be written: closed")
            try:
                self._add(line)
            except OSError as error:
                self._let_go()
                detail = f"cannot be written: {error.strerror or error}"
                return DeliveryOutcome(False, detail, down_for_s=0.0)
        return DeliveryOutcome(True, "written")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _add(self, line: bytes) -> None:
        if self._file is not None and not self._is_there(self._file):
            self._let_go()
        if self._file is None:
            self._file = self._opened()
        while line:
            line = line[os.write(self._file, line) :]
        if self._synced and stat.S_ISREG(os.fstat(self._file).st_mode):
            os.fsync(self._file)

    def _is_there(self, file: int) -> bool:
        """Whether the name still belongs to the file that is open."""
        with suppress(FileNotFoundError):
            return os.path.samestat(os.stat(self._path), os.fstat(file))  # noqa: PTH116
        return False

    def _opened(self) -> int:
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            if self._breaks_off(file):
                os.write(file, b"\n")
        except BaseException:
            os.close(file)
            raise
        return file

    def _breaks_off(self, file: int) -> bool:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
            return False
        with open(self._path, "rb") as stream:  # noqa: PTH123
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) != b"\n"

    def _let_go(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)
