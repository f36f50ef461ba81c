"""Messages that a failing disk did not take, until it takes them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .drafts import Details
    from .models import Direction

MOST_BYTES = 16_000_000
_OVERHEAD = 500
"""Bytes of a message besides its text, about."""


class Unrecorded(NamedTuple):
    """A message as it is to be recorded; arguments of `Ledger.submit_interaction`."""

    peer_id: str
    direction: Direction
    details: Details


class Backlog:
    """Messages in the order they came, `most_bytes` at most. lost: how many found no room."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.lost = 0
        self._most_bytes = most_bytes
        self._waiting: deque[Unrecorded] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, messages: Sequence[Unrecorded]) -> None:
        """Put them behind what waits; those for which there is no room are lost."""
        for each in messages:
            size = _size(each)
            if self._bytes + size > self._most_bytes:
                self.lost += 1
            else:
                self._bytes += size
                self._waiting.append(each)

    def take(self) -> list[Unrecorded]:
        """All that waits; then nothing does."""
        messages = list(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return messages


def _size(message: Unrecorded) -> int:
    return _OVERHEAD + len(message.details.get("preview", "").encode(errors="replace"))
