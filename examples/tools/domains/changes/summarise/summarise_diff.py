"""Summarise a diff: what changed in a commit, which files it touches, how many lines it adds and
removes.

Example:
    run(diff="--- a/x.py\\n+++ b/x.py\\n@@ -1 +1 @@\\n-one = 1\\n+one = 2\\n")
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MOST_NAMED = 5


def run(diff: str) -> dict[str, Any]:
    """Summarise the changes.

    Args:
        diff: the text of a unified diff, or the path of a file that holds it.

    Returns:
        summary: one sentence.
        files: for each file its name, and how many lines were added and removed.
    """
    files: dict[str, list[int]] = {}
    counts = [0, 0]
    for line in text_of(diff).splitlines():
        header = re.match(r"diff --git a/.* b/(.*)|\+\+\+ b/(.*)", line)
        if header:
            counts = files.setdefault(header[1] or header[2], [0, 0])
        elif line.startswith(("+++ ", "--- ")):
            continue
        elif line[:1] in ("+", "-"):
            counts[line[0] == "-"] += 1
    ordered = sorted(files.items(), key=lambda one: (-sum(one[1]), one[0]))
    told = [{"file": name, "added": more, "removed": less} for name, (more, less) in ordered]
    return {"summary": sentence(told), "files": told} if told else {}


def sentence(told: Sequence[Mapping[str, Any]]) -> str:
    """What changed, the largest change first."""
    added = sum(one["added"] for one in told)
    removed = sum(one["removed"] for one in told)
    names = [str(one["file"]) for one in told[:MOST_NAMED]]
    more = f" and {len(told) - len(names)} more" if len(told) > len(names) else ""
    count = "1 file" if len(told) == 1 else f"{len(told)} files"
    return f"{count}, +{added} -{removed}: {', '.join(names)}{more}"


def text_of(given: str) -> str:
    """The text itself, or that of the file it names."""
    if "\n" in given or not given or len(given) > 1000 or not Path(given).is_file():
        return given
    return Path(given).read_text(encoding="utf-8", errors="replace")
