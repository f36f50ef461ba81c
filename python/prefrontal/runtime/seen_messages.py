"""Recognizes messages that a channel delivers twice."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..clock import Clock

CAPACITY = 1000
TRIMMED_TO = 500
LIFETIME_S = 3600.0


class SeenMessages:
    """Event ids of the last hour; past 1000, drops all but the newest 500."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, event_id: str) -> bool:
        """Remember an id for an hour; returns whether it is new."""
        now = self._clock.monotonic()
        self._forget(now)
        if event_id in self._seen:
            return False
        self._seen[event_id] = now
        if len(self._seen) > CAPACITY:
            while len(self._seen) > TRIMMED_TO:
                self._seen.popitem(last=False)
        return True

    def _forget(self, now: float) -> None:
        while self._seen and now - next(iter(self._seen.values())) >= LIFETIME_S:
            self._seen.popitem(last=False)
