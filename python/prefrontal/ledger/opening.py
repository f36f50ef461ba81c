"""Opens a ledger for writing, or for reading beside a writer."""

from __future__ import annotations

import os

from ..storage.database import Database
from ..storage.migrations import migrate, open_migrated
from ..storage.opening import open_database
from .schema import APPLICATION_ID, STEPS, read_as_today

IN_MEMORY = ":memory:"


def open_writer(path: str | os.PathLike[str]) -> Database:
    """The database, created or migrated to the current schema. Raises SourceError."""
    return open_migrated(path, STEPS, application_id=APPLICATION_ID)


def open_reader(path: str | os.PathLike[str]) -> Database:
    """The database, read-only; an empty one for a file without a schema yet.

    Never waits for the writer. Raises SourceError.
    """
    database = open_database(path, read_only=True, application_id=APPLICATION_ID)
    try:
        if (version := database.schema_version()) > 0:
            if version < len(STEPS):
                read_as_today(database, version)
            else:
                migrate(database, STEPS)  # writes nothing: only refuses a newer schema
            return database
    except BaseException:
        database.close()
        raise
    database.close()
    return open_writer(IN_MEMORY)
