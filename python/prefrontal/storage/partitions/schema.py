"""The tables that all nodes of an installation share, and where each partition's store lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InputError
from ..migrations import migrate
from ..postgres_database import PostgresDatabase

if TYPE_CHECKING:
    from ..database import Database
    from ..postgres_url import PostgresUrl

PART = "partitions"
"""Ends the name of the shared schema."""
STREAMS = -1
"""The number of what one node alone may do: read the streams."""
EACH_PARTITION, EACH_HOME, EACH_PROCESS = 2, 3, 5
"""Connections: of a store and its deliveries; of a ledger and texts beside it; of a process for
what is shared."""
_TABLES = (
    "CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL,"
    " joined_at REAL NOT NULL, renewed_at REAL NOT NULL)",
    "CREATE TABLE partitions (number INTEGER PRIMARY KEY, member INTEGER)",
    "CREATE TABLE inbox (seq INTEGER PRIMARY KEY, partition INTEGER NOT NULL,"
    " events TEXT NOT NULL)",
    "CREATE INDEX inbox_partition ON inbox (partition, seq)",
    "CREATE TABLE marks (mark BLOB PRIMARY KEY, at REAL NOT NULL)",
    "CREATE INDEX marks_at ON marks (at)",
    "CREATE TABLE places (name TEXT PRIMARY KEY, content BLOB NOT NULL)",
)


def partition_url(url: PostgresUrl, number: int, part: str = "decisions") -> PostgresUrl:
    """The store of one partition; part: "ledger" or "memory" for what episodes keep beside it."""
    return url.of_part(f"p{number:03d}_{part}")


def open_shared(url: PostgresUrl, partitions: int) -> PostgresDatabase:
    """The shared tables, made if missing. url: of the installation.

    Raises InputError where they were made for another number of partitions, SourceError.
    """
    place = url.of_part(PART)
    database = PostgresDatabase(place, str(place))
    try:
        migrate(database, [lambda each: _make(each, partitions)])
        [(count,)] = database.execute("SELECT count(*) FROM partitions WHERE number >= 0")
        if count != partitions:
            rule = f"stay {count}, as {place} was made: what is learned lies by that number"
            raise InputError(f"storage.partitions must {rule}, got {partitions}")
    except BaseException:
        database.close()
        raise
    return database


def check_connections(
    database: PostgresDatabase, partitions: int, processes: int, *, with_homes: bool = False
) -> None:
    """Raises InputError where the server allows fewer connections than one node may need.

    with_homes: episodes run there, too.
    """
    [(allowed,)] = database.execute(
        "SELECT CAST(current_setting('max_connections') AS int)"
        " - CAST(current_setting('superuser_reserved_connections') AS int)"
    )
    each = EACH_PARTITION + (EACH_HOME if with_homes else 0)
    needed = each * partitions + EACH_PROCESS * processes
    if needed > allowed:
        raise InputError(
            f"PostgreSQL's max_connections must leave {needed} for {partitions} partitions, got"
            f" {allowed}: `ALTER SYSTEM SET max_connections = {needed + 20}` and a restart, or"
            " fewer storage.partitions before the first start"
        )


def _make(database: Database, partitions: int) -> None:
    for statement in _TABLES:
        database.execute(statement)
    numbers = [(number,) for number in range(STREAMS, partitions)]
    database.execute_many("INSERT INTO partitions (number) VALUES (?)", numbers)
