"""Writes texts to a file descriptor, each in one piece."""

from __future__ import annotations

import errno
import os
import sys
from threading import Lock

from ...errors import PrefrontalError


class Writer:
    """Writes to a descriptor (None: standard output) from any thread. failed: a write failed."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = descriptor
        self._lock = Lock()
        self.failed = False

    def write(self, text: str) -> None:
        """Write all of a text. Raises PrefrontalError when the output is closed."""
        left = memoryview(text.encode("utf-8", "replace"))
        try:
            descriptor = _standard_output() if self._descriptor is None else self._descriptor
            with self._lock:
                while left:
                    left = left[os.write(descriptor, left) :]
        except OSError as error:
            self.failed = True
            raise PrefrontalError(f"output cannot be written: {error.strerror}") from None


def _standard_output() -> int:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return sys.stdout.fileno()
