"""What sources hand over: events with where to go on after them, or with somebody who waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ...types import SignalEvent


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Events of one source, decided and stored in one transaction with its places.

    source: whose share of the queue they take. events: each a window of its own, unless they are
    one `together`. places: (name, content) of what the source goes on from; an empty content
    forgets the name.
    """

    source: str
    events: tuple[SignalEvent, ...]
    places: tuple[tuple[str, bytes], ...]
    together: bool = False

    def windows(self) -> list[tuple[SignalEvent, ...]]:
        """The events as they are decided about."""
        if self.together:
            return [self.events] if self.events else []
        return [(event,) for event in self.events]


@dataclass(eq=False, slots=True)
class Post:
    """Events whose sender waits until they are decided and stored.

    places: (name, content) of what is stored with them. marks: what tells each event's repetition,
    empty for none; without any, none is told.
    settled: set when nothing more happens to them. stored: whether they are; valid when settled.
    """

    events: tuple[SignalEvent, ...]
    places: tuple[tuple[str, bytes], ...] = ()
    marks: tuple[bytes, ...] = ()
    settled: Event = field(default_factory=Event)
    stored: bool = False

    def settle(self, stored: bool) -> None:
        """Say how it ended."""
        self.stored = stored
        self.settled.set()


@dataclass(frozen=True, slots=True)
class PostPart:
    """Some events of a post; a long one is decided part by part, so that nobody waits for it.

    last: the post is settled with what was decided about these.
    """

    post: Post
    events: tuple[SignalEvent, ...]
    last: bool


@runtime_checkable
class Intake(Protocol):
    """Takes events, and keeps the places of sources with what was decided about them."""

    def __call__(self, event: SignalEvent) -> bool:
        """Take an event that cannot be read again; False when there is no room."""
        ...

    def put(self, batch: SourceBatch, is_ended: Callable[[], bool]) -> bool:
        """Wait for room, and take the batch; False when it ends before there is any."""
        ...

    def accept(self, post: Post, timeout_s: float) -> bool:
        """Whether the post is decided and stored within `timeout_s`, twice that once it is begun.

        One that is not, and not settled either, waits for a log that cannot be written.
        """
        ...

    def place(self, name: str) -> bytes | None:
        """What was committed under that name; None when nothing was."""
        ...

    def places(self, prefix: str) -> dict[str, bytes]:
        """What was committed under the names that begin so."""
        ...

    def keep(self, name: str, content: bytes) -> None:
        """Keep a place that no event led to, now. Raises SourceError."""
        ...
