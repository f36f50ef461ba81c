"""From the path of a store to its tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .database import APPLICATION_ID

if TYPE_CHECKING:
    from .database import Database


def open_database(
    path: str | os.PathLike[str],
    *,
    read_only: bool = False,
    application_id: int = APPLICATION_ID,
) -> Database:
    """The tables at that path, as `SqliteDatabase` opens them. Raises SourceError."""
    from .sqlite_database import SqliteDatabase

    return SqliteDatabase(path, read_only=read_only, application_id=application_id)
