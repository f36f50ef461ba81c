"""A store that one thread writes in groups, with a connection beside it that only reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from ..errors import SourceError
from .database import Database
from .group_writer import GroupWriter, run_alone
from .migrations import Step, migrate, open_migrated
from .opening import open_database

IN_MEMORY = ":memory:"
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Schema:
    """What a kind of store holds.

    application_id: what its files are marked with. steps: from an empty database to today's tables.
    views: by schema, those through which current statements read an older file unchanged.
    remedy: what to do about a damaged file.
    """

    application_id: int
    steps: Sequence[Step]
    views: Mapping[int, Sequence[str]]
    remedy: str = ""

    def open_writer(self, path: str | os.PathLike[str]) -> Database:
        """The database, created or migrated to the current schema. Raises SourceError."""
        return open_migrated(
            path, self.steps, application_id=self.application_id, remedy=self.remedy
        )

    def open_reader(self, path: str | os.PathLike[str]) -> Database:
        """The database, read-only; an empty one for a file without a schema yet.

        Never waits for the writer. Raises SourceError.
        """
        database = open_database(
            path, read_only=True, application_id=self.application_id, remedy=self.remedy
        )
        try:
            if (version := database.schema_version()) > 0:
                self._read_as_today(database, version)
                return database
        except BaseException:
            database.close()
            raise
        database.close()
        return self.open_writer(IN_MEMORY)

    def _read_as_today(self, database: Database, version: int) -> None:
        if version >= len(self.steps):
            migrate(database, self.steps)  # writes nothing: only refuses a newer schema
            return
        for number, views in self.views.items():
            for view in views if version <= number else ():
                database.execute(view)


class StoreFile:
    """The connections to one store.

    path: ":memory:" has one connection, which writes at once. read_only: nothing can be written.
    Raises SourceError.
    """

    def __init__(
        self, schema: Schema, path: str | os.PathLike[str], *, read_only: bool = False
    ) -> None:
        self._schema = schema
        self._read_only = read_only
        self._writer: GroupWriter | None = None
        if read_only:
            self.database = self.reader = schema.open_reader(path)
            return
        self.database = self.reader = schema.open_writer(path)
        if not self.in_memory:
            try:
                self.reader = schema.open_reader(path)
            except BaseException:
                self.database.close()
                raise
            self._writer = GroupWriter(self.database)

    @property
    def path(self) -> str:
        """The file, absolute, or ":memory:"."""
        return self.database.path

    @property
    def in_memory(self) -> bool:
        """Whether there is no file."""
        return self.path == IN_MEMORY

    def submit(self, job: Callable[[], Result]) -> Future[Result]:
        """Queue what writes; the future is done when it is on the disk. Raises SourceError."""
        if self._read_only:
            raise SourceError(f"{self.path} was opened only to read")
        if self._writer is not None:
            return self._writer.submit(job)
        return run_alone(self.database, job)

    def erase(self, job: Callable[[], Result]) -> Result:
        """Run what deletes; no byte of that is left in the files when it returns.

        Raises SourceError while another process has the file open: then the rows are gone, and some
        bytes are not.
        """
        result = self.submit(job).result()
        own = self.reader is not self.database
        if own:
            self.reader.close()  # it would keep the log
        try:
            self.database.shred()
        finally:
            if own:
                self.reader = self._schema.open_reader(self.path)
        return result

    def finish(self) -> Future[None]:
        """Accept no more jobs; the future is done when all queued ones are on the disk."""
        if self._writer is not None:
            return self._writer.end()
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def close(self) -> None:
        """Finish the queued writes and close the file; a second call does nothing."""
        self.finish().result()
        self.reader.close()
        self.database.close()
