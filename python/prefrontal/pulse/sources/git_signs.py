"""Whether a repository may have new commits, for the price of a few looks at small files."""

from __future__ import annotations

from pathlib import Path

from ...git_access import small_text


def head_signs(git_dir: Path) -> tuple[object, ...]:
    """What changes when HEAD or its branch moves."""
    head = small_text(git_dir / "HEAD")
    return (head, *branch_signs(git_dir, head.removeprefix("ref: ").strip()))


def branch_signs(git_dir: Path, branch: str) -> tuple[object, ...]:
    """What changes when the branch moves; some more does, too. branch: as refs/heads/main."""
    common = git_dir / (small_text(git_dir / "commondir").strip() or ".")
    places = (git_dir / "logs" / "HEAD", common / "packed-refs")
    table = common / "reftable" / "tables.list"
    return (small_text(common / branch), small_text(table), *map(_stamp, places))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
