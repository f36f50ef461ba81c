"""The latest windows that woke nobody, in memory: bounded by number, and by bytes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .event_bytes import size_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .wake_records import Refusal

MOST = 1000
MOST_BYTES = 16_000_000


class RecentRefusals:
    """At most MOST, whose windows take MOST_BYTES at most, each counted once; but the newest stays.

    Iterating goes from the oldest to the newest.
    """

    def __init__(self) -> None:
        self._refusals: deque[Refusal] = deque()
        self._sizes: dict[int, int] = {}
        self._uses: dict[int, int] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._refusals)

    def __iter__(self) -> Iterator[Refusal]:
        return iter(self._refusals)

    @property
    def newest(self) -> Refusal:
        """Raises IndexError while there is none."""
        return self._refusals[-1]

    def append(self, refusal: Refusal) -> None:
        """Remember it, and forget the oldest that there is no room for."""
        self._refusals.append(refusal)
        window = id(refusal.scored.window)
        if window not in self._sizes:
            self._sizes[window] = size_of(refusal.scored.window)
            self._bytes += self._sizes[window]
        self._uses[window] = self._uses.get(window, 0) + 1
        while len(self) > MOST or (self._bytes > MOST_BYTES and len(self._sizes) > 1):
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        window = id(self._refusals.popleft().scored.window)
        self._uses[window] -= 1
        if not self._uses[window]:
            del self._uses[window]
            self._bytes -= self._sizes.pop(window)
