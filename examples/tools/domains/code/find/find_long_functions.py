"""Find functions and lines of Python files that are too long.

Example:
    run(path=".")
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
MOST_FINDINGS = 50


def run(path: str, most_lines: int = 60, most_characters: int = 120) -> dict[str, Any]:
    """Measure functions and lines.

    Args:
        path: a Python file, or a folder of them.
        most_lines: a function with more is reported.
        most_characters: a line with more is reported.

    Returns:
        findings: file, line and length of each, the longest function first.
    """
    functions: list[tuple[int, str]] = []
    lines: list[str] = []
    for file in files_of(Path(path)):
        if file.stat().st_size > MOST_BYTES:
            continue
        source = file.read_text(encoding="utf-8", errors="replace")
        functions += [each for each in lengths(file.name, source) if each[0] > most_lines]
        for number, line in enumerate(source.splitlines(), start=1):
            if len(line) > most_characters:
                lines.append(f"{file.name}:{number}: a line of {len(line)} characters")
    functions.sort(key=lambda each: (-each[0], each[1]))
    return {"findings": ([said for _, said in functions] + lines)[:MOST_FINDINGS]}


def lengths(name: str, source: str) -> Iterator[tuple[int, str]]:
    """(lines, what is told of it) of each function; none of what is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            count = node.end_lineno - node.lineno + 1
            yield count, f"{name}:{node.lineno}: {node.name}() has {count} lines"


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the Python files below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir() or entry.suffix == ".py":
                yield from files_of(entry)
