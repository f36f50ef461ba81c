"""Splits the project's texts into passages: docstrings, docs/, ADRs/, READMEs of domains.

docs/ and ADRs/ lie beside workflows_root or in it; does not follow links.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...plural import many
from ..layout import Layout, is_slug
from ..types import Finding, Tool

FOLDERS = ("docs", "ADRs")
SUFFIXES = (".md", ".rst", ".txt")
MOST_BYTES = 1 << 20
MOST_FILES = 2000


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text. line: its first, from 1. domain, action: of the folder it lies in."""

    path: Path
    line: int
    text: str
    domain: str | None = None
    action: str | None = None


def passages(layout: Layout, tools: Iterable[Tool]) -> tuple[list[Passage], list[Finding]]:
    """Every passage, in a reproducible order, and findings about skipped files."""
    result = [
        Passage(tool.spec.path, 1, f"{tool.name}. {tool.spec.doc}", tool.domain, tool.action)
        for tool in tools
        if tool.spec.doc
    ]
    findings: list[Finding] = []
    files = [*_documents(layout), *_readmes(layout)]
    for path, domain, action in files[:MOST_FILES]:
        try:
            text = _text(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            findings.append(Finding(path, 0, f"file cannot be read: {reason}"))
            continue
        result += [Passage(path, line, part, domain, action) for line, part in _parts(text)]
    if len(files) > MOST_FILES:
        more = len(files) - MOST_FILES
        left = f"{many(more, 'file is', 'files are')} left out, past {MOST_FILES}"
        findings.append(Finding(layout.root, 0, left))
    return result, findings


File = tuple[Path, str | None, str | None]


def _documents(layout: Layout) -> Iterator[File]:
    for parent in (layout.root.parent, layout.root):
        for name in FOLDERS:
            for path in _files(parent / name):
                if path.suffix.lower() in SUFFIXES:
                    yield path, None, None


def _readmes(layout: Layout) -> Iterator[File]:
    for path in _files(layout.domains):
        if path.name.lower() == "readme.md":
            parts = path.relative_to(layout.domains).parts[:-1]
            names = [part if is_slug(part) else None for part in (*parts, "", "")]
            yield path, names[0], names[1]


def _files(folder: Path) -> Iterator[Path]:
    """The plain files below a folder, sorted by name, without hidden ones."""
    if folder.is_symlink():
        return
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(names):
            path = Path(parent) / name
            if name[0] != "." and path.is_file() and not path.is_symlink():
                yield path


def _text(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it must have at most {MOST_BYTES} bytes, got more")
    return data.decode("utf-8-sig")


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """(first line, text) of each part: a heading or a paragraph opens a new one after 5 lines."""
    start, lines = 1, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        opens = line.startswith("#") or (len(lines) >= 5 and not line.strip())
        if opens and any(each.strip() for each in lines):
            yield start, "\n".join(lines).strip()
            start, lines = number, []
        lines.append(line)
    if any(each.strip() for each in lines):
        yield start, "\n".join(lines).strip()
