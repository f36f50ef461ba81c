"""Count lines of code by language: how many lines of Python and others there are.

Example:
    run(folder=".")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LANGUAGES = {
    "Python": ".py .pyi",
    "C": ".c .h",
    "C++": ".cc .cpp .cxx .hh .hpp",
    "Rust": ".rs",
    "Go": ".go",
    "Java": ".java",
    "JavaScript": ".js .mjs .cjs .jsx",
    "TypeScript": ".ts .tsx",
    "Shell": ".sh .bash",
    "HTML": ".html .htm",
    "CSS": ".css",
    "Markdown": ".md",
    "reStructuredText": ".rst",
    "YAML": ".yml .yaml",
    "TOML": ".toml",
    "JSON": ".json",
}
BY_SUFFIX = {suffix: name for name, told in LANGUAGES.items() for suffix in told.split()}
MOST_BYTES = 1 << 20


def run(folder: str) -> dict[str, Any]:
    """Count the lines that are not blank.

    Args:
        folder: a folder, or one file.

    Returns:
        summary: one sentence.
        lines: how many of each language, the most first.
    """
    lines: Counter[str] = Counter()
    for file in files_of(Path(folder)):
        language = BY_SUFFIX.get(file.suffix.lower())
        if language is not None and file.stat().st_size <= MOST_BYTES:
            lines[language] += sum(1 for line in file.read_bytes().split(b"\n") if line.strip())
    ordered = dict(sorted(lines.items(), key=lambda one: (-one[1], one[0])))
    if not ordered:
        return {}
    told = ", ".join(f"{name} {count:,}" for name, count in ordered.items())
    return {"summary": f"{sum(ordered.values()):,} lines: {told}", "lines": ordered}


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the files below the folder in their order; nothing hidden, no links."""
    if path.is_file():
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith(".") and not entry.is_symlink():
                yield from files_of(entry)
