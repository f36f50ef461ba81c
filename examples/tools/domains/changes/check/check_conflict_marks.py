"""Check for merge conflict marks: the markers that an unfinished merge left in files.

Example:
    run(path=".")
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARK = re.compile(rb"^(<{7}|>{7}|\|{7})(?: |$)")
MOST_BYTES = 1 << 20
MOST_FINDINGS = 50


def run(path: str) -> dict[str, Any]:
    """Look for conflict marks.

    Args:
        path: a file, or a folder with all that is in it.

    Returns:
        findings: file and line of each mark.
    """
    findings = []
    for file in files_of(Path(path)):
        with file.open("rb") as lines:
            for number, line in enumerate(lines.read(MOST_BYTES).split(b"\n"), start=1):
                found = MARK.match(line)
                if found:
                    findings.append(f"{file.name}:{number}: {found[1].decode()}")
    return {"findings": findings[:MOST_FINDINGS]}


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the files below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith(".") and not entry.is_symlink():
                yield from files_of(entry)
