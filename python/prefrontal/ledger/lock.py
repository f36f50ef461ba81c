"""A lock file that allows one writer a ledger; the system frees it when the process ends."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO, NoReturn

from ..errors import SourceError

_TRIES = 3
_BETWEEN_S = 0.02


class WriterLock:
    """Held from construction to `release`, or to the end of the process.

    path: of the ledger; the lock file has the suffix ".lock". Raises SourceError naming the process
    that holds the lock.
    """

    def __init__(self, path: Path) -> None:
        self._file = _open(path.absolute())
        try:
            _take(self._file, path)
        except BaseException:
            self._file.close()
            raise

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        self._file.close()


def _open(path: Path) -> BinaryIO:
    path = path.parent / f"{path.stem}.lock"
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{path} cannot be opened: {reason}") from None


def _take(file: BinaryIO, path: Path) -> None:
    import fcntl

    for tries_left in reversed(range(_TRIES)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if not tries_left:
                _refuse(file, path)
            time.sleep(_BETWEEN_S)  # another process may just be testing the lock
    file.truncate(0)
    file.write(b"%d\n" % os.getpid())


def _refuse(file: BinaryIO, path: Path) -> NoReturn:
    owner = file.read(20).decode(errors="replace").strip() or "unknown"
    raise SourceError(
        f"{path} is in use by another prefrontal agent (process {owner});"
        " --workspace takes another folder"
    )
