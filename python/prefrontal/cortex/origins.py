"""Per peer, whose words came into what the cortex remembers of it, through every cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..origins import foreign, peer_origin, united
from ..plain_text import MORE

_MOST_PEERS = 100_000


class Origins:
    """Per peer, the origins besides the peer of what the cortex is shown about it.

    The messages of its conversation may repeat a tool's result, its latest rationale and its
    promises whatever was in the context that they were made in.
    """

    def __init__(self) -> None:
        self._heard: dict[str, tuple[str, ...]] = {}

    def hear(self, peer_id: str, origins: Iterable[str]) -> None:
        """Words of these origins came into what is remembered of the peer."""
        known = self._heard.get(peer_id, ())
        new = foreign(origins, peer_id)
        if set(new) <= set(known):
            return
        if len(self._heard) >= _MOST_PEERS and peer_id not in self._heard:
            del self._heard[next(iter(self._heard))]
        self._heard[peer_id] = united(known, new)

    def of_peer(self, peer_id: str) -> tuple[str, ...]:
        """The peer itself, and what was heard besides."""
        return united([peer_origin(peer_id)], self._heard.get(peer_id, ()))

    def save(self) -> dict[str, Any]:
        return {peer_id: list(origins) for peer_id, origins in self._heard.items()}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore what `save` returned; a damaged entry counts as heard from anybody."""
        self._heard = {
            peer_id: united(map(str, origins)) if isinstance(origins, list) else (MORE,)
            for peer_id, origins in saved.items()
        }
