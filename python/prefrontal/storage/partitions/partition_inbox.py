"""Signals that wait for partitions: committed before their sender is answered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeAlias

from ...errors import SourceError
from ..database import FencedError, Value
from ..group_writer import GroupWriter
from ..postgres_session import connect

if TYPE_CHECKING:
    from ..postgres_database import PostgresDatabase
    from ..postgres_url import PostgresUrl

CHANNEL = "prefrontal_inbox"
KEEP_MARKS_S = 7 * 86_400.0
"""How long a repeated delivery is known as one."""
LISTEN_S = 1.0
MARKS_AT_ONCE = 500
_ADD = "INSERT INTO inbox (partition, events) VALUES (?, ?)"
_AFTER = "SELECT seq, events FROM inbox WHERE partition = ? AND seq > ? ORDER BY seq LIMIT ?"
_PLACE = """\
INSERT INTO places (name, content) VALUES (?, ?) ON CONFLICT (name)
DO UPDATE SET content = excluded.content"""
_HOLDS = "SELECT 1 FROM partitions WHERE number = ? AND member = ? FOR SHARE"

log = logging.getLogger(__name__)


Written: TypeAlias = Callable[[Collection[bytes]], Sequence[tuple[int, str | bytes]]]
"""From the marks that are new to rows: (partition, events as JSON)."""


class PartitionInbox:
    """Writes the inbox, many senders in one transaction, and reads it. database: the shared one."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._writer = GroupWriter(database)

    def put(
        self,
        written: Written,
        at: float,
        *,
        marks: Sequence[bytes] = (),
        places: Sequence[tuple[str, bytes]] = (),
        holder: tuple[int, int] | None = None,
    ) -> Future[None]:
        """Store rows and places in one transaction.

        at: Unix second. marks: what tells repetitions. holder: (number, member) that must hold
        still, else FencedError.
        """
        return self._writer.submit(lambda: self._put(written, at, marks, places, holder))

    def after(self, partition: int, seq: int, limit: int) -> list[tuple[int, str | bytes]]:
        """The next rows of the partition, oldest first: (number, events). Raises SourceError."""
        rows = self._database.execute(_AFTER, (partition, seq, limit))
        return [(int(number), events) for number, events in rows]

    def forget(self, partition: int, through: int) -> None:
        """Delete what the partition has decided about. Raises SourceError."""
        self._database.execute(
            "DELETE FROM inbox WHERE partition = ? AND seq <= ?", (partition, through)
        )

    def forget_marks(self, before: float) -> None:
        """Delete marks that are older. Raises SourceError."""
        self._database.execute("DELETE FROM marks WHERE at < ?", (before,))

    def places(self, prefix: str) -> dict[str, bytes]:
        """What was committed under the names that begin so. Raises SourceError."""
        rows = self._database.execute("SELECT name, content FROM places")
        return {str(name): bytes(content) for name, content in rows if name.startswith(prefix)}

    def end(self) -> None:
        """Write what waits; nothing more is taken."""
        self._writer.end().result()

    def _put(
        self,
        written: Written,
        at: float,
        marks: Sequence[bytes],
        places: Sequence[tuple[str, bytes]],
        holder: tuple[int, int] | None,
    ) -> None:
        if holder is not None and not self._database.execute(_HOLDS, holder):
            raise FencedError("another node reads the streams since")
        rows = written(self._new_marks(marks, at))
        self._database.execute_many(_ADD, rows)
        self._database.execute_many(_PLACE, places)
        if rows:
            numbers = ",".join(map(str, sorted({number for number, _ in rows})))
            self._database.execute("SELECT pg_notify(?, ?)", (CHANNEL, numbers))

    def _new_marks(self, marks: Sequence[bytes], at: float) -> set[bytes]:
        """Those that were not known, and are from now on."""
        new: set[bytes] = set()
        for start in range(0, len(marks), MARKS_AT_ONCE):
            some = marks[start : start + MARKS_AT_ONCE]
            rows = ", ".join(["(?, ?)"] * len(some))
            sql = (
                f"INSERT INTO marks (mark, at) VALUES {rows} ON CONFLICT DO NOTHING RETURNING mark"
            )
            values: list[Value] = [value for mark in some for value in (mark, at)]
            new.update(bytes(mark) for (mark,) in self._database.execute(sql, values))
        return new


class InboxBell:
    """Calls `ring(partitions)` for what is committed to the inbox; a lost connection is made anew.

    While it is lost nothing rings: who listens looks by itself now and then.
    """

    def __init__(self, url: PostgresUrl, ring: Callable[[set[int]], object]) -> None:
        self._url = url
        self._ring = ring
        self._ended = Event()
        self._thread = Thread(target=self._run, name="prefrontal-bell", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        import psycopg

        while not self._ended.is_set():
            try:
                with connect(self._url, busy_timeout_s=1.0, synchronous=False) as connection:
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    while not self._ended.is_set():
                        for note in connection.notifies(timeout=LISTEN_S, stop_after=1):
                            self._ring({int(each) for each in note.payload.split(",")})
            except (psycopg.Error, SourceError) as error:
                log.debug("the inbox does not ring: %s", error)
                self._ended.wait(LISTEN_S)
