"""The one place that opens an SQLite file: with a write-ahead log, durable on commit."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import SourceError
from .aside import copied, pending_bytes, unchanging
from .checkpoints import Checkpoints
from .database import APPLICATION_ID, DamagedFileError, Row, RowError, Value

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    import apsw


WAIT_S = 0.005
"""Between two tries to switch a file to a write-ahead log."""


class SqliteDatabase:
    """One connection, shared by the threads of a process, to one SQLite file.

    path: the file, made private to its owner if it is missing; ":memory:" keeps all in memory.
    busy_timeout_s: how long to wait while another process writes. read_only: the file must be
    there; nothing is written, and who reads never waits for who writes. Where SQLite cannot make
    its files beside it, it is read alone, or, with changes that wait in its log, in a copy.
    application_id: what a new file is marked with, and any other must bear. remedy: what to do
    about a damaged one.

    A transaction that has ended without an error survives a power cut; with synchronous "normal"
    it need only survive the end of the process, and does not wait for the disk. Raises SourceError
    naming the path when the file cannot be opened, read or written, is damaged, or is not ours.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        busy_timeout_s: float = 10.0,
        *,
        read_only: bool = False,
        application_id: int = APPLICATION_ID,
        synchronous: Literal["full", "normal"] = "full",
        remedy: str = "",
    ) -> None:
        name = os.fspath(path)
        self.path = name if name == ":memory:" else str(Path(name).absolute())
        self._lock = threading.RLock()
        self._busy_timeout_s = busy_timeout_s
        self._application_id = application_id
        self._synchronous = synchronous
        self._remedy = remedy
        self._depth = 0
        self._file = self.path
        self._copy: TemporaryDirectory[str] | None = None
        self._read_only = read_only
        if self.path != ":memory:":
            (_check_plain_file if read_only else _make_private_file)(Path(self.path))
        self._checkpoints: Checkpoints | None = None
        with self._sentences():
            self._connection = self._open_to_read() if read_only else self._open()

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        with self._lock:
            try:
                return self._connection.execute(sql, values).fetchall()
            except Exception:  # a context for each statement would cost as much as a short one
                with self._sentences():
                    raise

    def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows`; returns how many rows of the table changed."""
        with self._lock, self._sentences():
            before = self._connection.total_changes()
            self._connection.executemany(sql, rows)
            return self._connection.total_changes() - before

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is executed inside is written at the end, or, on any exception, nothing.

        Other threads and processes that want to write wait. Inside another transaction it joins
        that one.
        """
        with self._lock:
            if self._depth == 0:
                self.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self.execute("COMMIT")
                    if self._checkpoints is not None and self._checkpoints.overdue:
                        self._checkpoints.catch_up()
            except BaseException:  # an interrupt too must leave no half transaction
                self._roll_back()
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read inside is of one moment; other threads wait."""
        with self._lock:
            self.execute("BEGIN")
            try:
                yield
            finally:
                self.execute("ROLLBACK")

    def beside(self) -> SqliteDatabase:
        """Another connection to the file, whose commits do not wait for the disk."""
        path = self._file if self._read_only else self.path
        return SqliteDatabase(
            path,
            read_only=self._read_only,
            application_id=self._application_id,
            synchronous="normal",
        )

    def sole_file(self) -> None:
        """Close it with all of it in the one file. Raises SourceError while another process has
        it open.
        """
        try:
            self.execute("PRAGMA journal_mode = DELETE")
        except SourceError:
            raise SourceError(
                f"{self.path} is open in another process: end the agent, the page and what else"
                " reads it, then do this again"
            ) from None
        self.close()

    def claim(self, owner: str) -> None: ...

    def write_as(self, epoch: int) -> None: ...

    def schema_version(self) -> int:
        [(version,)] = self.execute("PRAGMA user_version")
        return int(version)

    def note_schema_version(self, version: int) -> None:
        self.execute(f"PRAGMA user_version = {version}")

    def number_after(self, table: str, column: str) -> None:
        """SQLite does so by itself."""

    def changes(self) -> int:
        [(version,)] = self.execute("PRAGMA data_version")
        return int(version)

    def give_back_space(self) -> None:
        self.execute("PRAGMA incremental_vacuum")
        if not self._depth:  # the write-ahead log is not emptied within a transaction
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def shred(self) -> None:
        """Write the file anew without what was deleted, and empty its write-ahead log."""
        self.execute("VACUUM")
        if self.path == ":memory:":
            return
        [(busy, _, _)] = self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise SourceError(
                f"{self.path} is open in another process, so its log still holds what was deleted:"
                " end the agent and the page, then do this again"
            )

    def close(self) -> None:
        """Give the file back; a second call does nothing, any other then raises SourceError."""
        with self._lock, self._sentences():
            if self._checkpoints is not None:
                self._checkpoints.close()
            self._connection.close()
            if self._copy is not None:
                self._copy.cleanup()

    def _roll_back(self) -> None:
        if self._depth == 1 and self._connection.in_transaction:
            with suppress(SourceError):  # the first failure is the one to tell
                self.execute("ROLLBACK")

    def _open(self) -> apsw.Connection:
        import apsw

        connection = apsw.Connection(self.path)
        try:
            connection.set_busy_timeout(round(self._busy_timeout_s * 1000))
            self._adopt(connection)
            self._write_ahead(connection)
            # full: on the disk before it is acknowledged
            connection.pragma("synchronous", self._synchronous)
            connection.pragma("journal_size_limit", 16 << 20)
            connection.pragma("foreign_keys", "on")
            if self.path != ":memory:":
                self._checkpoints = Checkpoints(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_to_read(self) -> apsw.Connection:
        import apsw

        try:
            return self._reader(self.path)
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError):
            if not pending_bytes(self.path):
                return self._reader(unchanging(self.path), apsw.SQLITE_OPEN_URI)
        self._copy = copied(self.path)
        self._file = str(Path(self._copy.name) / Path(self.path).name)
        try:
            return self._reader(self._file)
        except BaseException:
            self._copy.cleanup()
            raise

    def _reader(self, name: str, also: int = 0) -> apsw.Connection:
        import apsw

        connection = apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | also)
        try:
            connection.set_busy_timeout(round(self._busy_timeout_s * 1000))
            if connection.pragma("application_id") != self._application_id:
                self._refuse_others(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _adopt(self, connection: apsw.Connection) -> None:
        """Mark an empty file as ours; refuse one that holds something else."""
        if connection.pragma("application_id") == self._application_id:
            return
        if not connection.execute("SELECT count(*) FROM sqlite_schema").get:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only an empty file takes it
        connection.execute("BEGIN IMMEDIATE")  # another process may be making the same file
        if connection.pragma("application_id") != self._application_id:
            self._refuse_others(connection)
            connection.execute(f"PRAGMA application_id = {self._application_id}")
        connection.execute("COMMIT")

    def _write_ahead(self, connection: apsw.Connection) -> None:
        """Switch the file to a write-ahead log. SQLite refuses at once where another process
        switches it or writes without one just then, and does not wait: so we do.
        """
        import apsw

        until = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                connection.pragma("journal_mode", "wal")
                return
            except apsw.BusyError:
                if time.monotonic() > until:
                    raise
                time.sleep(WAIT_S)

    def _refuse_others(self, connection: apsw.Connection) -> None:
        if connection.execute("SELECT count(*) FROM sqlite_schema").get:
            raise SourceError(f"{self.path} is a database of another program")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn the library's errors into sentences that name the file."""
        import apsw

        try:
            yield
        except apsw.ConstraintError as error:
            raise RowError(f"{self.path} refuses the row: {error}") from error
        except (apsw.NotADBError, apsw.CorruptError) as error:
            remedy = f"; {self._remedy}" if self._remedy else ""
            sentence = f"{self.path} {self._what_failed(error)}{remedy}"
            raise DamagedFileError(sentence) from error
        except (apsw.Error, UnicodeEncodeError) as error:
            raise SourceError(f"{self.path} {self._what_failed(error)}") from error

    def _what_failed(self, error: Exception) -> str:
        import apsw

        if isinstance(error, apsw.BusyError):
            return f"is locked by another process for more than {self._busy_timeout_s:g} s"
        if isinstance(error, apsw.CantOpenError) and _is_forbidden(self.path):
            return f"cannot be opened: {os.strerror(errno.EACCES)}"
        sentences: dict[type[Exception], str] = {
            apsw.NotADBError: "is not a database",
            apsw.CorruptError: "is damaged",
            apsw.FullError: "cannot be written: the disk is full",
            apsw.ReadOnlyError: "cannot be written: it is read-only",
            apsw.CantOpenError: "cannot be opened: its folder must allow to create files",
            apsw.IOError: "cannot be read or written: the disk failed or is full",
            apsw.ConnectionClosedError: "is closed",
        }
        return sentences.get(type(error), f"cannot be used: {error}")


def _is_forbidden(path: str) -> bool:
    """Whether the file is there, and this user may not read it."""
    return os.access(path, os.F_OK) and not os.access(path, os.R_OK)


def _make_private_file(path: Path) -> None:
    """Create the file, if it is missing, with no permissions for others. Raises SourceError."""
    try:
        str(path).encode()
        # Only if new: opening and closing an existing file would drop this process's locks on it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        _check_plain_file(path)
    except UnicodeEncodeError as error:
        raise SourceError(f"{str(path)!r} cannot be opened: its name must be UTF-8") from error
    except (OSError, ValueError) as error:
        raise _not_opened(path, error) from error


def _check_plain_file(path: Path) -> None:
    """Raise SourceError unless that is a plain file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise _not_opened(path, error) from error
    if not stat.S_ISREG(mode):
        kind = "it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file"
        raise SourceError(f"{path} cannot be opened: {kind}")


def _not_opened(path: Path, error: OSError | ValueError) -> SourceError:
    """ValueError: a null character in the name."""
    return SourceError(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}")
