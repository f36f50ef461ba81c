"""Who owns a store: one process at a time, renewed each second, taken over by a higher epoch."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from ..errors import SourceError
from .postgres_session import IDLE_S, connect

if TYPE_CHECKING:
    import psycopg

    from .postgres_url import PostgresUrl

RENEW_EVERY_S = 1.0
STALE_S = 3.0
"""Without a renewal, after which an owner counts as frozen or cut off."""
_STEP_S = 0.1
_STATE = """\
SELECT coalesce(owner, ''), epoch,
  coalesce(renewed_at < clock_timestamp() - make_interval(secs => $1), TRUE)
FROM prefrontal_store"""
_TAKE = """\
UPDATE prefrontal_store SET epoch = epoch + 1, owner = $1, renewed_at = clock_timestamp()
RETURNING epoch"""
_RENEW = "UPDATE prefrontal_store SET renewed_at = clock_timestamp() WHERE epoch = $1"
_END = """\
UPDATE prefrontal_store SET owner = NULL, renewed_at = NULL WHERE epoch = $1"""
_LIFE = "SELECT pg_try_advisory_lock(hashtextextended(current_schema(), 1))"
"""Held as long as the owner's connection lives: free at once when its process is killed."""

log = logging.getLogger(__name__)


class PostgresLease:
    """The ownership of the store at `url`, for `owner`, a text for people, from `take` on.

    A thread renews it. epoch: grows with each owner.
    """

    def __init__(self, url: PostgresUrl, owner: str) -> None:
        self._url = url
        self._owner = owner
        self.epoch = 0
        self._ended = Event()
        self._thread: Thread | None = None
        self._connection: psycopg.Connection[Any] | None = None

    def take(self, patience_s: float) -> None:
        """Own the store once nobody else does. Raises SourceError with the owner, psycopg.Error."""
        self._connection = self._connect()
        try:
            self._take(self._connection, time.monotonic() + patience_s)
        except BaseException:
            self._connection.close()
            raise
        self._thread = Thread(target=self._renew, name="prefrontal-lease", daemon=True)
        self._thread.start()

    def _take(self, connection: psycopg.Connection[Any], end: float) -> None:
        while True:
            with connection.transaction():
                connection.execute("SELECT begin_write(NULL)")
                [(owner, _, is_stale)] = connection.execute(_STATE, (STALE_S,)).fetchall()
                [(is_dead,)] = connection.execute(_LIFE).fetchall()
                if is_dead or is_stale or not owner:
                    [(self.epoch,)] = connection.execute(_TAKE, (self._owner,)).fetchall()
                    return
            if time.monotonic() >= end:
                raise SourceError(
                    f"{self._url} is in use by another process of prefrontal ({owner}):"
                    " one process owns a store"
                )
            time.sleep(_STEP_S)

    def give_back(self) -> None:
        """Own it no more; the next owner need not wait."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._connection is not None:
            import psycopg

            with suppress(psycopg.Error):
                self._connection.execute(_END, (self.epoch,))
            self._connection.close()

    def _connect(self) -> psycopg.Connection[Any]:
        # An owner that was frozen within a transaction keeps others until the server ends that.
        return connect(self._url, busy_timeout_s=IDLE_S + STALE_S, synchronous=False)

    def _renew(self) -> None:
        import psycopg

        while not self._ended.wait(RENEW_EVERY_S):
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = self._connect()
                if not self._connection.execute(_RENEW, (self.epoch,)).rowcount:
                    return  # it has another owner
                self._connection.execute(_LIFE)
            except (psycopg.Error, SourceError) as error:
                log.debug("%s: its lease is not renewed: %s", self._url, error)
                if self._connection is not None:
                    self._connection.close()
