"""Deletes a folder of any depth."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: Path) -> None:
    """Delete the folder and everything in it; links go as links. Raises OSError.

    Goes down and up one folder at a time, so neither the recursion limit nor the longest path nor
    the number of open files stops it.
    """
    here = os.open(path, _FOLDER)
    try:
        levels = [(_identity(here), _emptied(here))]
        while levels:
            folders = levels[-1][1]
            if folders:
                here = _moved(here, folders[-1])
                levels.append((_identity(here), _emptied(here)))
                continue
            levels.pop()
            if levels:
                here = _moved(here, "..")
                identity, folders = levels[-1]
                if _identity(here) != identity:
                    raise OSError(0, "somebody moves its folders")
                os.rmdir(folders.pop(), dir_fd=here)
    finally:
        os.close(here)
    path.rmdir()


def _moved(here: int, name: str) -> int:
    """The folder of that name, opened in place of `here`."""
    there = os.open(name, _FOLDER, dir_fd=here)
    os.close(here)
    return there


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


def _emptied(folder: int) -> list[str]:
    """The folders in it; everything else was deleted."""
    folders = []
    with os.scandir(folder) as listing:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing]
    for name, is_folder in entries:
        if is_folder:
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders
