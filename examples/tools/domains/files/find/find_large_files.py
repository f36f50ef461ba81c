"""Find large files: the biggest ones, too big for a repository.

Example:
    run(folder=".")
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_FINDINGS = 50


def run(folder: str, most_kb: int = 500) -> dict[str, Any]:
    """Look at the size of each file.

    Args:
        folder: a folder, or one file.
        most_kb: a file of more kilobytes (1,000 bytes each) is reported.

    Returns:
        findings: size and place of each, the largest first.
    """
    start = Path(folder)
    large = []
    for file in files_of(start):
        size = file.stat().st_size
        if size > most_kb * 1000:
            place = file.relative_to(start).as_posix() if start.is_dir() else file.name
            large.append((size, place))
    large.sort(key=lambda one: (-one[0], one[1]))
    return {
        "findings": [f"{size / 1000:,.0f} kB: {place}" for size, place in large[:MOST_FINDINGS]]
    }


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the files below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith(".") and not entry.is_symlink():
                yield from files_of(entry)
