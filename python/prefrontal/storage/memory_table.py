"""Texts kept by key in a table, on whichever database: what agents of several machines share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..clock import Clock, SystemClock
from .memory_files import check_key, content_bytes
from .migrations import open_migrated
from .text_search import ranked
from .transfer import StoredTable

if TYPE_CHECKING:
    from .database import Database
    from .migrations import Step

APPLICATION_ID = 0x50464D45
"""Written into every such store ("PFME")."""
_STORE = """\
INSERT INTO texts (key, content, modified) VALUES (?, ?, ?) ON CONFLICT (key)
DO UPDATE SET content = excluded.content, modified = excluded.modified"""


def create_texts(database: Database) -> None:
    """Keys are JSON in ASCII, so that any text is one, in the same order everywhere."""
    database.execute("""\
CREATE TABLE texts (
  key TEXT PRIMARY KEY,
  content TEXT NOT NULL,
  modified REAL NOT NULL
) STRICT""")


STEPS: tuple[Step, ...] = (create_texts,)
TABLES = (StoredTable("texts", ("key", "content", "modified")),)


class StoredText(NamedTuple):
    """A text, and when it was stored: Unix seconds, whole milliseconds."""

    key: str
    content: str
    modified: float


def put_texts(database: Database, texts: Iterable[StoredText]) -> None:
    """Keep them in one transaction, each in place of what was there. Raises SourceError."""
    rows = [(json.dumps(key), content, modified) for key, content, modified in texts]
    database.execute_many(_STORE, rows)


class MemoryTable:
    """The role `TextMemory` in the store at `path`, made if missing.

    Each call has a connection of its own, but for an owner's, which keeps one. Thread-safe.
    """

    def __init__(self, path: str | os.PathLike[str], clock: Clock | None = None) -> None:
        self._path = os.fspath(path)
        self._clock = SystemClock() if clock is None else clock
        self._owned: Database | None = None

    def claim(self, owner: str) -> None:
        """Be the one agent that keeps texts here: what an earlier one writes is refused.

        Raises SourceError naming one that lives.
        """
        self._own(lambda database: database.claim(owner))

    def write_for(self, fence: Callable[[], int]) -> None:
        """As `claim`, for an ownership that is kept elsewhere: `fence` gives its epoch.

        It is called once the table is there.
        """
        self._own(lambda database: database.write_as(fence()))

    def place(self, key: str) -> str:
        return f"{json.dumps(key)} in {self._path}"

    def store(self, key: str, content: str) -> None:
        """As `TextMemory`. Raises FencedError, an owner, once there is another."""
        check_key(key)
        text = content_bytes(key, content).decode()
        self.put([StoredText(key, text, round(self._clock.now(), 3))])

    def put(self, texts: Iterable[StoredText]) -> None:
        """Keep many in one transaction, each in place of what was there."""
        with self._database() as database:
            put_texts(database, texts)

    def retrieve(self, key: str) -> str | None:
        value = self._one("content", key)
        return None if value is None else str(value)

    def delete(self, key: str) -> bool:
        check_key(key)
        with self._database() as database, database.transaction():
            rows = database.execute("SELECT 1 FROM texts WHERE key = ?", (json.dumps(key),))
            database.execute("DELETE FROM texts WHERE key = ?", (json.dumps(key),))
        return bool(rows)

    def modified(self, key: str) -> float | None:
        value = self._one("modified", key)
        return None if value is None else float(value)

    def keys(self) -> list[str]:
        with self._database() as database:
            return sorted(json.loads(key) for (key,) in database.execute("SELECT key FROM texts"))

    def texts(self) -> list[StoredText]:
        """All of them, in the order of their keys in the table."""
        with self._database() as database:
            rows = database.execute("SELECT key, content, modified FROM texts ORDER BY key")
        return [StoredText(json.loads(key), content, modified) for key, content, modified in rows]

    def search(self, query: str, limit: int = 20) -> list[tuple[str, float]]:
        return ranked({key: text for key, text, _ in self.texts()}, query, limit)

    def close(self) -> None:
        owned, self._owned = self._owned, None
        if owned is not None:
            owned.close()

    def _own(self, take: Callable[[Database], None]) -> None:
        if self._owned is None:
            database = self._open()
            try:
                take(database)
            except BaseException:
                database.close()
                raise
            self._owned = database

    def _one(self, column: str, key: str) -> Any:
        check_key(key)
        with self._database() as database:
            sql = f"SELECT {column} FROM texts WHERE key = ?"
            rows = database.execute(sql, (json.dumps(key),))
        return rows[0][0] if rows else None

    @contextmanager
    def _database(self) -> Iterator[Database]:
        if self._owned is not None:
            yield self._owned
        else:
            with closing(self._open()) as database:
                yield database

    def _open(self) -> Database:
        return open_migrated(self._path, STEPS, application_id=APPLICATION_ID)
