"""One writer a ledger; the system frees the lock when the process ends."""

from __future__ import annotations

import time
from pathlib import Path

from ..errors import SourceError
from ..storage.lock_file import LockFile

_TRIES = 3
_BETWEEN_S = 0.02


class WriterLock:
    """Held from construction to `release`, or to the end of the process.

    path: of the ledger; the lock file has the suffix ".lock". Raises SourceError naming the process
    that holds the lock.
    """

    def __init__(self, path: Path) -> None:
        self._lock = LockFile(path.absolute().with_suffix(".lock"))
        try:
            _take(self._lock, path.absolute())
        except BaseException:
            self._lock.close()
            raise

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        self._lock.close()


def _take(lock: LockFile, path: Path) -> None:
    for tries_left in reversed(range(_TRIES)):
        if lock.take():
            return
        if tries_left:
            time.sleep(_BETWEEN_S)  # another process may just be testing the lock
    raise SourceError(
        f"{path} is in use by another prefrontal agent (process {lock.owner() or 'unknown'});"
        " --workspace takes another folder"
    )
