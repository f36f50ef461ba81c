"""Copies a store to another database, goes on where a copy was cut off, and compares the two."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import SourceError
from .database import TextBytes

if TYPE_CHECKING:
    from .database import Database, Row, Value

_PAGE = 1000

Progress = Callable[[str, int], object]
"""Called with the name of a table and how many of its rows were copied or compared just now."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """columns: all of them. key: those that tell rows apart, which come first in `columns`.

    grows: rows are only ever added, or deleted for good, so that a copy can go on behind its last.
    is_numbered: the database numbers new rows in the first column.
    order: what the rows are in; the key by default. blobs: columns that hold bytes. flags:
    those that hold truth values.
    """

    name: str
    columns: tuple[str, ...]
    key: int = 1
    grows: bool = False
    is_numbered: bool = False
    order: str = ""
    blobs: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()

    def pages(self, database: Database, after: Sequence[Value] = ()) -> Iterator[list[Row]]:
        """Its rows in their order, those after that key."""
        columns = ", ".join(self.columns)
        if self.order:
            rows = database.execute(f"SELECT {columns} FROM {self.name} ORDER BY {self.order}")
            yield rows
            return
        names = ", ".join(self.columns[: self.key])
        marks = ", ".join("?" * self.key)
        while True:
            where = f"WHERE ({names}) > ({marks})" if after else ""
            sql = f"SELECT {columns} FROM {self.name} {where} ORDER BY {names} LIMIT {_PAGE}"
            if not (rows := database.execute(sql, tuple(after))):
                return
            yield rows
            after = rows[-1][: self.key]

    def last_key(self, database: Database) -> tuple[Value, ...]:
        """That of its last row; empty without one."""
        names = ", ".join(self.columns[: self.key])
        backwards = ", ".join(f"{name} DESC" for name in self.columns[: self.key])
        rows = database.execute(f"SELECT {names} FROM {self.name} ORDER BY {backwards} LIMIT 1")
        return tuple(rows[0]) if rows else ()

    def count(self, database: Database) -> int:
        [(count,)] = database.execute(f"SELECT count(*) FROM {self.name}")
        return int(count)

    def digest(self, database: Database, progress: Progress) -> str:
        """A hash over its rows in their order, the same in any database that holds the same."""
        total = hashlib.sha256()
        for rows in self.pages(database):
            for row in rows:
                total.update(
                    repr([_plain(value) for value in row]).encode("utf-8", "surrogatepass")
                )
            progress(self.name, len(rows))
        return total.hexdigest()

    def row(self, values: Row) -> Row:
        """The row for another database, which may tell truth from numbers and text from bytes."""
        return tuple(
            self._value(name, value) for name, value in zip(self.columns, values, strict=True)
        )

    def _value(self, name: str, value: Value) -> Value:
        if name in self.flags:
            return bool(value)
        if isinstance(value, bytes) and name not in self.blobs:
            return TextBytes(value)
        return value


def copy_store(
    source: Database, target: Database, tables: Sequence[StoredTable], progress: Progress
) -> dict[str, str]:
    """Copy what the target lacks, then compare: the hash of each table.

    Nobody may write to the source meanwhile. What the target holds of an earlier try is kept where
    rows only grow, and copied anew elsewhere. Raises SourceError where the two differ in the end.
    """
    for table in reversed(tables):
        if not table.grows:
            with target.transaction():
                target.execute(f"DELETE FROM {table.name}")
    for table in tables:
        _copy_table(source, target, table, progress)
    digests = {}
    for table in tables:
        digests[table.name] = table.digest(source, progress)
        if table.digest(target, progress) != digests[table.name]:
            raise SourceError(
                f"{target.path} differs from {source.path} in the table {table.name}, so nothing"
                " was switched: rows were deleted since an earlier try; name another schema"
            )
    return digests


def _copy_table(source: Database, target: Database, table: StoredTable, progress: Progress) -> None:
    marks = ", ".join("?" * len(table.columns))
    sql = f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks})"
    after = table.last_key(target) if table.grows else ()
    for rows in table.pages(source, after):
        with target.transaction():
            target.execute_many(sql, [table.row(row) for row in rows])
            if table.is_numbered:
                target.number_after(table.name, table.columns[0])
        progress(table.name, len(rows))


def _plain(value: object) -> object:
    """True is 1 where a database has no truth values."""
    if isinstance(value, bool):
        return int(value)
    return bytes(value) if isinstance(value, bytes) else value
