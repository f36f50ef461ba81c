"""Reads regular files and nothing else: a pipe would never end, nor would a device."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def regular_bytes(path: Path, most: int = 1 << 30) -> bytes:
    """The bytes of a regular file. Raises OSError, also when it is none or has more than `most`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a regular file")
        data = file.read(most + 1) if status.st_size <= most else b""
    if max(status.st_size, len(data)) > most:
        raise OSError(f"it must have at most {most} bytes, got more")
    return data
