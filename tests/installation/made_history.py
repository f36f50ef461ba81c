"""A repository in which every fourth change mattered: a repair with an entry of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

COMMITS = 240


def git(folder: Path, *words: str, data: str | None = None) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(
        command, input=data, capture_output=True, text=True, check=True
    ).stdout.strip()


def commits(first: int, number: int, *, mattered: bool | None = None) -> str:
    """A stream of git: every fourth change is a repair of src/ and has an entry of its own."""
    parts = ["blob\nmark :1\ndata 2\na\n"] if first == 0 else []
    for n in range(first, first + number):
        repairs = n % 4 == 0 if mattered is None else mattered
        when = f"Ann <ann@example.org> {1_700_000_000 + n * 7_200} +0000"
        text = f"Mend the reader {n}" if repairs else f"Polish a page {n}"
        parts.append(f"commit refs/heads/main\nauthor {when}\ncommitter {when}\n")
        parts.append(f"data {len(text)}\n{text}\n")
        if first and n == first:
            parts.append("from refs/heads/main^0\n")
        names = [f"docs/page{n % 7}.md"]
        if repairs:
            names = [f"src/reader{n % 5}.py", f"changelog/{n}.fix.md"]
        for name in names:
            data = f"{n}\n"
            parts.append(f"M 644 inline {name}\ndata {len(data)}\n{data}")
    return "".join(parts)


def make_history(folder: Path) -> None:
    """Make it there, written in one stream."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "fast-import", "--quiet", "--date-format=raw", data=commits(0, COMMITS))
    git(folder, "reset", "-q", "--hard")
