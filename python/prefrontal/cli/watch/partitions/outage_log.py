"""What processes of partitions log: one line a minute about a server that is away, not hundreds."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock

from ....errors import SourceError

EVERY_S = 60.0
ALIKE = 40
"""Characters after the store's name that tell one kind of failure from another."""


class OutageFilter(logging.Filter):
    """Passes the first of the records whose SourceErrors say the same of any store, then one each
    `every_s`, which tells how many were left out. Other records pass.
    """

    def __init__(
        self, every_s: float = EVERY_S, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._every_s = every_s
        self._monotonic = monotonic
        self._last: dict[str, tuple[float, int]] = {}
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        arguments = record.args if isinstance(record.args, tuple) else ()
        error = next((each for each in arguments if isinstance(each, SourceError)), None)
        if error is None:
            return True
        kind = str(error).partition(" ")[2][:ALIKE]
        with self._lock:
            now = self._monotonic()
            since, omitted = self._last.get(kind, (-self._every_s, 0))
            if now - since < self._every_s:
                self._last[kind] = since, omitted + 1
                return False
            self._last[kind] = now, 0
        if omitted:
            record.msg = f"{record.msg} (and {omitted} more like it since the last one)"
        return True


def log_to_stderr() -> None:
    """Warnings and worse as sentences on standard error."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(OutageFilter())
