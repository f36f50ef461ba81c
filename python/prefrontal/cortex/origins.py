"""Where the words come from that the cortex remembers: its lineage, through every cycle.

An origin is "peer:ID" for what a peer wrote or is called, "tool:NAME" for the result of a tool,
"agent" for the patterns of other agents. Text made from a context has all origins of that context.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from ..plain_text import visible
from ..redaction import redact
from .models import MORE

_MOST = 24
_MOST_PEERS = 100_000
_LONGEST = 128
AGENT = "agent"


def peer_origin(peer_id: str) -> str:
    return f"peer:{_name(peer_id)}"


def tool_origin(tool: str) -> str:
    return f"tool:{_name(tool)}"


def united(*origins: Iterable[str]) -> tuple[str, ...]:
    """All of them once, sorted; beyond the first 24 `MORE`, which nobody's own words are."""
    everything = {each for some in origins for each in some}
    names = sorted(everything - {MORE})
    more = [MORE] if MORE in everything or len(names) > _MOST else []
    return (*names[:_MOST], *more)


def foreign(origins: Iterable[str], peer_id: str) -> tuple[str, ...]:
    """The origins other than the peer's own words."""
    own = peer_origin(peer_id)
    return tuple(each for each in origins if each != own)


def named(origins: Sequence[str]) -> str:
    """For people: the peers' ids and the tools, at most five."""
    names = [each.removeprefix("peer:").replace("tool:", "the tool ") for each in origins[:5]]
    rest = len(origins) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest else "")


def _name(raw: str) -> str:
    """One visible line without secrets; still another one for each raw name."""
    name = visible(redact(raw), _LONGEST)
    mark = sha256(raw.encode(errors="surrogatepass")).hexdigest()[:12]
    return name if name == raw else f"{name}~{mark}"


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
