"""Check the syntax of Python files: whether a file parses and compiles, and its syntax errors.

Example:
    run(path=".")
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
MOST_FINDINGS = 50


def run(path: str) -> dict[str, Any]:
    """Compile without running, and say where it fails and what the compiler warns of.

    Args:
        path: a Python file, or a folder of them.

    Returns:
        findings: file, line and reason of each mistake.
    """
    findings = [said for file in files_of(Path(path)) for said in mistakes(file)]
    return {"findings": findings[:MOST_FINDINGS]}


def mistakes(file: Path) -> list[str]:
    """What is wrong with one file; nothing for one that is too large to be source."""
    if file.stat().st_size > MOST_BYTES:
        return []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 0
            return [f"{file.name}:{line}: {getattr(error, 'msg', error)}"]
    return [f"{file.name}:{one.lineno}: {one.message}" for one in warned]


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the Python files below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir() or entry.suffix in (".py", ".pyi"):
                yield from files_of(entry)
