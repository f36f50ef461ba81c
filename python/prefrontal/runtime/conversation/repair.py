"""A damaged file of conversations: what can be read of it goes into a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ...plural import many
from ...storage.database import DamagedFileError
from ...storage.sqlite_database import SqliteDatabase
from ...storage.store_file import Schema
from . import rows
from .schema import APPLICATION_ID, REMEDY, STEPS, VIEWS
from .words import channel_word

if TYPE_CHECKING:
    from ...storage.database import Database

_SCHEMA = Schema(APPLICATION_ID, STEPS, VIEWS, REMEDY)
TABLES = ("walls", "conversations", "peers", "messages", "notes", "facts", "embedders", "vectors")
"""Each after those that it refers to; the index of words and the hours are made anew."""
_AT_ONCE = 256
_LEAST_ROW = 16
"""Bytes, by which the size of a file says how many rows a table has at most."""
_MOST_FAILURES = 50_000
"""After so many a damaged part of a table is left out whole, so that a repair comes to an end."""
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Repair:
    """What came of it. aside: where the damaged file is now. messages: how many were read."""

    path: str
    aside: str
    messages: int

    def sentence(self) -> str:
        return (
            f"{self.path} was damaged: "
            f"{many(self.messages, 'message was', 'messages were')} read from it, and it is kept"
            f" as {self.aside}. A copy that `prefrontal storage backup` made may hold more"
        )


def repair(path: Path) -> Repair:
    """Put the file aside as NAME-corrupt, and a new one with what can be read in its place.

    Nobody may write to it meanwhile. Raises SourceError when the new one cannot be written.
    """
    fresh = path.with_name(f"{path.name}.repaired")
    for end in ("", *_BESIDE):
        fresh.with_name(fresh.name + end).unlink(missing_ok=True)
    with closing(_SCHEMA.open_writer(fresh)) as target:
        with suppress(DamagedFileError):  # nothing of it can be read
            _copy(path, target)
        [(messages,)] = target.execute("SELECT count(*) FROM messages")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    aside = _free(path)
    for end in ("", *_BESIDE):  # the log belongs to the damaged file
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(aside.with_name(aside.name + end))
    fresh.rename(path)
    return Repair(str(path), str(aside), int(messages))


def _free(path: Path) -> Path:
    aside, number = path.with_name(f"{path.name}-corrupt"), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}-corrupt-{number}")
    return aside


def _copy(path: Path, target: Database) -> None:
    with closing(SqliteDatabase(path, read_only=True, application_id=APPLICATION_ID)) as old:
        _copy_tables(old, target)
    with target.transaction():
        _complete(target)


def _copy_tables(old: Database, target: Database) -> None:
    target.execute("PRAGMA foreign_keys = off")  # what a row refers to may be lost
    for table in TABLES:
        names = [name for _, name, *_ in target.execute(f"PRAGMA table_info({table})")]
        known = {name for _, name, *_ in old.execute(f"PRAGMA table_info({table})")}
        columns = [name for name in names if name in known]
        if not columns:  # of an older schema
            continue
        marks = ", ".join("?" * len(columns))
        insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"
        with target.transaction():
            for some in _readable(old, table, columns):
                _keep(target, insert, some)


def _keep(target: Database, insert: str, some: Sequence[Sequence[Any]]) -> None:
    """Write the rows; one that breaks a rule of the schema is damage, too."""
    try:
        target.execute_many(insert, some)
    except PrefrontalError:
        for row in some:
            with suppress(PrefrontalError):
                target.execute(insert, row)


def _complete(target: Database) -> None:
    """Leave no row that refers to nothing, and make the index of words and the hours."""
    for column, table in (("wall", "walls"), ("conversation", "conversations"), ("peer", "peers")):
        target.execute(f"DELETE FROM messages WHERE {column} NOT IN (SELECT id FROM {table})")
    target.execute("DELETE FROM vectors WHERE message NOT IN (SELECT id FROM messages)")
    target.execute("DELETE FROM facts WHERE source NOT IN (SELECT id FROM messages)")
    target.execute("DELETE FROM notes WHERE wall NOT IN (SELECT id FROM walls)")
    target.execute("DELETE FROM hours")
    for number, wall, place, peer, kind, content, at in target.execute(
        "SELECT messages.id, wall, conversation, peer, channel_type, content, created_at"
        " FROM messages JOIN conversations ON conversations.id = conversation"
    ):
        rows.index(target, number, content, f"w{wall} c{place} p{peer} {channel_word(kind)}", at)


def _readable(old: Database, table: str, columns: Sequence[str]) -> Iterator[list[Any]]:
    """The rows that can be read, some at a time: around what is damaged ever fewer."""
    key = "message" if table == "vectors" else "id"
    sql = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} BETWEEN ? AND ?"
    try:
        [(last,)] = old.execute(f"SELECT coalesce(max({key}), 0) FROM {table}")
    except DamagedFileError:
        last = Path(old.path).stat().st_size // _LEAST_ROW
    failures = 0
    spans = [(first, first + _AT_ONCE - 1) for first in range(1, last + 1, _AT_ONCE)][::-1]
    while spans:
        first, end = spans.pop()
        try:
            some = old.execute(sql, (first, end))
        except DamagedFileError:
            failures += 1
            if end > first and failures < _MOST_FAILURES:
                middle = (first + end) // 2
                spans += [(middle + 1, end), (first, middle)]
            continue
        if some:
            yield some


def is_damaged(path: Path) -> bool:
    """Whether something in the file cannot be read; reads all of it. Raises SourceError."""
    try:
        with closing(_SCHEMA.open_writer(path)) as database:
            [(outcome,), *_] = database.execute("PRAGMA integrity_check(1)")
            database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    except DamagedFileError:
        return True
    return bool(outcome != "ok")
