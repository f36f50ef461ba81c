"""What waits to be decided: a lane for each source, each with a bounded share."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

from ..followed import FollowedWindow
from ..sources.source_batch import Post, PostPart, SourceBatch

if TYPE_CHECKING:
    from ...types import SignalEvent

QUEUE_SIZE = 50_000
"""Events that may wait."""
QUEUE_BYTES = 64_000_000
SOURCE_QUEUE = 1_024
"""Events of one source that may wait; then it waits itself."""
SOURCE_BYTES = 8_000_000
PUSHED_QUEUE = 8_192
"""Events of one source that may wait where it cannot wait itself; then more are refused."""
PUSHED_BYTES = 16_000_000
RESERVE = 8
"""One part in so many of the queue is left to sources of which little waits."""
LITTLE = 64
MOST_LANES = 32
"""Names that are told apart at once behind one door; the others share a lane."""
FEW = 16
"""Sources of which so little waits have a turn of their own where others have more."""
MOST_COUNTED = 1_024
"""A window of more events counts as so many: it is decided at once."""
BATCH = 256
BATCH_BYTES = 4_000_000
"""Events and bytes about which are taken, decided and stored at once."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """A window for one module alone."""

    window: tuple[SignalEvent, ...]
    module_id: str


Handed = tuple["SignalEvent", ...] | Addressed | FollowedWindow | SourceBatch | Post
Taken = tuple["SignalEvent", ...] | Addressed | FollowedWindow | SourceBatch | PostPart
LaneKey = tuple[str, str]
"""A door, and a name behind it."""


@dataclass(slots=True)
class Entry:
    """Something that waits. number: of its arrival. done: events of a post that were taken."""

    number: int
    handed: Handed
    size: int
    done: int = 0

    @property
    def events(self) -> int:
        """How many are left."""
        handed = self.handed
        if isinstance(handed, SourceBatch | Post):
            return len(handed.events) - self.done
        events = handed if isinstance(handed, tuple) else _window_of(handed)
        return min(max(1, len(events)), MOST_COUNTED)


@dataclass(slots=True)
class SourceLane:
    """What waits of one source, in its order."""

    key: LaneKey
    entries: deque[Entry] = field(default_factory=deque)
    events: int = 0
    bytes: int = 0


class Inbox:
    """A queue for one thread at a time, fair to its sources. queue_size: events that may wait.

    Each turn takes of every source alike, and all of those with little, so none waits for what
    another one pours in; what is taken comes in the order of its arrival. Where more waits than a
    turn takes, every other turn is for those alone of which few wait, so that they need not wait
    until the others are decided, either. was_for_few: whether the last turn was one of these.
    had_few: whether it took of a source of which few waited.
    """

    def __init__(self) -> None:
        self.queue_size = QUEUE_SIZE
        self.events = 0
        self.bytes = 0
        self._lanes: dict[LaneKey, SourceLane] = {}
        self._doors: Counter[str] = Counter()
        self._number = 0
        self.was_for_few = False
        self.had_few = False

    def __bool__(self) -> bool:
        return bool(self._lanes)

    def has_room(self, handed: Handed, size: int) -> bool:
        """Whether it may wait, too; any size may where nothing of its source waits.

        size: bytes of memory that its events take.
        """
        lane = self.lane_of(handed)
        events = Entry(0, handed, size).events
        if isinstance(handed, SourceBatch):
            if lane.events >= SOURCE_QUEUE or self.events >= self._most(lane):
                return False
            return self._has_bytes(lane, size, SOURCE_BYTES)
        if self.events + events > self._most(lane):
            return False
        fits = not lane.events or lane.events + events <= PUSHED_QUEUE
        return fits and self._has_bytes(lane, size, PUSHED_BYTES)

    def add(self, handed: Handed, size: int) -> None:
        lane = self.lane_of(handed)
        if lane.key not in self._lanes:
            self._lanes[lane.key] = lane
            self._doors[lane.key[0]] += 1
        self._number += 1
        entry = Entry(self._number, handed, size)
        lane.entries.append(entry)
        self._count(lane, entry.events, size)

    def take(self, most: int = BATCH) -> list[Taken]:
        """The next, about `most` events or BATCH_BYTES; at least one of every source."""
        batch: list[tuple[int, Taken]] = []
        last, last_byte = self.events - most, self.bytes - BATCH_BYTES
        lanes = self._whose_turn(most)
        for left, lane in zip(range(len(lanes), 0, -1), lanes, strict=True):
            share = max(1, (self.events - last) // left)
            batch += self._share(lane, share, (self.bytes - last_byte) // left)
        return [each for _, each in sorted(batch, key=lambda pair: pair[0])]

    def _whose_turn(self, most: int) -> list[SourceLane]:
        """The lanes that the next turn takes of, the emptiest first."""
        lanes = sorted(self._lanes.values(), key=attrgetter("events"))
        few = [lane for lane in lanes if lane.events <= FEW]
        is_crowded = self.events > most and 0 < len(few) < len(lanes)
        self.had_few = bool(few)
        self.was_for_few = is_crowded and not self.was_for_few
        return few if self.was_for_few else lanes

    def clear(self) -> list[Handed]:
        """Take everything away, in no order; of a post that was begun, too."""
        left = [entry.handed for lane in self._lanes.values() for entry in lane.entries]
        self._lanes.clear()
        self._doors.clear()
        self.events = self.bytes = 0
        return left

    def withdraw(self, post: Post) -> bool:
        """Whether it waited still, none of it taken, and is gone now."""
        lane = self.lane_of(post)
        for place, entry in enumerate(lane.entries):
            if entry.handed is post and not entry.done:
                del lane.entries[place]
                self._count(lane, -entry.events, -entry.size)
                return True
        return False

    def lane_of(self, handed: Handed) -> SourceLane:
        """Where it waits, or would."""
        key = _key(handed)
        if lane := self._lanes.get(key):
            return lane
        if self._doors[key[0]] >= MOST_LANES:
            key = key[0], ""
        return self._lanes.get(key) or SourceLane(key)

    def _most(self, lane: SourceLane) -> int:
        """Events that may wait in all, as far as this lane is concerned."""
        reserve = 0 if lane.events < LITTLE else self.queue_size // RESERVE
        return self.queue_size - reserve

    def _has_bytes(self, lane: SourceLane, size: int, share: int) -> bool:
        if not self.events:
            return True
        reserve = 0 if not lane.bytes else QUEUE_BYTES // RESERVE
        fits = not lane.bytes or lane.bytes + size <= share
        return fits and self.bytes + size <= QUEUE_BYTES - reserve

    def _share(self, lane: SourceLane, left: int, size: int) -> Iterator[tuple[int, Taken]]:
        """What one turn takes of a lane: so many events or bytes, with their numbers."""
        last_byte = lane.bytes - max(1, size)
        while lane.entries and left > 0 and lane.bytes > last_byte:
            entry = lane.entries[0]
            handed = entry.handed
            if isinstance(handed, Post) and entry.events > left:
                events = handed.events[entry.done : entry.done + left]
                entry.done += left
                self._count(lane, -left, 0)
                yield entry.number, PostPart(handed, events, last=False)
                return
            left -= entry.events
            lane.entries.popleft()
            self._count(lane, -entry.events, -entry.size)
            if isinstance(handed, Post):
                yield entry.number, PostPart(handed, handed.events[entry.done :], last=True)
            else:
                yield entry.number, handed

    def _count(self, lane: SourceLane, events: int, size: int) -> None:
        self.events += events
        self.bytes += size
        lane.events += events
        lane.bytes += size
        if not lane.entries and lane.key in self._lanes:
            del self._lanes[lane.key]
            self._doors[lane.key[0]] -= 1


def _window_of(handed: Addressed | FollowedWindow) -> tuple[SignalEvent, ...]:
    return handed.window if isinstance(handed, Addressed) else handed.events


def _key(handed: Handed) -> LaneKey:
    if isinstance(handed, SourceBatch):
        return "source", handed.source
    if isinstance(handed, FollowedWindow):
        return "history", handed.module_id
    if isinstance(handed, Post):
        return "post", _name(handed.events)
    return "push", _name(handed.window if isinstance(handed, Addressed) else handed)


def _name(events: tuple[SignalEvent, ...]) -> str:
    return str(events[0].source)[:200] if events else ""
