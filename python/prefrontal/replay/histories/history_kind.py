"""What somebody names without saying what it is: a repository, or what an agent kept."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ...errors import InputError, SourceError
from ...home_folder import expanded
from .agent_files import find_sessions

_OF_A_TOOL = ("agents", "sessions", "projects")
"""Folders in which OpenClaw and Claude Code keep sessions, below their home."""


def top_level(path: str | Path = ".") -> Path | None:
    """The top folder of the repository that holds `path`; None when there is none.

    Found as git finds it, by a `.git` in the folder or above it, or by what a bare repository
    holds; git itself is not asked, so it need not be installed.
    """
    try:
        folder = expanded(path).resolve()
    except (OSError, ValueError, SourceError):  # a folder that was deleted, or no home
        return None
    return next((each for each in (folder, *folder.parents) if _is_repository(each)), None)


def is_of_git(path: str | Path) -> bool:
    """Whether the history at `path` is git's: a folder in a repository without kept sessions.

    The top folder of a repository counts as a tool's home only when it is laid out as one, so a
    project that has session files somewhere (as test data) is a project.
    """
    top = top_level(path)
    folder = expanded(path)
    if top is None or not folder.is_dir():
        return False
    if folder.resolve() != top:
        return not holds_sessions(folder)
    return not any(holds_sessions(folder / name) for name in _OF_A_TOOL)


def _is_repository(folder: Path) -> bool:
    bare = all(os.path.exists(folder / name) for name in ("HEAD", "objects", "refs"))  # noqa: PTH110
    return bare or os.path.exists(folder / ".git")  # noqa: PTH110 (a no, too, where not allowed)


def holds_sessions(folder: Path) -> bool:
    """Whether OpenClaw or Claude Code kept sessions there: in the folder, or in the file."""
    with suppress(InputError):
        return bool(find_sessions(folder).files)
    return False
