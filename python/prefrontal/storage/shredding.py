"""Leaving no byte of a deleted row in a database's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SourceError

if TYPE_CHECKING:
    from .database import Database


def shred(database: Database) -> None:
    """Write the file anew without what was deleted, and empty its write-ahead log.

    Raises SourceError while another process reads or writes the file.
    """
    database.execute("VACUUM")
    if database.path == ":memory:":
        return
    [(busy, _, _)] = database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise SourceError(
            f"{database.path} is open in another process, so its log still holds what was deleted:"
            " end the agent and the page, then do this again"
        )
