"""A thread that asks something every so often, and asks less often while it fails."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import InputError, PrefrontalError
from .source_thread import SourceThread

if TYPE_CHECKING:
    from threading import Event

    from .running import Outlet, Push

LONGEST_BACKOFF = 32
"""After repeated failures it asks after at most so many intervals, or an hour if that is less."""

_HOUR_S = 3_600.0
log = logging.getLogger("prefrontal.pulse")


class Poller:
    """Calls `ask(push)` at once and then every `interval_s` seconds on a thread of its own.

    What `ask` raises is counted, kept for the status, and logged once until it succeeds again;
    each failure in a row doubles the time to the next call, up to LONGEST_BACKOFF. `ask` may set
    least_s, the least number of seconds to the next call.
    """

    def __init__(self, name: str, interval_s: float, ask: Callable[[Outlet], None]) -> None:
        if not 0 < interval_s < math.inf:
            raise InputError(f"interval_s must be a number of seconds above 0, got {interval_s!r}")
        self._name = name
        self.least_s = 0.0
        self._interval_s = interval_s
        self._ask = ask
        self._thread = SourceThread(name, self._run)
        self._failures = 0
        self._in_a_row = 0
        self._last_error = ""

    def start(self, push: Push) -> None:
        self._thread.start(push)

    @property
    def outlet(self) -> Outlet:
        """Where events go."""
        return self._thread.outlet

    def stop(self, timeout_s: float) -> None:
        self._thread.stop(timeout_s)

    def looked(self, timeout_s: float) -> bool:
        """Wait for the first call since the start to end; whether it did, and without an error."""
        return self._thread.looked.wait(timeout_s) and not self._in_a_row

    def status(self) -> dict[str, object]:
        return {
            "running": self._thread.is_running,
            "errors": self._failures,
            "last_error": self._last_error,
            **self.outlet.counts(),
        }

    def delay_s(self) -> float:
        """Seconds to the next call."""
        longest = max(self._interval_s, min(self._interval_s * LONGEST_BACKOFF, _HOUR_S))
        backed_off = min(self._interval_s * 2.0 ** min(self._in_a_row, 30), longest)
        return max(backed_off, self.least_s)

    def call(self) -> None:
        """Ask once, now."""
        try:
            self._ask(self.outlet)
        except Exception as error:
            self._failures += 1
            self._in_a_row += 1
            self._last_error = str(error) or type(error).__name__
            if self._in_a_row == 1:
                trace = not isinstance(error, PrefrontalError | OSError)
                log.warning("%s: %s", self._name, self._last_error, exc_info=trace)
        else:
            if self._in_a_row:
                log.info("%s: works again after %d failures", self._name, self._in_a_row)
            self._in_a_row = 0

    def _run(self, end: Event) -> None:
        while not end.is_set():
            self.call()
            self._thread.looked.set()
            end.wait(self.delay_s())
