"""Reading a database with a write-ahead log where nothing can be written beside it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

from ..errors import SourceError

PLACES = (None, "/dev/shm")
"""Where copies may lie: the usual folder for such files, else memory."""
_LOGS = ("-wal", "-journal")
"""What the names of files end with that may hold changes which the database itself lacks."""


def pending_bytes(path: str) -> int:
    """The size of what may hold changes that the file itself lacks."""
    return sum(_size(f"{os.path.realpath(path)}{log}") for log in _LOGS)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0


def unchanging(path: str) -> str:
    """A URI by which SQLite reads the file alone and takes it that nobody writes."""
    return f"file:{quote(path)}?immutable=1"


def copied(path: str) -> tempfile.TemporaryDirectory[str]:
    """A folder of ours with a copy of the file and of its log, by the same names.

    Raises SourceError, which says what could not be read.
    """
    reason: object = "no folder takes one"
    for place in PLACES:
        folder = None
        try:
            folder = tempfile.TemporaryDirectory(prefix="prefrontal-", dir=place)
            _copy(path, Path(folder.name))
        except OSError as error:
            reason = error.strerror or error
            if folder is not None:
                folder.cleanup()
        else:
            return folder
    raise SourceError(
        f"{path} cannot be read: {pending_bytes(path):,} bytes of later changes wait beside it, its"
        f" folder cannot be written, and a copy elsewhere (TMPDIR) cannot be made: {reason}"
    )


def _copy(path: str, folder: Path) -> None:
    real, name = os.path.realpath(path), Path(path).name
    for log in ("", *_LOGS):
        if not log or _size(real + log):
            shutil.copyfile(real + log, folder / (name + log))
