"""Deletes temporary modules and logs after some days, and nothing else."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import SourceError
from ...storage.files import write_atomic
from ...storage.lock_file import locked
from ..local_time import LocalTime
from ..records import read_records, record_line
from ..types import Finding
from .pending import pending_file, pending_lock
from .tree import remove_tree

if TYPE_CHECKING:
    from ...clock import Clock
    from ..layout import Layout

DAY_S = 86_400.0
YOUNGEST_S = 3_600.0
"""Newer files stay: a route may still use them."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The result of a sweep. ran: False if today's ran before. removed: sorted by name."""

    ran: bool
    removed: tuple[Path, ...] = ()
    findings: tuple[Finding, ...] = ()


def sweep(
    layout: Layout,
    clock: Clock,
    *,
    log_days: int,
    tmp_days: int,
    tz: tzinfo | None = None,
    again: bool = False,
) -> Sweep:
    """Delete older files, at most once a day unless `again`.

    Below the folder of temporary modules: by the last change of anything inside; hidden files
    (caches, locks, counters) stay. Below the logs: folders of days and runs by the date in their
    name. Links are deleted as links, never followed. Raises SourceError when the folder of
    temporary modules cannot be written.
    """
    time = LocalTime(clock, tz)
    if not layout.tmp.is_dir() and not layout.logs.is_dir():
        return Sweep(False)
    if layout.tmp.is_symlink():
        return Sweep(False, (), (Finding(layout.tmp, 0, "is a link, so nothing is deleted"),))
    with locked(layout.tmp / ".sweep.lock"):
        mark = layout.tmp / ".swept"
        if not again and _text(mark) == time.day():
            return Sweep(False)
        broom = _Broom()
        oldest = clock.now() - max(tmp_days * DAY_S, YOUNGEST_S)
        broom.take(_stale_modules(layout, oldest, broom))
        broom.take(_stale_logs(layout, time.now().date() - timedelta(days=log_days), broom))
        _shorten_pending(layout, time.now() - timedelta(days=tmp_days))
        write_atomic(mark, time.day())
        return Sweep(True, tuple(broom.removed), tuple(broom.findings))


class _Broom:
    """Removes files and folders and collects failures as findings."""

    def __init__(self) -> None:
        self.removed: list[Path] = []
        self.findings: list[Finding] = []

    def take(self, paths: Iterator[Path]) -> None:
        """Delete each: a link itself, a folder with its contents."""
        for path in paths:
            try:
                if path.is_symlink() or not path.is_dir():
                    path.unlink(missing_ok=True)
                else:
                    remove_tree(path)
            except OSError as error:
                self.findings.append(Finding(path, 0, f"cannot be deleted: {error.strerror}"))
            else:
                self.removed.append(path)

    def inside(self, folder: Path) -> list[Path]:
        """The entries of a folder, sorted by name; none when the folder is a link."""
        if folder.is_symlink():
            self.findings.append(Finding(folder, 0, "is a link, so nothing in it is deleted"))
            return []
        try:
            return sorted(folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.findings.append(Finding(folder, 0, f"cannot be read: {error.strerror}"))
            return []


def _stale_modules(layout: Layout, oldest: float, broom: _Broom) -> Iterator[Path]:
    for path in broom.inside(layout.tmp):
        half = re.fullmatch(r"\..*\.tmp", path.name)  # left by a process that was killed
        if path == pending_file(layout) or (path.name.startswith(".") and not half):
            continue
        if _last_change(path) < oldest:
            yield path


def _last_change(path: Path) -> float:
    """The latest change of the path or of anything below it that a path can name; no links."""
    try:
        entry = path.lstat()
    except OSError:
        return float("inf")
    newest, folders = entry.st_mtime, [path] if stat.S_ISDIR(entry.st_mode) else []
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as listing:
            for inner in listing:
                status = inner.stat(follow_symlinks=False)
                newest = max(newest, status.st_mtime)
                if stat.S_ISDIR(status.st_mode):
                    folders.append(Path(inner.path))
    return newest


def _stale_logs(layout: Layout, oldest: date, broom: _Broom) -> Iterator[Path]:
    if not layout.logs.is_dir():
        return
    dated: dict[str, Callable[[str], str | None]] = {
        "app": _day_of_folder,
        "validation": _day_of_folder,
        "runs": _day_of_run,
    }
    for kind, day_of in dated.items():
        for path in broom.inside(layout.logs / kind):
            day = day_of(path.name)
            if day is not None and day < oldest.isoformat():
                yield path


def _day_of_folder(name: str) -> str | None:
    return name if re.fullmatch(r"\d{4}-\d{2}-\d{2}", name) else None


def _day_of_run(name: str) -> str | None:
    match = re.fullmatch(r"run-(\d{4})(\d{2})(\d{2})-\d{4}-[0-9a-z]+", name)
    return "-".join(match.groups()) if match else None


def _shorten_pending(layout: Layout, oldest: datetime) -> None:
    """Keep the recent lines of the list; drops a torn one."""
    path = pending_file(layout)
    with suppress(SourceError), pending_lock(layout):
        records = read_records(path)
        young = [row for row in records.rows if _is_younger(row.get("ts"), oldest)]
        if len(young) < len(records.rows) or records.findings:
            write_atomic(path, b"".join(record_line(row) for row in young))


def _is_younger(stamp: object, oldest: datetime) -> bool:
    try:
        return datetime.fromisoformat(str(stamp)) >= oldest
    except (ValueError, TypeError):  # TypeError: a stamp without an offset
        return False


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
