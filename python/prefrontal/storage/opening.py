"""From the path of a store to its tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .database import APPLICATION_ID
from .postgres_url import read_link

if TYPE_CHECKING:
    from .database import Database


def open_database(
    path: str | os.PathLike[str],
    *,
    read_only: bool = False,
    application_id: int = APPLICATION_ID,
    remedy: str = "",
) -> Database:
    """The tables at that path: those of an SQLite file, or of the store that the file names.

    remedy: what to do about a damaged file.

    Raises SourceError, InputError where an extra is missing.
    """
    if (url := read_link(path)) is not None:
        from .postgres_database import PostgresDatabase

        name = str(Path(path).absolute())
        return PostgresDatabase(url, name, read_only=read_only, application_id=application_id)
    from .sqlite_database import SqliteDatabase

    return SqliteDatabase(path, read_only=read_only, application_id=application_id, remedy=remedy)
