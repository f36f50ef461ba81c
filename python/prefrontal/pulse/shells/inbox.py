"""What waits to be decided, bounded by events and by bytes."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..followed import FollowedWindow
from ..sources.source_batch import Post, SourceBatch

if TYPE_CHECKING:
    from ...types import SignalEvent

QUEUE_SIZE = 50_000
"""Events that may wait."""
QUEUE_BYTES = 64_000_000
SOURCE_QUEUE = 1_024
"""Events of one source that may wait; then it waits itself."""
SOURCE_BYTES = 8_000_000
BATCH = 256
BATCH_BYTES = 4_000_000
"""Events and bytes about which are taken, decided and stored at once."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """A window for one module alone."""

    window: tuple[SignalEvent, ...]
    module_id: str


Handed = tuple["SignalEvent", ...] | Addressed | FollowedWindow | SourceBatch | Post


class Inbox:
    """A queue for one thread at a time. queue_size: events that may wait."""

    def __init__(self) -> None:
        self.queue_size = QUEUE_SIZE
        self.events = 0
        self.bytes = 0
        self._waiting: deque[tuple[Handed, int]] = deque()
        self._events_of: Counter[str] = Counter()
        self._bytes_of: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def has_room(self, size: int, events: int = 1) -> bool:
        """Whether so many bytes and events more may wait; any size may where nothing waits."""
        fits = not self._waiting or self.bytes + size <= QUEUE_BYTES
        return fits and self.events + events <= self.queue_size

    def has_room_of(self, source: str, size: int) -> bool:
        """Whether a source may hand over one more batch."""
        events, held = self._events_of[source], self._bytes_of[source]
        fits = events < SOURCE_QUEUE and (not held or held + size <= SOURCE_BYTES)
        return fits and self.events < self.queue_size and self.has_room(size, 0)

    def add(self, handed: Handed, size: int) -> None:
        self._waiting.append((handed, size))
        self._count(handed, size, 1)

    def take(self) -> list[Handed]:
        """The next, about BATCH windows or BATCH_BYTES."""
        batch = list[Handed]()
        before, held = self.events, self.bytes
        while self._waiting and before - self.events < BATCH and held - self.bytes < BATCH_BYTES:
            handed, size = self._waiting.popleft()
            batch.append(handed)
            self._count(handed, size, -1)
        return batch

    def withdraw(self, post: Post) -> bool:
        """Whether it waited still, and is gone now."""
        for place, (handed, size) in enumerate(self._waiting):
            if handed is post:
                del self._waiting[place]
                self._count(post, size, -1)
                return True
        return False

    def _count(self, handed: Handed, size: int, sign: int) -> None:
        events = len(handed.events) if isinstance(handed, SourceBatch | Post) else 1
        self.events += sign * events
        self.bytes += sign * size
        if isinstance(handed, SourceBatch):
            self._events_of[handed.source] += sign * events
            self._bytes_of[handed.source] += sign * size
