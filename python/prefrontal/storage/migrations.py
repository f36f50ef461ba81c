"""Runs the numbered steps from an empty database to today's schema."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..errors import SourceError
from .database import APPLICATION_ID, Database
from .opening import open_database

Step: TypeAlias = Callable[[Database], object]


def open_migrated(
    path: str | os.PathLike[str],
    steps: Sequence[Step],
    *,
    application_id: int = APPLICATION_ID,
    remedy: str = "",
) -> Database:
    """The database, created or brought to today's schema; remedy: what to do about a damaged file.

    Raises SourceError.
    """
    database = open_database(path, application_id=application_id, remedy=remedy)
    try:
        migrate(database, steps)
    except BaseException:
        database.close()
        raise
    return database


def open_to_read(
    path: str | os.PathLike[str], steps: Sequence[Step], *, application_id: int = APPLICATION_ID
) -> Database:
    """The database as it is, if it has today's schema. Raises SourceError."""
    database = open_database(path, read_only=True, application_id=application_id)
    try:
        check_version(database, steps)
        if (version := database.schema_version()) < len(steps):
            raise SourceError(
                f"{database.path} was written by an earlier release (schema {version}, this one"
                f" reads {len(steps)}) and must be opened once where it can be written"
            )
    except BaseException:
        database.close()
        raise
    return database


def migrate(database: Database, steps: Sequence[Step]) -> None:
    """Run the steps that the database has not seen, each in one transaction with its number.

    Several processes may do so at once. Raises SourceError for a schema newer than `steps`.
    """
    check_version(database, steps)
    version = database.schema_version()
    for number, step in enumerate(steps[version:], start=version + 1):
        with database.transaction():
            if database.schema_version() < number:
                step(database)
                database.note_schema_version(number)


def check_version(database: Database, steps: Sequence[Step]) -> None:
    """Raises SourceError for a schema newer than `steps`."""
    version = database.schema_version()
    if version > len(steps):
        raise SourceError(
            f"{database.path} was written by a newer release (schema {version}, this one knows"
            f" {len(steps)}): upgrade prefrontal or choose another store"
        )
