"""Check the relative links of Markdown pages and docs: broken links to a file or a heading.

Example:
    run(path=".")
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

LINK = re.compile(
    r"\[[^\]\n]*\]\(\s*<?([^)<>\s]+)>?(?:\s+[\"'][^)]*)?\)|^\[[^\]]+\]:\s*(\S+)", re.M
)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/", re.IGNORECASE)
MOST_BYTES = 1 << 20
MOST_FINDINGS = 50


def run(path: str) -> dict[str, Any]:
    """Follow every link that leads to a file beside the page.

    Args:
        path: a Markdown file, or a folder of them.

    Returns:
        findings: page, line and target of each broken link.
    """
    findings = [said for page in pages_of(Path(path)) for said in broken(page)]
    return {"findings": findings[:MOST_FINDINGS]}


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), read(page))
    text = re.sub(r"`[^`\n]*`", lambda found: " " * len(found[0]), text)
    for found in LINK.finditer(text):
        link = found[1] or found[2]
        if ELSEWHERE.match(link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = page.parent / name if name else page
        line = text.count("\n", 0, found.start()) + 1
        if not target.exists():
            yield f"{page.name}:{line}: {link} does not exist"
        elif anchor and target.suffix == ".md" and anchor.lower() not in anchors(target):
            yield f"{page.name}:{line}: {link} names no heading"


def anchors(page: Path) -> set[str]:
    """The names by which the headings of a page are linked to."""
    names: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", read(page))):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        unique = name
        while unique in names:
            number += 1
            unique = f"{name}-{number}"
        names.add(unique)
    return names | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", read(page).lower()))


def read(page: Path) -> str:
    """The beginning of the page."""
    with page.open("rb") as file:
        return file.read(MOST_BYTES).decode("utf-8", "replace")


def pages_of(path: Path) -> Iterator[Path]:
    """The file, or the pages below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir() or entry.suffix.lower() == ".md":
                yield from pages_of(entry)
