"""Messages that were handled already: channels deliver some of them twice."""

from __future__ import annotations

from collections import OrderedDict

from ..clock import Clock

CAPACITY = 1000
TRIMMED_TO = 500
LIFETIME_S = 3600.0


class SeenMessages:
    """Event ids of the last hour. Past 1000 the oldest go, until 500 are left."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, event_id: str) -> bool:
        """Whether it is new; from now on it is not, for an hour."""
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
