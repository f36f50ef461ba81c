"""Time as an argument: whoever needs the hour is handed a clock."""

from __future__ import annotations

import time
from typing import Protocol

FIRST_MOMENT, LAST_MOMENT = -62_135_510_400.0, 253_402_214_400.0
"""Unix seconds within the years 1 to 9999 in any time zone."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> float:
        """Unix seconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, from an unspecified start."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
