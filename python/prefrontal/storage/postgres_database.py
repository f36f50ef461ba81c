"""A store in a schema of PostgreSQL: the same statements, the same promises."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from ..errors import SourceError
from .database import APPLICATION_ID, FencedError, Row, RowError, Value
from .postgres_session import connect, library, what_failed
from .postgres_sql import PREPARATION, as_parameter, from_column, translated

if TYPE_CHECKING:
    import psycopg

    from .postgres_lease import PostgresLease
    from .postgres_url import PostgresUrl

READS = ("SELECT", "WITH")
PATIENCE_S = 5.0


class PostgresDatabase:
    """One connection, shared by the threads of a process, to one schema.

    url: where; path: the file that names it. busy_timeout_s: how long to wait while another
    process writes. read_only: the schema must be there; nothing is written. application_id: what a
    new schema is marked with, and any other must bear. epoch: of the owner it writes for; None for
    one that owns nothing.

    Writers take turns, so that rows are numbered in the order of commits. A lost connection is made
    anew with the next statement outside a transaction.
    """

    def __init__(
        self,
        url: PostgresUrl,
        path: str,
        busy_timeout_s: float = 10.0,
        *,
        read_only: bool = False,
        application_id: int = APPLICATION_ID,
        synchronous: Literal["full", "normal"] = "full",
        epoch: int | None = None,
    ) -> None:
        self.url = url
        self.path = path
        self._lock = threading.RLock()
        self._busy_timeout_s = busy_timeout_s
        self._application_id = application_id
        self._read_only = read_only
        self._synchronous = synchronous
        self._epoch = epoch
        self._depth = 0
        self._closed = False
        self._lease: PostgresLease | None = None
        self._connection: psycopg.Connection[Any] | None = None
        try:
            with self._sentences():
                self._adopt(self._connected())
        except BaseException:
            self.close()
            raise

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        with self._lock, self._sentences():
            if not (self._depth or self._read_only or sql.startswith(READS)):
                with self.transaction():
                    return self.execute(sql, values)
            parameters = [as_parameter(each) for each in values]
            cursor = self._connected().execute(translated(sql), parameters)
            if cursor.description is None:
                return []
            return [tuple(map(from_column, row)) for row in cursor.fetchall()]

    def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows`; returns how many rows of the table changed."""
        parameters = [[as_parameter(each) for each in row] for row in rows]
        if not parameters:
            return 0
        with self.transaction(), self._sentences(), self._connected().cursor() as cursor:
            cursor.executemany(translated(sql), parameters)
            return int(cursor.rowcount)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is executed inside is written at the end, or, on any exception, nothing.

        Other threads and processes that want to write wait. Inside another transaction it joins
        that one. Raises FencedError once another owner has taken over.
        """
        with self._lock:
            if self._depth == 0:
                self._begin()
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._run("COMMIT")
            except BaseException:  # an interrupt too must leave no half transaction
                if self._depth == 1:
                    self._roll_back()
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read inside is of one moment; other threads wait."""
        with self._lock:
            self._run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                self._roll_back()

    def beside(self) -> PostgresDatabase:
        """Another connection of the same owner, whose commits do not wait for the disk."""
        return PostgresDatabase(
            self.url,
            self.path,
            application_id=self._application_id,
            synchronous="normal",
            epoch=self._epoch,
        )

    def claim(self, owner: str, patience_s: float = PATIENCE_S) -> None:
        """Be the one owner from now on: what an earlier one still writes is refused.

        Raises SourceError, naming the owner, when that one is alive.
        """
        from .postgres_lease import PostgresLease

        with self._sentences():
            lease = PostgresLease(self.url, owner)
            lease.take(patience_s)
        with self._lock:
            self._lease, self._epoch = lease, lease.epoch

    def write_as(self, epoch: int) -> None:
        """Write for the owner of that number, as long as none has a higher one."""
        with self._lock:
            self._epoch = epoch

    def begin_copy(self, origin: str, is_empty: bool) -> None:
        """Mark it as an unfinished copy. Raises SourceError where it is no empty store, nor an
        unfinished copy of the same origin.
        """
        [(mark,)] = self.execute(
            "SELECT obj_description(CAST('prefrontal_store' AS regclass), 'pg_class')"
        )
        if mark != origin and not is_empty:
            raise SourceError(
                f"{self.url} holds a store already: name another schema, as in"
                " postgresql://HOST/DATABASE?schema=NAME"
            )
        self._mark_copy(origin)

    def end_copy(self) -> None:
        """It is whole, and a store like any other."""
        self._mark_copy("")

    def _mark_copy(self, origin: str) -> None:
        quoted = origin.replace("'", "''")
        self.execute(f"COMMENT ON TABLE prefrontal_store IS '{quoted}'")

    def schema_version(self) -> int:
        [(version,)] = self.execute("SELECT schema_version FROM prefrontal_store")
        return int(version)

    def note_schema_version(self, version: int) -> None:
        self.execute("UPDATE prefrontal_store SET schema_version = ?", (version,))

    def number_after(self, table: str, column: str) -> None:
        self.execute(
            f"SELECT setval(pg_get_serial_sequence(?, ?), (SELECT max({column}) FROM {table}))",
            (f"{self.url.schema}.{table}", column),
        )

    def changes(self) -> int:
        [(version,)] = self.execute(
            "SELECT hashtextextended(CAST(pg_current_snapshot() AS text), 0)"
        )
        return int(version)

    def check_rights(self) -> None:
        """Raises SourceError where this user may only read."""
        [(may_write,)] = self.execute("SELECT has_table_privilege('prefrontal_store', 'UPDATE')")
        if not may_write:
            raise SourceError(
                f"{self.path} may only be read by this user of {self.url.server}: name the owner of"
                " its tables in the URL"
            )

    def give_back_space(self) -> None:
        """PostgreSQL does so by itself."""

    def shred(self) -> None:
        """Write the tables anew without what was deleted; the server's logs and backups keep it."""
        with self._lock, self._sentences():
            for (table,) in self.execute(
                "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()"
            ):
                self._connected().execute(f"VACUUM FULL {table}".encode())

    def close(self) -> None:
        """Give the connection back; a second call does nothing."""
        with self._lock:
            self._closed = True
            if self._lease is not None:
                self._lease.give_back()
            if self._connection is not None:
                self._connection.close()

    def _begin(self) -> None:
        self._run("BEGIN")
        try:
            self._run("SELECT begin_write(?)", self._epoch)
        except BaseException:
            self._roll_back()
            raise

    def _run(self, sql: str, *values: Value) -> None:
        with self._sentences():
            self._connected().execute(translated(sql), values)

    def _roll_back(self) -> None:
        psycopg = library()

        with suppress(psycopg.Error):  # the first failure is the one to tell
            if self._connection is not None and not self._connection.broken:
                self._connection.execute("ROLLBACK")

    def _connected(self) -> psycopg.Connection[Any]:
        """The connection; a new one where it was lost before this transaction."""
        if self._closed:
            raise SourceError(f"{self.path} is closed")
        known = self._connection
        if known is None or ((known.broken or known.closed) and self._depth == 0):
            if known is not None:
                known.close()
            self._connection = known = connect(
                self.url,
                busy_timeout_s=self._busy_timeout_s,
                synchronous=self._synchronous == "full",
            )
        return known

    def _adopt(self, connection: psycopg.Connection[Any]) -> None:
        """Make an empty schema ours; refuse one that holds something else."""
        schema = self.url.schema
        [(is_ours,)] = connection.execute(
            "SELECT to_regclass($1) IS NOT NULL", (f"{schema}.prefrontal_store",)
        ).fetchall()
        if not is_ours:
            if self._read_only:
                place = "" if self.path == str(self.url) else f"{self.path}: "
                raise SourceError(
                    f"{place}{self.url} holds no store of prefrontal: `prefrontal storage migrate`"
                    " or the first node of `--partitions` makes it"
                )
            with connection.transaction():
                lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
                connection.execute(lock, (schema,))
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
                [(tables,)] = connection.execute(
                    "SELECT count(*) FILTER (WHERE tablename <> 'prefrontal_store') - 1000000 *"
                    " count(*) FILTER (WHERE tablename = 'prefrontal_store')"
                    " FROM pg_tables WHERE schemaname = $1",
                    (schema,),
                ).fetchall()
                if tables > 0:
                    raise SourceError(f"{self.path}: {self.url} is a database of another program")
                if tables == 0:
                    connection.execute(PREPARATION.encode())
                    connection.execute(
                        "INSERT INTO prefrontal_store VALUES ($1)", (self._application_id,)
                    )
        [(mark,)] = connection.execute("SELECT application_id FROM prefrontal_store").fetchall()
        if mark != self._application_id:
            raise SourceError(f"{self.path}: {self.url} is a database of another program")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn the library's errors into sentences that name the store."""
        psycopg = library()

        try:
            yield
        except psycopg.IntegrityError as error:
            raise RowError(f"{self.path} refuses the row: {error}") from error
        except (psycopg.Error, UnicodeEncodeError) as error:
            if getattr(error, "sqlstate", None) == "PF001":
                raise FencedError(
                    f"{self.path} has another owner since: this process writes no more"
                ) from error
            raise SourceError(f"{self.path} {what_failed(error, self.url)}") from error
