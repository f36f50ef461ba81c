"""A file that one holder at a time has to itself; the system frees it when the process ends."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import SourceError

_POLL_S = 0.002


class LockFile:
    """The open file; it stays when it is closed, which releases it.

    path: made when it is missing, in a folder that exists. Every method raises SourceError naming
    the path when the disk fails.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._file = os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=0)
        except (OSError, ValueError) as error:  # ValueError: a null character in the name
            raise _fault(path, "opened", error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release it; a second call does nothing."""
        self._file.close()

    def take(self) -> bool:
        """Whether it is ours now; then it says of which process it is."""
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            raise _fault(self._path, "locked", error) from None
        try:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(b"%d\n" % os.getpid())
        except OSError as error:
            fcntl.flock(self._file, fcntl.LOCK_UN)
            raise _fault(self._path, "written", error) from None
        return True

    def wait(self) -> None:
        """Wait until it is ours."""
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError as error:
            raise _fault(self._path, "locked", error) from None

    def owner(self) -> int | None:
        """The process that took it last, by what it wrote; None where that cannot be read."""
        return lock_owner(self._path)


def lock_owner(path: Path) -> int | None:
    """The process that took the lock last; None where none did."""
    try:
        text = path.read_bytes()[:20].strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def holder(path: Path) -> str | None:
    """Who has it now: the number that it holds, or "unknown"; None when nobody has, and where it
    may not be looked at. Writes nothing.
    """
    import fcntl

    try:
        file = path.open("rb")
    except OSError:
        return None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            owner = file.read(20).decode(errors="replace").strip()
            return owner if owner.isdecimal() else "unknown"
    return None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """While inside, nobody else is; waits for its turn. Makes the folder. Raises SourceError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _fault(path, "opened", error) from None
    with LockFile(path) as lock:
        lock.wait()
        yield


@contextmanager
def in_turn(path: Path, patience_s: float) -> Iterator[None]:
    """As `locked`, but goes on alone after `patience_s`, and where the disk fails."""
    with ExitStack() as held:
        with suppress(SourceError):
            lock = held.enter_context(LockFile(path))
            end = time.monotonic() + patience_s
            while not lock.take() and time.monotonic() < end:
                time.sleep(_POLL_S)
        yield


def _fault(path: Path, act: str, error: OSError | ValueError) -> SourceError:
    reason = getattr(error, "strerror", None) or error
    return SourceError(f"{path} cannot be {act}: {reason}")
