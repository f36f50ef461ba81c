"""What a machine offers to watch, looked for within bounds."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..paths import is_utf8

DEPTH = 3
TIME_LIMIT_S = 3.0
MOST_REPOSITORIES = 5
MOST_LOGS = 3
SKIPPED = frozenset({
    "__pycache__", "anaconda3", "go", "Library", "miniconda3", "node_modules", "site-packages",
    "snap", "target", "third_party", "vendor", "venv",
})  # fmt: skip
"""Folders that hold tools, not a person's work."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found that can be watched, nearest and newest first.

    repositories: work trees of git. downloads: None where there is no such folder. logs: files
    that end in .log, in or just below the folder. openclaw: whether that agent lives here.
    """

    repositories: tuple[Path, ...] = ()
    downloads: Path | None = None
    logs: tuple[Path, ...] = ()
    openclaw: bool = False


def look_around(folder: Path, home: Path, time_limit_s: float = TIME_LIMIT_S) -> Findings:
    """Look at the folder and the home: a few folders deep, hidden ones left out."""
    deadline = time.monotonic() + time_limit_s
    own = [each for each in (folder, *folder.parents) if _is_repository(each)][:1]
    others = [each for each in _repositories([folder, home], deadline) if each not in own]
    others.sort(key=_last_used, reverse=True)
    downloads = home / "Downloads"
    return Findings(
        repositories=(*own, *others)[:MOST_REPOSITORIES],
        downloads=downloads if downloads.is_dir() and is_utf8(downloads) else None,
        logs=tuple(_logs(folder)),
        openclaw=(home / ".openclaw").is_dir(),
    )


def _repositories(roots: list[Path], deadline: float) -> Iterator[Path]:
    """Work trees under the roots, nearest first; what lies in one is left out."""
    seen: set[Path] = set()
    level = roots
    for _ in range(DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            if folder in seen or not is_utf8(folder) or time.monotonic() > deadline:
                continue
            seen.add(folder)
            if _is_repository(folder):
                yield folder
            else:
                below += [folder / name for name in _folders(folder)]
        level = below


def _is_repository(folder: Path) -> bool:
    return (folder / ".git").exists()


def _last_used(repository: Path) -> float:
    """When something was last staged, committed or checked out there."""
    try:
        return (repository / ".git" / "index").stat().st_mtime
    except OSError:
        return 0.0


def _folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in names if not name.startswith(".") and name not in SKIPPED)


def _logs(folder: Path) -> list[Path]:
    paths: list[Path] = []
    for place in (folder, folder / "log", folder / "logs"):
        try:
            paths += sorted(
                each for each in place.glob("*.log") if each.is_file() and is_utf8(each)
            )
        except OSError:
            continue
    return paths[:MOST_LOGS]
