"""Which member holds which partition, and the epoch that fences what it writes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...errors import SourceError
from ..database import FencedError
from ..postgres_session import connect, what_failed
from .membership import BUSY_S, NOW, STALE_S

if TYPE_CHECKING:
    import psycopg

    from ..postgres_url import PostgresUrl
    from .membership import Membership

RETURN_S = 1.5
"""After the server was away, how long the other members get to come back."""
SETTLE_S = 5.0
"""A member takes what is free at once; others give up partitions for it after so long."""
_COUNTS = f"""\
SELECT count(*), count(*) FILTER (WHERE id = $3 OR joined_at < {NOW} - $2)
FROM members WHERE role = $1"""
_OTHERS = f"""\
SELECT id, renewed_at < {NOW} - $2,
  pg_try_advisory_xact_lock(hashtext(current_schema()), id::int)
FROM members WHERE id <> $1 ORDER BY id"""
_GONE = f"""\
DELETE FROM members WHERE id = $1 AND ($3 OR renewed_at < {NOW} - $2) RETURNING id"""
_FREE = "UPDATE partitions SET member = NULL WHERE member = $1"
_STATE = """\
SELECT number, member FROM partitions WHERE number = ANY($1) ORDER BY number"""
_TAKE = """\
UPDATE partitions SET member = $2 WHERE number = (
  SELECT number FROM partitions WHERE number = $1 AND member IS NULL FOR UPDATE SKIP LOCKED)"""
_HELD = "SELECT 1 FROM partitions WHERE number = $1 AND member = $2 FOR SHARE"


@dataclass(frozen=True, slots=True)
class PartitionView:
    """held, free: partitions of those asked for. members: how many live in the role, self too.

    settled: how many of these for SETTLE_S, self among them.
    """

    held: tuple[int, ...]
    free: tuple[int, ...]
    members: int
    settled: int


class PartitionTable:
    """The placement as one member sees and changes it. url: of the shared schema.

    Every method raises SourceError while the server cannot be reached.
    """

    def __init__(self, url: PostgresUrl, member: Membership) -> None:
        self._url = url
        self._member = member
        self._lock = Lock()
        self._connection: psycopg.Connection[Any] | None = None

    def look(self, wanted: Sequence[int], role: str) -> PartitionView:
        """What stands, after those that are gone were taken out."""
        with self._sentences() as connection:
            self._see_to_dead(connection)
            rows = connection.execute(_STATE, (list(wanted),)).fetchall()
            counts = connection.execute(_COUNTS, (role, SETTLE_S, self._member.id)).fetchall()
            [(members, settled)] = counts
        mine = self._member.id
        return PartitionView(
            tuple(number for number, member in rows if member == mine),
            tuple(number for number, member in rows if member is None),
            int(members),
            int(settled),
        )

    def take(self, number: int) -> bool:
        """Hold the partition; whether nobody else did."""
        with self._sentences() as connection:
            return bool(connection.execute(_TAKE, (number, self._member.id)).rowcount)

    def give_back(self, number: int) -> None:
        """Hold it no more."""
        with self._sentences() as connection:
            connection.execute(
                "UPDATE partitions SET member = NULL WHERE number = $1 AND member = $2",
                (number, self._member.id),
            )

    def fence(self, number: int, store: PostgresUrl) -> int:
        """The epoch to write to the partition's store with; earlier ones are refused from now on.

        Waits for a write that is under way. Raises FencedError where it is not held any more.
        """
        with self._sentences() as connection, connection.transaction():
            connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", (store.schema,)
            )
            if not connection.execute(_HELD, (number, self._member.id)).fetchall():
                raise FencedError(f"partition {number} has another owner since")
            take = f"UPDATE {store.schema}.prefrontal_store SET epoch = epoch + 1 RETURNING epoch"
            [(epoch,)] = connection.execute(take.encode()).fetchall()
            return int(epoch)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _see_to_dead(self, connection: psycopg.Connection[Any]) -> None:
        """Free what members hold whose process is gone, at once, or has hung for STALE_S."""
        has_come_back = time.monotonic() - self._member.since >= RETURN_S
        others = connection.execute(_OTHERS, (self._member.id, STALE_S)).fetchall()
        for member, is_stale, is_dead in others:
            if has_come_back and (is_stale or is_dead):
                with connection.transaction():
                    gone = connection.execute(_GONE, (member, STALE_S, is_dead)).fetchall()
                    if gone:
                        connection.execute(_FREE, (member,))

    @contextmanager
    def _sentences(self) -> Iterator[psycopg.Connection[Any]]:
        import psycopg

        try:
            with self._lock:
                if self._connection is None or self._connection.closed:
                    self._connection = connect(self._url, busy_timeout_s=BUSY_S, synchronous=True)
                yield self._connection
        except psycopg.Error as error:
            raise SourceError(f"{self._url} {what_failed(error, self._url)}") from error


def share(partitions: Collection[int], members: int) -> int:
    """Most partitions that one of so many members holds."""
    return -(-len(partitions) // max(1, members))
