"""Where a writer says what is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self


class Voice:
    """Appends what is said to a file, a line at a time, in one write each; it is a `Say`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1

    def __call__(self, line: str) -> int:
        return os.write(self._file, f"{line}\n".encode())

    def __enter__(self) -> Self:
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
