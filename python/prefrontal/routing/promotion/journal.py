"""A write-ahead journal: applies several changes to files as one, across a kill at any point.

Without a journal file nothing was changed; with one, `recover` finishes the changes. Every change
is idempotent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError, PrefrontalError, SourceError
from ...storage.files import sweep, write_atomic
from ..records import append_record, read_records, record_line
from ..types import Finding
from .change_notes import add_note

if TYPE_CHECKING:
    from ..layout import Layout

LATER = "it is noted and will be finished by the next promotion"
Change = Mapping[str, Any]
"""do: "write", "append", "note" or "remove"; path: below workflows_root; the rest by kind."""


def write_change(path: str, content: bytes, before: str | None) -> Change:
    """Write a file; before: the hash of the content it replaces, None for a new file."""
    text = content.decode("latin-1")
    return {"do": "write", "path": path, "content": text, "before": before}


def append_change(path: str, record: Mapping[str, Any]) -> Change:
    """Append a record unless the file has it already."""
    return {"do": "append", "path": path, "record": dict(record)}


def note_change(path: str, title: str, note: str) -> Change:
    """Add a line to a change log unless it has it already."""
    return {"do": "note", "path": path, "title": title, "note": note}


def remove_change(path: str, digest: str) -> Change:
    """Delete a file if its content still has that hash."""
    return {"do": "remove", "path": path, "sha256": digest}


def journal_file(layout: Layout) -> Path:
    """The journal file, which exists while changes are under way."""
    return layout.tmp / ".promotion.json"


def perform(layout: Layout, changes: Sequence[Change]) -> list[Finding]:
    """Apply all changes, none unless the first one succeeds; returns the notes for whose file there
    is no place, since a folder or a pipe has it.

    The caller holds the lock. Raises SourceError when a change fails; after the first (the disk is
    full) the journal stays and `recover` finishes it.
    """
    if not changes:
        return []
    path = journal_file(layout)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps({"changes": list(changes)}))
    try:
        _do(layout, changes[0])
    except PrefrontalError as first:
        if not _is_done(layout, changes[0]):
            try:
                _forget(path)
            except SourceError as error:
                raise SourceError(f"the promotion waits: {first}; {LATER}, since {error}") from None
        raise
    try:
        findings = [one for change in changes[1:] for one in _done(layout, change)]
    except PrefrontalError as error:
        raise SourceError(f"the promotion is half done: {error}; {LATER}") from error
    with suppress(SourceError):  # all is done: the next promotion finds nothing to finish
        _forget(path)
    return findings


def recover(layout: Layout) -> list[Finding]:
    """Finish the changes of a killed process; returns the outcome as findings.

    The caller holds the lock. Raises SourceError when the disk still fails.
    """
    path = journal_file(layout)
    sweep(path.parent)
    try:
        changes = json.loads(path.read_bytes())["changes"]
        first = changes[0]["path"]
    except FileNotFoundError:
        return []
    except OSError as error:  # the disk may give it the next time
        reason = error.strerror or "unreadable"
        raise SourceError(f"{path} cannot be read: {reason}") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        _forget(path)
        return [Finding(path, 0, f"the note of a promotion is damaged and was dropped: {error}")]
    findings: list[Finding] = []
    try:
        finished = _possible(layout, changes[0])
        if finished:
            for change in changes:
                sweep(_inside(layout, change).parent)
                findings += _done(layout, change)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        finished = False
        first = f"{first} ({error})"
    _forget(path)
    end = "was finished" if finished else "was dropped, since the file has changed; promote again"
    return [Finding(path, 0, f"an interrupted promotion of {first} {end}"), *findings]


def _forget(path: Path) -> None:
    """Remove the journal. Raises SourceError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise SourceError(f"{path} cannot be removed: {error.strerror}") from error


def _possible(layout: Layout, change: Change) -> bool:
    """Whether the first change is applied or can be applied without losing anyone's work."""
    if change["do"] != "write":
        return True
    return _is_done(layout, change) or digest_of(_inside(layout, change)) == change["before"]


def _is_done(layout: Layout, change: Change) -> bool:
    """Whether the change writes a file that already has its content."""
    if change["do"] != "write":
        return False
    return digest_of(_inside(layout, change)) == sha256(_content(change)).hexdigest()


def _done(layout: Layout, change: Change) -> list[Finding]:
    """Apply the change. A note is told instead where no file can be; the record says as much."""
    path = _inside(layout, change)
    if change["do"] == "note" and path.exists() and not path.is_file():
        return [Finding(path, 0, f"is no file, so this is not noted there: {change['note']}")]
    _do(layout, change)
    return []


def _do(layout: Layout, change: Change) -> None:
    doing: dict[str, Callable[[Path, Change], None]] = {
        "write": _write,
        "append": _append,
        "note": _note,
        "remove": _remove,
    }
    path = _inside(layout, change)
    try:
        doing[change["do"]](path, change)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}") from error


def _inside(layout: Layout, change: Change) -> Path:
    """The path of a change, which must lie below workflows_root and be no link."""
    path: Path = layout.root / change["path"]
    layout.relative(path)
    if path.is_symlink():
        raise InputError(f"path must be a plain file, got the link {str(path)!r}")
    return path


def _write(path: Path, change: Change) -> None:
    if digest_of(path) != sha256(_content(change)).hexdigest():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, _content(change))


def _content(change: Change) -> bytes:
    content: str = change["content"]
    return content.encode("latin-1")


def _append(path: Path, change: Change) -> None:
    _drop_torn(path, record_line(change["record"]))
    if change["record"] not in read_records(path).rows:
        append_record(path, change["record"])


def _note(path: Path, change: Change) -> None:
    add_note(path, change["title"], change["note"])


def _remove(path: Path, change: Change) -> None:
    if digest_of(path) == change["sha256"]:
        with suppress(FileNotFoundError):
            path.unlink()


def _drop_torn(path: Path, line: bytes) -> None:
    """Truncate a torn last line that is a prefix of the line to append."""
    with suppress(FileNotFoundError), path.open("r+b") as file:
        data = file.read()
        torn = data.rpartition(b"\n")[2]
        if torn and line.startswith(torn):
            file.truncate(len(data) - len(torn))


def digest_of(path: Path) -> str | None:
    """The SHA-256 of a file's bytes, hexadecimal; None without a file. Raises SourceError."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
