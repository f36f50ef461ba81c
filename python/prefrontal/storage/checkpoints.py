"""Moving the write-ahead log into the database beside the writers, not within one's commit."""

from __future__ import annotations

import logging
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

PAGES = 1000
"""Pages in the write-ahead log from which on they are moved, as SQLite itself does."""
MORE_PAGES = 250
"""Pages until the next try, when somebody was reading or writing just then: the log begins anew
only where all of it was moved before the next commit."""
MOST_PAGES = 16_000
"""Pages (64 MiB) from which on the writer moves the last of them itself, and others wait."""

log = logging.getLogger(__name__)


class Checkpoints:
    """Takes the place of SQLite's own checkpoints, which make one commit in some hundred slow.

    A thread that lives as long as one checkpoint does the work on a connection of its own. What
    was written is as durable without it; where it fails, it is tried again later.
    """

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self._path = path
        self._connection = connection
        self._due = PAGES
        self._thread: Thread | None = None
        self.overdue = False
        connection.set_wal_hook(self._committed)

    def close(self) -> None:
        """Wait for the checkpoint that is under way."""
        if self._thread is not None:
            self._thread.join()

    def catch_up(self) -> None:
        """Move all that is left, at the end of a transaction; called when `overdue`."""
        import apsw

        self.close()
        self.overdue = False
        with suppress(apsw.Error):  # another process reads or moves: then at the next commit
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _committed(self, connection: apsw.Connection, name: str, pages: int) -> int:
        """Called at each commit, by the thread that holds the lock of the database."""
        if pages < PAGES:  # it has begun anew
            self._due = PAGES
        if pages >= self._due and (self._thread is None or not self._thread.is_alive()):
            self._due = pages + MORE_PAGES
            self._thread = Thread(target=self._move, name="prefrontal-log-mover", daemon=True)
            self._thread.start()
        self.overdue = pages >= MOST_PAGES
        return 0

    def _move(self) -> None:
        import apsw

        try:
            own = apsw.Connection(self._path, flags=apsw.SQLITE_OPEN_READWRITE)
        except apsw.Error as error:
            log.debug("%s: its log waits longer: %s", self._path, error)
            return
        try:
            own.pragma("schema_version")  # which opens the log; before, nothing is moved
            own.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            own.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)  # what came meanwhile
        except apsw.Error as error:  # somebody reads or writes: the next try is soon
            log.debug("%s: its log waits longer: %s", self._path, error)
        finally:
            own.close()
