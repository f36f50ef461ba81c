"""One thread that writes what others hand it, many records a transaction."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import SourceError

if TYPE_CHECKING:
    from .decision import Decision

_LOG = logging.getLogger(__name__)
BATCH = 1000
"""Most records in one transaction."""
SMALL_BATCH = 64
"""As many are written at once unless more than four times that are waiting: others write too, and
wait as long as a transaction lasts."""
GATHER_S = 0.05
"""How long a record may wait for others before it is written, unless somebody waits for it."""


class DeferredWriter:
    """A bounded queue of records and the thread that writes them, in order.

    write: keeps several records at once or raises. limit: most records waiting.
    The thread starts with the first record.
    """

    def __init__(self, write: Callable[[Sequence[Decision]], None], limit: int) -> None:
        self._write = write
        self._limit = limit
        self._waiting: deque[Decision] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._flushing = 0
        self._error: Exception | None = None
        self.lost = 0
        """Records that were refused, or that could not be written."""

    def put(self, record: Decision) -> bool:
        """Take the record, or return False when `limit` are waiting or this is closed."""
        with self._changed:
            if self._closed or len(self._waiting) >= self._limit:
                self.lost += 1
                return False
            self._waiting.append(record)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="prefrontal-log-writer", daemon=True
                )
                self._thread.start()
            if len(self._waiting) in (1, SMALL_BATCH):  # the writer may be asleep
                self._changed.notify_all()
        return True

    def flush(self) -> None:
        """Wait until nothing is waiting; raise the first error since the last flush."""
        with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting)
            self._flushing -= 1
            error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Write what is waiting and end the thread; errors are logged and counted."""
        with self._changed:
            self._closed = True
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                self._changed.wait_for(self._urgent, timeout=GATHER_S)
                most = min(BATCH, max(SMALL_BATCH, len(self._waiting) // 4))
                batch = list(islice(self._waiting, most))
            self._write_batch(batch)
            with self._changed:  # only now: flush waits for what is on the disk
                for _ in batch:
                    self._waiting.popleft()
                self._changed.notify_all()

    def _urgent(self) -> bool:
        return self._closed or self._flushing > 0 or len(self._waiting) >= SMALL_BATCH

    def _write_batch(self, batch: list[Decision]) -> None:
        try:
            self._write(batch)
        except SourceError as error:  # the disk: no smaller batch would do better
            self._fail(error, len(batch))
        except Exception as error:  # noqa: BLE001 - the thread outlives any bad record
            if len(batch) == 1:
                self._fail(error, 1)
            else:  # one bad record must not take the others with it
                half = len(batch) // 2
                self._write_batch(batch[:half])
                self._write_batch(batch[half:])

    def _fail(self, error: Exception, records: int) -> None:
        with self._changed:
            self.lost += records
            if self._error is None:
                self._error = error
                _LOG.error("%d decisions were not kept: %s", records, error)
