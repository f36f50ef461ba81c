"""Print the git repository with the longest history under the home folder and the current one.

The search is bounded: four folders deep, hidden folders and caches left out (they hold tools, not
a person's work), at most 4 seconds. Without any other, it prints this very repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

DEPTH = 4
TIME_LIMIT_S = 4.0
COUNTED = 20_000
"""Changes that are counted of one history; a longer one is none the better for a look at it."""

SKIPPED = frozenset({
    "__pycache__", "anaconda3", "go", "Library", "miniconda3", "node_modules", "site-packages",
    "snap", "target", "third_party", "vendor", "venv",
})  # fmt: skip


class History(NamedTuple):
    """A work tree and how many changes led to its HEAD, a merge being one; at most COUNTED."""

    path: Path
    changes: int


def histories(
    roots: Iterable[Path],
    time_limit_s: float = TIME_LIMIT_S,
    step: Callable[[History], None] = lambda _: None,
) -> list[History]:
    """What was found in the time, the longest first, among equals by path; step sees each come."""
    deadline = time.monotonic() + time_limit_s
    every = []
    for path in repositories(roots, deadline):
        history = History(path, changes(path, deadline))
        if history.changes:
            every.append(history)
            step(history)
    return sorted(every, key=lambda history: (-history.changes, history.path))


def longest(roots: Iterable[Path], otherwise: Path, time_limit_s: float = TIME_LIMIT_S) -> Path:
    """The repository with the most changes; among equals the first by path."""
    return next((history.path for history in histories(roots, time_limit_s)), otherwise)


def repositories(roots: Iterable[Path], deadline: float) -> Iterator[Path]:
    """Work trees under the roots, nearest first; links are not followed."""
    seen: set[Path] = set()
    level = [root.resolve() for root in roots]
    for _ in range(DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            if folder in seen or time.monotonic() > deadline:
                continue
            seen.add(folder)
            names = _folders(folder)
            if ".git" in names or (folder / ".git").is_file():
                yield folder
            below += [folder / name for name in names if _worth_a_look(name)]
        level = below


def changes(repository: Path, deadline: float) -> int:
    """How many changes led to HEAD; 0 when git cannot tell (in time), or is not there."""
    options = ("--first-parent", "--count", f"--max-count={COUNTED}")
    command = ["git", "-C", str(repository), "rev-list", *options, "HEAD", "--"]
    left_s = max(deadline - time.monotonic(), 0.1)
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=left_s
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    return int(answer)


def _folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _worth_a_look(name: str) -> bool:
    return not name.startswith(".") and name not in SKIPPED


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent
    sys.stdout.write(f"{longest([Path.home(), Path.cwd()], otherwise=here)}\n")
