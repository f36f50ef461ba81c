"""One process among those that share the partitions: known to live as long as it renews."""

from __future__ import annotations

import logging
import math
import time
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from ...errors import SourceError
from ..postgres_session import connect, what_failed

if TYPE_CHECKING:
    import psycopg

    from ..postgres_url import PostgresUrl

RENEW_EVERY_S = 0.5
STALE_S = 3.0
"""Without a renewal, after which a member counts as frozen or cut off."""
BUSY_S = 8.0
LIVES = "pg_try_advisory_lock(hashtext(current_schema()), $1::int)"
"""Held as long as the member's connection lives: free at once when its process is killed."""
NOW = "EXTRACT(EPOCH FROM clock_timestamp())"
_ID = "SELECT nextval(pg_get_serial_sequence('members', 'id'))"
_JOIN = f"INSERT INTO members VALUES ($1, $2, $3, {NOW}, {NOW})"
_RENEW = f"UPDATE members SET renewed_at = {NOW} WHERE id = $1"

log = logging.getLogger(__name__)


class Membership:
    """A member at the shared schema `url` from the start on; a thread renews it.

    name: for people. role: members of one role share partitions alike. id: its number, never used
    again. since: monotonic time at which its connection was made anew. lost: set once others
    counted it as gone, which may have taken what it held.
    """

    def __init__(self, url: PostgresUrl, name: str, role: str) -> None:
        import psycopg

        self._url = url
        self._ended = Event()
        self.lost = Event()
        try:
            self._connection: psycopg.Connection[Any] = self._connect()
            [(self.id,)] = self._connection.execute(_ID).fetchall()
            self._connection.execute(f"SELECT {LIVES}", (self.id,))
            self._connection.execute(_JOIN, (self.id, name, role))
        except psycopg.Error as error:
            raise SourceError(f"{url} {what_failed(error, url)}") from error
        self.since = -math.inf
        self._thread = Thread(target=self._run, name="prefrontal-member", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Be no member any more; what it held is free."""
        import psycopg

        self._ended.set()
        self._thread.join()
        with suppress(psycopg.Error), self._connection.transaction():
            self._connection.execute(
                "UPDATE partitions SET member = NULL WHERE member = $1", (self.id,)
            )
            self._connection.execute("DELETE FROM members WHERE id = $1", (self.id,))
        self._connection.close()

    def _connect(self) -> psycopg.Connection[Any]:
        return connect(self._url, busy_timeout_s=BUSY_S, synchronous=False)

    def _run(self) -> None:
        import psycopg

        while not self._ended.wait(RENEW_EVERY_S):
            try:
                if self._connection.closed:
                    self._connection = self._connect()
                    self._connection.execute(f"SELECT {LIVES}", (self.id,))
                    self.since = time.monotonic()
                if not self._connection.execute(_RENEW, (self.id,)).rowcount:
                    self.lost.set()
                    return
            except (psycopg.Error, SourceError) as error:
                log.debug("%s: the member is not renewed: %s", self._url, error)
                self._connection.close()
