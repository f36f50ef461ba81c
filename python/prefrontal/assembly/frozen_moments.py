"""The time of the loop: it stands still while one thing is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..clock import Clock


class FrozenMoments:
    """The roles `executive.Moments` and `clock.Clock` over another clock.

    Between two calls of `take` time stands still, and it never goes back: while the other clock
    is behind, it waits for it. `monotonic` is `now`, so that what is reckoned from either comes
    out the same when the kept times are gone through again.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._now = clock.now()

    def take(self) -> float:
        """Go on to this moment, in Unix seconds."""
        self._now = max(self._now, self._clock.now())
        return self._now

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now
