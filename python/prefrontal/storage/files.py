"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import SourceError

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp", re.DOTALL)
_swept: set[Path] = set()


def write_atomic(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Replace the file at `path` by `content` (text as UTF-8) in one step.

    A reader sees the old file or the new one, after a power cut too. On any failure the old
    file stays and nothing new lies beside it. A link is followed; a new file gets the usual
    permissions, a replaced one keeps its own. Raises SourceError naming the path when the
    folder does not exist, cannot be written, is full, or `path` is no plain file.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        _replace(Path(path), data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceError(f"{os.fspath(path)} cannot be written: {reason}") from error


def _replace(path: Path, data: bytes) -> None:
    target = Path(os.path.realpath(path))
    mode = _replaceable_mode(target)
    if target.parent not in _swept:
        sweep(target.parent)
    with _temporary(target) as (temporary, file):
        file.write(data)
        file.flush()
        if mode is not None:
            temporary.chmod(mode)
        os.fsync(file.fileno())
        temporary.replace(target)
    _sync_folder(target.parent)


def check_writable(folder: Path) -> None:
    """Raises SourceError where files cannot be written to the folder, be it there or made first."""
    nearest = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    if not nearest.is_dir():
        raise SourceError(f"{folder} cannot be used as a folder: {nearest} is none")
    if not os.access(nearest, os.W_OK | os.X_OK):
        where = "there" if nearest == folder else f"in {nearest}"
        raise SourceError(f"{folder} cannot be written: you may not write {where}")


def sweep(folder: Path) -> None:
    """Remove what killed processes left of files that they were writing to the folder."""
    _swept.add(folder)
    left: list[Path] = []
    with suppress(OSError), os.scandir(folder) as entries:
        left += [Path(each.path) for each in entries if _TEMPORARY.fullmatch(each.name)]
    for path in left:
        with suppress(OSError), path.open("rb") as file:
            if _lock(file):  # else somebody writes it
                path.unlink()


@contextmanager
def _temporary(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file beside the target, locked while it is written; removed on any failure."""
    while True:
        path = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
        try:
            with path.open("xb") as file:
                if _lock(file) is not False and os.fstat(file.fileno()).st_nlink:
                    yield path, file
                    return
        except BaseException:  # an interrupt too must leave nothing behind
            with suppress(OSError):  # the first failure is the one to tell
                path.unlink()
            raise


def _lock(file: BinaryIO) -> bool | None:
    """Whether the file is ours now; None where the system has no locks."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _replaceable_mode(target: Path) -> int | None:
    """Permissions of the plain file that is there; None when nothing is. Raises OSError."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not target.exists():
        return None
    if not target.is_file():
        raise OSError(errno.EINVAL, "it is not a plain file")
    return target.stat().st_mode & 0o7777


def _sync_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut, where the system offers that."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network drives refuse
            raise
    finally:
        os.close(descriptor)
