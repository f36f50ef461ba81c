"""Time as an argument: whoever needs the hour is handed a clock."""

from __future__ import annotations

import time
from typing import Protocol


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
