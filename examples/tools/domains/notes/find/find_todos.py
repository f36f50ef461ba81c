"""Find the TODO, FIXME and XXX notes that somebody left in the code: what is still left to do.

Example:
    run(path=".")
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTE = re.compile(r"(?:#|//|/\*|<!--|;|\s\*)\s*((?:TODO|FIXME|XXX)\b.*)")
MOST_BYTES = 1 << 20
MOST_FINDINGS = 50
MOST_CHARACTERS = 160


def run(path: str) -> dict[str, Any]:
    """Look into comments.

    Args:
        path: a file, or a folder with all that is in it.

    Returns:
        findings: file, line and text of each note.
    """
    findings = []
    for file in files_of(Path(path)):
        with file.open("rb") as data:
            text = data.read(MOST_BYTES).decode("utf-8", "replace")
        if "\0" in text:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            found = NOTE.search(line)
            if found:
                note = " ".join(found[1].split()).removesuffix("-->").removesuffix("*/").strip()
                findings.append(f"{file.name}:{number}: {note[:MOST_CHARACTERS]}")
    return {"findings": findings[:MOST_FINDINGS]}


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the files below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith(".") and not entry.is_symlink():
                yield from files_of(entry)
