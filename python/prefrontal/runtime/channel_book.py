"""The conversation in which each peer wrote last, where the agent can reach the peer."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass

CAPACITY = 10_000
MEMORY_KEY = "session-channels"
"""The key in the memory under which the session keeps it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation, and the peer's name in it."""

    channel_type: str
    channel_id: str
    peer_name: str


class ChannelBook:
    """The places of the peers who wrote last. changed: since the last `written`."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._places: OrderedDict[str, Place] = OrderedDict()
        self.changed = False

    def __len__(self) -> int:
        return len(self._places)

    def get(self, peer_id: str) -> Place | None:
        return self._places.get(peer_id)

    def note(self, peer_id: str, place: Place) -> None:
        """Note that the peer has just written there."""
        if self._places.get(peer_id) != place:
            self._places[peer_id] = place
            self.changed = True
        self._places.move_to_end(peer_id)
        if len(self._places) > self._capacity:
            self._places.popitem(last=False)

    def written(self) -> str:
        """The book as JSON, the most recent peer last."""
        self.changed = False
        return json.dumps(
            {
                peer_id: [place.channel_type, place.channel_id, place.peer_name]
                for peer_id, place in self._places.items()
            },
            ensure_ascii=False,
        )

    def read(self, text: str) -> None:
        """Add the places of `written`, older than those already known. Raises ValueError."""
        document = json.loads(text)
        if not isinstance(document, dict):
            raise ValueError(f"it must be an object, got {document!r:.40}")
        for peer_id, entry in reversed(document.items()):
            is_place = isinstance(entry, list) and len(entry) == 3
            if not is_place or not all(isinstance(part, str) for part in entry):
                raise ValueError(f"a place must be three strings, got {entry!r:.80}")
            if peer_id not in self._places and len(self._places) < self._capacity:
                self._places[peer_id] = Place(*entry)
                self._places.move_to_end(peer_id, last=False)
