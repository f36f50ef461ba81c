"""What a runtime lets a command leave in its folder, and the launcher would not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID


class Leftovers:
    """Links, pipes, sockets, devices and setuid bits that were not in a folder before a run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = {(path, facts.st_ino) for path, facts in self._unwanted()}

    def remove(self) -> int:
        """Remove them, so that nobody who reads the folder is led astray; returns how many."""
        count = 0
        for path, facts in list(self._unwanted()):
            if (path, facts.st_ino) in self._before:
                continue
            with suppress(OSError):
                if _is_plain(facts.st_mode):
                    path.chmod(stat.S_IMODE(facts.st_mode) & ~_SPECIAL_BITS)
                else:
                    path.unlink()
                count += 1
        return count

    def _unwanted(self) -> Iterator[tuple[Path, os.stat_result]]:
        for folder, folders, names in os.walk(self._folder):
            for name in (*folders, *names):
                path = Path(folder, name)
                with suppress(OSError):
                    facts = path.lstat()
                    if not _is_plain(facts.st_mode) or facts.st_mode & _SPECIAL_BITS:
                        yield path, facts


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
