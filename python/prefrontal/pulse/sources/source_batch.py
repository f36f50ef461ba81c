"""What a source that can be read again hands over: events, and where it goes on after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ...types import SignalEvent


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Events of one source, decided and stored in one transaction with its places.

    source: whose share of the queue they take. events: each a window of its own. places: (name,
    content) of what the source goes on from; an empty content forgets the name.
    """

    source: str
    events: tuple[SignalEvent, ...]
    places: tuple[tuple[str, bytes], ...]


@runtime_checkable
class Intake(Protocol):
    """Takes events, and keeps the places of sources with what was decided about them."""

    def __call__(self, event: SignalEvent) -> bool:
        """Take an event that cannot be read again; False when there is no room."""
        ...

    def put(self, batch: SourceBatch, is_ended: Callable[[], bool]) -> bool:
        """Wait for room, and take the batch; False when it ends before there is any."""
        ...

    def place(self, name: str) -> bytes | None:
        """What was committed under that name; None when nothing was."""
        ...

    def keep(self, name: str, content: bytes) -> None:
        """Keep a place that no event led to, now. Raises SourceError."""
        ...
