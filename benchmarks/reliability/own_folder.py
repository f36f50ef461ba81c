"""Folders of harnesses: what one leaves that was killed is removed by the next of its kind."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

NAME = "prefrontal-harness-"
_USUAL = Path(tempfile.gettempdir())


def make_own_folder(kind: str, beside: Path = _USUAL) -> Path:
    """A new folder for this process and its copies, who hold a lock on it until they have ended.

    What earlier processes left of the kind in `beside` goes before. For the caller to remove.
    """
    prefix = f"{NAME}{kind}-"
    sweep(prefix, beside)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=beside)).resolve()
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # somebody swept it before it was opened
            continue
        if _is_locked(handle) and folder.exists():  # else before it was locked
            os.set_inheritable(handle, True)  # this program may begin again in its place
            return folder
        os.close(handle)


def sweep(prefix: str, beside: Path) -> None:
    """Remove the folders of that prefix whose process is gone."""
    for folder in beside.glob(f"{prefix}*"):
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # somebody else removed it, or may read it
            continue
        try:
            if _is_locked(handle):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def _is_locked(handle: int) -> bool:
    """Whether the folder is ours now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
