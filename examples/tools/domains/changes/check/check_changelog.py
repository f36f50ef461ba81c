"""Check that the changelog mentions a change to the source: whether its entry was forgotten.

Example:
    run(diff="--- a/src/x.py\\n+++ b/src/x.py\\n@@ -1 +1 @@\\n-one = 1\\n+one = 2\\n")
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

CHANGELOG = re.compile(r"(^|/)(changelog|changes|history|news|whatsnew|releases?)\b", re.IGNORECASE)
SOURCE = re.compile(r"\.(py|c|cc|cpp|h|hpp|rs|go|js|ts|java|rb)$")
NO_SOURCE = re.compile(
    r"(^|/)(tests?|testing|docs?|examples?|benchmarks?|scripts?|tools?)/|(^|/)test_"
)


def run(diff: str) -> dict[str, Any]:
    """Find out whether a change to the source comes without an entry in the changelog.

    Args:
        diff: the text of a unified diff, or the path of a file that holds it.

    Returns:
        findings: one sentence when the entry is missing.
    """
    names = re.findall(r"^(?:\+\+\+ b/|diff --git a/.* b/)(.*)$", text_of(diff), re.MULTILINE)
    files = sorted(set(names))
    changed = [name for name in files if SOURCE.search(name) and not NO_SOURCE.search(name)]
    if not changed or any(CHANGELOG.search(name) for name in files):
        return {"findings": []}
    more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
    named = ", ".join(changed[:3]) + more
    return {"findings": [f"no entry in the changelog for a change to {named}"]}


def text_of(given: str) -> str:
    """The text itself, or that of the file it names."""
    if "\n" in given or not given or len(given) > 1000 or not Path(given).is_file():
        return given
    return Path(given).read_text(encoding="utf-8", errors="replace")
