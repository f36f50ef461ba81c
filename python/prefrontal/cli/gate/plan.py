"""What a call found in place, so that the next one sees for little that nothing is new."""

from __future__ import annotations

import os
import time
from zlib import crc32

from .cache import CallFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

VERSION = "2"
_HEAD = 5
_NONE = "none"


class GatePlan:
    """Signs of files and folders, and the time at which to look in any case.

    Nothing is new while each sign is as it was and that time has not come, and, while a watch runs,
    as long as it owes nothing. Signs are taken before the sources are read: what comes meanwhile is
    news for the next call.
    """

    __slots__ = ("_file", "_own", "_settings", "_signs")

    def __init__(self, key: str) -> None:
        self._file = CallFile(key, "plan")
        self._own = self._settings = ""
        self._signs: list[str] = []

    def nothing_new(self) -> bool:
        """Whether all that is there now was there at the last call."""
        fields = self._file.read()
        if fields is None or fields[:2] != [VERSION, _release()] or len(fields) % 3 != _HEAD % 3:
            return False
        due, own, settings = fields[2:_HEAD]
        if is_held(own):
            from .beside import nothing_owed

            return nothing_owed(own, settings)
        if time.time() >= float(due):
            return False
        return all(
            _sign(kind, path, own) == before
            for kind, path, before in zip(*(fields[_HEAD + i :: 3] for i in range(3)), strict=True)
        )

    def state_before(self) -> str | None:
        """The state folder of the last call; None where it could not keep a plan."""
        fields = self._file.read()
        return fields[3] if fields is not None and len(fields) >= _HEAD else None

    def look(
        self, files: Iterable[str], trees: Iterable[str], own: str, settings: str = ""
    ) -> None:
        """Take the signs of files and of all that lies below folders, but for the folder `own`.

        settings: the file that says what to look at.
        """
        self._own, self._settings, self._signs = own, settings, []
        for kind, paths in (("file", files), ("tree", trees)):
            for path in dict.fromkeys(paths):
                self._signs += [kind, path, _sign(kind, path, own)]

    def keep(self, due: float) -> None:
        """Let the next call go by what was seen, until Unix second `due`."""
        head = [VERSION, _release(), repr(due), self._own, self._settings]
        self._file.write([*head, *self._signs])

    def forget(self) -> None:
        """The next call has to look at everything."""
        self._file.forget()


def is_held(state: str) -> bool:
    """Whether a watch or a run uses the state folder."""
    import fcntl

    try:
        lock = os.open(os.path.join(state, "watch.lock"), os.O_RDONLY)  # noqa: PTH118
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _sign(kind: str, path: str, own: str) -> str:
    return _of_tree(path, own) if kind == "tree" else _of_file(path)


def _of_file(path: str) -> str:
    try:
        stat = os.stat(path)  # noqa: PTH116 - pathlib costs more than the answer
    except (OSError, ValueError):
        return _NONE
    return f"{stat.st_mtime_ns} {stat.st_size} {stat.st_ino}"


def _of_tree(root: str, own: str) -> str:
    """Another one once a file below came, went or changed whose name may be a signal."""
    from ...pulse.sources.files.file_names import NameRules

    ignores, total, count = NameRules().ignores, 0, 0
    pending = [root]
    while pending:
        folder = pending.pop()
        files, folders = _listed(folder, ignores)
        for line in files:
            total = (total + crc32(line.encode("utf-8", "surrogateescape"))) % 2**64
        count += len(files)
        pending += [each for each in folders if each != own]
    return f"{count} {total:x}"


def _listed(folder: str, ignores: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """A line for each file, and the folders."""
    files, folders = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if ignores(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    continue
                try:
                    stat = entry.stat()
                except OSError:
                    continue
                files.append(f"{entry.path}\0{stat.st_mtime_ns} {stat.st_size} {stat.st_ino}")
    except OSError:
        return [f"{folder}\0{_NONE}"], []
    return files, folders


def _release() -> str:
    """Of the code that wrote the plan."""
    return _of_file(__file__)
