"""A clock for tests."""

from __future__ import annotations

from collections.abc import Callable


class ManualClock:
    """A clock that stands still until the test moves it."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now
        self._monotonic = 0.0
        self._told: list[Callable[[], None]] = []

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass, on both scales."""
        self._now += seconds
        self._monotonic += seconds
        self._tell()

    def jump(self, seconds: float) -> None:
        """Move only the wall clock, as somebody who sets it does; back, when negative."""
        self._now += seconds
        self._tell()

    def subscribe(self, moved: Callable[[], None]) -> Callable[[], None]:
        """Call `moved` after each move; returns what ends that."""
        self._told.append(moved)
        return lambda: self._told.remove(moved)

    def _tell(self) -> None:
        for moved in tuple(self._told):
            moved()
