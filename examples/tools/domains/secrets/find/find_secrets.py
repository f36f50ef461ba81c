"""Find passwords, API keys, tokens and other secrets that somebody left in files of the repository.

Example:
    run(path=".")
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KINDS = {
    "a private key": r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----",
    "a token of GitHub": r"\bgh[oprsu]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}",
    "a token of GitLab": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "a token of Slack": r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}",
    "a key of AWS": r"\bAKIA[0-9A-Z]{16}\b",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a password in an address": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"{}$]+:[^\s/@'\"{}$]{6,}@",
    "a password": r"(?i)\b(?:password|passwd|secret|api_?key|auth_?token)\b[\"']?\s*[:=]\s*"
    r"[\"'](?![\"'{$<%*x])[^\"'\s]{8,}[\"']",
}
PATTERNS = [(kind, re.compile(pattern)) for kind, pattern in KINDS.items()]
MOST_BYTES = 1 << 20
MOST_FINDINGS = 50


def run(path: str) -> dict[str, Any]:
    """Look for what has the form of a secret; the secret itself is not told.

    Args:
        path: a file, or a folder with all that is in it.

    Returns:
        findings: file, line and kind of each.
    """
    findings = []
    for file in files_of(Path(path)):
        with file.open("rb") as data:
            text = data.read(MOST_BYTES).decode("utf-8", "replace")
        if "\0" in text:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            kind = next((kind for kind, pattern in PATTERNS if pattern.search(line[:2000])), None)
            if kind is not None:
                findings.append(f"{file.name}:{number}: {kind}")
    return {"findings": findings[:MOST_FINDINGS]}


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the files below the folder in their order; no .git, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if entry.name != ".git" and not entry.is_symlink():
                yield from files_of(entry)
