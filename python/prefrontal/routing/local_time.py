"""Dates and stamps in local time, from a clock that is an argument."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..clock import Clock


@dataclass(frozen=True, slots=True)
class LocalTime:
    """Says when it is. zone: None takes the zone of this machine."""

    clock: Clock
    zone: tzinfo | None = None

    def now(self) -> datetime:
        """The moment, with its offset from UTC."""
        return datetime.fromtimestamp(self.clock.now(), UTC).astimezone(self.zone)

    def stamp(self) -> str:
        """To the second: 2025-10-31T12:00:00+04:00."""
        return self.now().isoformat(timespec="seconds")

    def day(self) -> str:
        """The date: 2025-10-31."""
        return self.now().date().isoformat()
