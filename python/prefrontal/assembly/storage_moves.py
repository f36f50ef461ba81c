"""Moves what an installation keeps from SQLite to PostgreSQL and back, and copies it away."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..cortex.memory.wishes import OPERATOR_LOCK
from ..decisions.schema import STEPS as DECISION_STEPS
from ..decisions.stored_tables import TABLES as DECISION_TABLES
from ..errors import InputError, SourceError
from ..ledger.location import FILE_NAME
from ..ledger.lock import WriterLock
from ..ledger.schema import APPLICATION_ID as LEDGER_ID
from ..ledger.schema import STEPS as LEDGER_STEPS
from ..ledger.stored_tables import TABLES as LEDGER_TABLES
from ..runtime.conversation.schema import APPLICATION_ID as TALK_ID
from ..runtime.conversation.store import conversations_path
from ..storage.database import APPLICATION_ID
from ..storage.lock_file import locked
from ..storage.memory_table import APPLICATION_ID as MEMORY_ID
from ..storage.memory_table import STEPS as MEMORY_STEPS
from ..storage.memory_table import TABLES as MEMORY_TABLES
from ..storage.memory_table import put_texts
from ..storage.migrations import check_version, migrate, open_migrated
from ..storage.opening import open_database
from ..storage.postgres_url import PostgresUrl, read_link, write_link
from ..storage.text_memory import files_folder, table_path
from ..storage.transfer import Progress, StoredTable, copy_store
from .memory_moves import FORMER, fold_files, read_files, unfold_table

if TYPE_CHECKING:
    from ..storage.database import Database
    from ..storage.migrations import Step
    from ..storage.postgres_database import PostgresDatabase
    from ..storage.state_folder import StateFolder

SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class LocalStore:
    """One file of an installation, and what lies in it. part: ends the name of its schema.

    alone: keeps other processes of ours from writing to it while inside. folder: of files that
    hold the same as long as there is no file at `path`.
    """

    part: str
    path: Path
    steps: Sequence[Step]
    tables: Sequence[StoredTable]
    application_id: int
    alone: Callable[[], AbstractContextManager[None]]
    folder: Path | None = None

    @property
    def is_there(self) -> bool:
        return self.path.exists() or (self.folder is not None and self.folder.is_dir())

    @property
    def in_files(self) -> Path | None:
        """The folder of files, where it lies in one."""
        return None if self.path.exists() else self.folder

    def open(self, path: Path | None = None) -> Database:
        if path is None and self.in_files is not None:
            return self._copy_of(self.in_files)
        return open_migrated(path or self.path, self.steps, application_id=self.application_id)

    def open_to_read(self) -> Database:
        if self.in_files is not None:
            return self._copy_of(self.in_files)
        database = open_database(self.path, read_only=True, application_id=self.application_id)
        try:
            check_version(database, self.steps)
        except BaseException:
            database.close()
            raise
        return database

    def _copy_of(self, folder: Path) -> Database:
        """A table in memory of the texts in the folder."""
        database = open_migrated(":memory:", self.steps, application_id=self.application_id)
        put_texts(database, read_files(folder))
        return database

    def open_at(self, url: PostgresUrl) -> PostgresDatabase:
        """The store on the server, brought to today's schema. Raises SourceError."""
        from ..storage.postgres_database import PostgresDatabase

        database = PostgresDatabase(url, str(self.path), application_id=self.application_id)
        try:
            migrate(database, self.steps)
        except BaseException:
            database.close()
            raise
        return database


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """What was copied: where to, how many rows, and the hash of each table."""

    store: LocalStore
    place: str
    rows: int
    digests: dict[str, str]


def stores(
    state: StateFolder, workspace: Path, ledger_file: Path | None = None
) -> list[LocalStore]:
    """What is there of decisions, with labels, weights, positions and deliveries, of the ledger,
    and of the texts that the agent keeps, its beliefs among them.

    ledger_file: where the ledger lies; None for its usual place in the workspace.
    """
    decisions = LocalStore(
        "decisions",
        state.decisions,
        DECISION_STEPS,
        DECISION_TABLES,
        APPLICATION_ID,
        state.watched,
    )
    book = ledger_file or workspace / FILE_NAME
    ledger = LocalStore(
        "ledger", book, LEDGER_STEPS, LEDGER_TABLES, LEDGER_ID, lambda: _ledger_alone(book)
    )
    memory = LocalStore(
        "memory",
        table_path(workspace),
        MEMORY_STEPS,
        MEMORY_TABLES,
        MEMORY_ID,
        lambda: _agent_away(workspace, book),
        files_folder(workspace),
    )
    return [each for each in (decisions, ledger, memory) if each.is_there]


def move_to_server(store: LocalStore, url: PostgresUrl, progress: Progress) -> StoreCopy:
    """Copy the store to its schema on the server, compare, and let its path name that.

    The file stays beside it under another name. Cut off before the end, the file is still the
    store, and a second call goes on. Raises InputError where it lies on a server already,
    SourceError.
    """
    from ..storage.sqlite_database import SqliteDatabase

    place = url.of_part(store.part)
    if (before := read_link(store.path)) is not None:
        raise InputError(f"{store.path} lies on a server already: {before}")
    former = store.path.with_name(f"{store.path.name}.{FORMER}")
    with store.alone(), ExitStack() as held:
        folder = store.in_files
        if folder is not None:
            fold_files(folder, store.path)
        source = store.open()
        held.callback(source.close)
        target = store.open_at(place)
        held.callback(target.close)
        assert isinstance(source, SqliteDatabase)
        is_empty = not any(each.count(target) for each in store.tables)
        target.begin_copy(f"copy of {socket.gethostname()}:{store.path.absolute()}", is_empty)
        with source.transaction():  # nobody else writes meanwhile
            digests = copy_store(source, target, store.tables, progress)
            rows = sum(each.count(target) for each in store.tables)
            version = source.changes()
        if source.changes() != version:
            raise SourceError(f"{store.path} was written to meanwhile: do this again")
        target.end_copy()
        source.sole_file()
        former.unlink(missing_ok=True)
        if folder is None:  # else the folder stays
            os.link(store.path, former)
        write_link(store.path, place)
    return StoreCopy(store, str(place), rows, digests)


def move_to_file(store: LocalStore, progress: Progress) -> StoreCopy:
    """Copy the store from its server to an SQLite file in the place of the file that names it.

    What lay in a folder of files does so again. What lies on the server stays there and belongs to
    nobody. Raises InputError where the store is
    a file already, SourceError.
    """
    url = read_link(store.path)
    if url is None:
        raise InputError(f"{store.path} is an SQLite file already")
    copy = store.path.with_name(f"{store.path.name}.copy")
    with store.alone():
        source = store.open()
        try:
            source.claim("prefrontal storage migrate")
            moved = _copy(store, source, copy, progress)
        finally:
            source.close()
        copy.replace(store.path)
        if store.folder is not None:
            unfold_table(store.path, store.folder)
            return StoreCopy(store, str(store.folder), moved.rows, moved.digests)
    return StoreCopy(store, str(store.path), moved.rows, moved.digests)


def back_up(store: LocalStore, folder: Path, progress: Progress) -> StoreCopy:
    """Copy the store, as it is at one moment, to an SQLite file of its name in the folder.

    It may be in use. Raises InputError where the file is there, SourceError.
    """
    target = _new_file(folder, store.path)
    source = store.open()
    try:
        with source.reading():
            return _copy(store, source, target, progress)
    finally:
        source.close()


def back_up_conversations(workspace: Path, folder: Path) -> tuple[Path, int] | None:
    """Copy the conversations with their index, notes and facts, which may be in use.

    The new file in the folder and how many messages it holds; None where there are none. Raises
    InputError where the file is there, SourceError.
    """
    path = conversations_path(workspace)
    if not path.exists():
        return None
    target = _new_file(folder, path)
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    _write_out(path, part, TALK_ID)
    with closing(open_database(part, read_only=True, application_id=TALK_ID)) as copy:
        [(messages,)] = copy.execute("SELECT count(*) FROM messages")
    part.replace(target)
    return target, int(messages)


def copy_decisions(state: StateFolder, target: Path) -> None:
    """A new SQLite file with the decisions, which may be in use. Raises SourceError."""
    if read_link(state.decisions) is None:
        _write_out(state.decisions, target, APPLICATION_ID)
        return
    [decisions] = [each for each in stores(state, state.path) if each.part == "decisions"]
    with closing(decisions.open()) as source, source.reading():
        _copy(decisions, source, target, lambda table, rows: None)


def _new_file(folder: Path, path: Path) -> Path:
    """Where the backup of the file goes. Raises InputError where something is there."""
    target = folder / path.name
    if target.exists():
        raise InputError(f"backup must be a new file, got {str(target)!r}")
    return target


def _write_out(path: Path, target: Path, application_id: int) -> None:
    """A new SQLite file with all of one that may be in use."""
    with closing(open_database(path, read_only=True, application_id=application_id)) as database:
        database.execute("VACUUM INTO ?", (str(target),))


def _copy(store: LocalStore, source: Database, target: Path, progress: Progress) -> StoreCopy:
    """A whole SQLite file, or none."""
    from ..storage.sqlite_database import SqliteDatabase

    for left_over in target.parent.glob(f"{target.name}.part*"):
        left_over.unlink()
    part = target.with_name(f"{target.name}.part")
    copy = store.open(part)
    try:
        digests = copy_store(source, copy, store.tables, progress)
        rows = sum(each.count(copy) for each in store.tables)
        assert isinstance(copy, SqliteDatabase)
        copy.sole_file()
    finally:
        copy.close()
    part.replace(target)
    return StoreCopy(store, str(target), rows, digests)


@contextmanager
def _agent_away(workspace: Path, ledger: Path) -> Iterator[None]:
    """No agent works there, and nobody changes what the operator wishes."""
    with _ledger_alone(ledger), locked(workspace / OPERATOR_LOCK):
        yield


@contextmanager
def _ledger_alone(path: Path) -> Iterator[None]:
    lock = WriterLock(path)
    try:
        yield
    finally:
        lock.release()
