"""The time of signals that were written down: it goes on as they say."""

from __future__ import annotations


class EventClock:
    """The role `clock.Clock`; it never goes back. now: Unix seconds."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def follow(self, at: float) -> None:
        """Go on to that Unix second, unless it is over already."""
        self._now = max(self._now, at)

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now
