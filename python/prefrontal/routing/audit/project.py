"""Rules that hold for the files of a project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import PrefrontalError
from ..catalog.discovery import discover_all
from ..promotion.change_notes import NAME as CHANGELOG
from ..promotion.journal import digest_of, journal_file
from ..promotion.metadata import FIELDS, Revision, metadata_file, read_revisions
from ..records import read_records

if TYPE_CHECKING:
    from ..layout import Layout

_LOGS = {"app", "runs", "validation", "metrics"}


def stray_logs(layout: Layout) -> list[str]:
    """Unknown folders among the logs, and folders with their old name."""
    known = sorted(layout.logs.iterdir()) if layout.logs.is_dir() else []
    stray = [path for path in known if path.name not in _LOGS]
    old = [folder / "_tmp_logs" for folder in (layout.root, layout.root.parent, layout.tmp)]
    return [f"{path} is not a folder of logs" for path in (*stray, *filter(Path.exists, old))]


def runs_with_questions(layout: Layout) -> list[str]:
    """Past runs in which more than one question was asked."""
    problems = []
    for path in sorted((layout.logs / "runs").glob("*/steps.log")):
        rows = read_records(path).rows
        questions = [row for row in rows if (row.get("phase"), row.get("decision")) == _ASKED]
        if len(questions) > 1:
            problems.append(f"{path}: {len(questions)} questions were asked")
    return problems


def unreadable_tools(layout: Layout) -> tuple[int, list[str]]:
    """The number of tools, and the files that cannot be read as one."""
    discovery = discover_all(layout)
    return len(discovery.tools), [str(finding) for finding in discovery.findings]


def broken_records(layout: Layout) -> tuple[int, list[str]]:
    """The number of records, and what is wrong with them or with their files."""
    count, problems = 0, []
    seen: dict[str, Path] = {}
    for path in sorted(layout.domains.glob("*/*/metadata.jsonl")):
        revisions = read_revisions(path.parent)
        count += len(revisions.all)
        problems += [str(finding) for finding in revisions.findings]
        notes = _notes(path.parent.parent / CHANGELOG)
        for revision in revisions.all:
            problems += _broken(path, revision, notes, seen)
        for name in sorted({revision.name for revision in revisions.all}):
            problems += _changed(path.parent / name, revisions.of(name))
    return count, problems


def half_done(layout: Layout) -> list[str]:
    """The note of an unfinished promotion."""
    path = journal_file(layout)
    problem = "a promotion was interrupted; the next `prefrontal route` finishes it"
    return [f"{path}: {problem}"] if path.exists() else []


def ways_out(layout: Layout) -> list[str]:
    """Links below the root that lead out of it."""
    links = (
        Path(folder, name)
        for folder, folders, files in os.walk(layout.root)
        for name in sorted((*folders, *files))
    )
    return [f"{path} leads to {path.readlink()}" for path in links if _leads_out(layout, path)]


_ASKED = ("clarify", "asked")


def _leads_out(layout: Layout, path: Path) -> bool:
    try:
        return path.is_symlink() and not layout.holds(path)
    except (OSError, RuntimeError):  # a circle of links
        return True


def _broken(path: Path, revision: Revision, notes: str, seen: dict[str, Path]) -> Iterator[str]:
    if tuple(revision.row) != FIELDS:
        yield f"{path}: {revision.id} has other keys than {', '.join(FIELDS)}, or another order"
    if revision.id in seen:
        yield f"{path}: {revision.id} stands twice, also in {seen[revision.id]}"
    seen[revision.id] = path
    if revision.id not in notes:
        yield f"{path}: {revision.id} is not in {CHANGELOG}"


def _changed(path: Path, revisions: tuple[Revision, ...]) -> Iterator[str]:
    """Whether a promoted file is still one of the contents that were promoted."""
    if not revisions:
        if path.exists():
            yield f"{path} has moved away, says {metadata_file(path.parent).name}, and is there"
        return
    try:
        digest = digest_of(path)
    except PrefrontalError as error:
        yield str(error)
        return
    if digest is None:
        yield f"{path} was promoted as {revisions[-1].id} and is gone"
    elif digest not in {revision.sha256 for revision in revisions}:
        yield f"{path} has changed since {revisions[-1].id}; promote it again"


def _notes(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
