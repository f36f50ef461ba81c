"""What an MCP server tells by itself, as signals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ....types import SignalEvent

SOURCE = "mcp"
TEXT_LIMIT = 2_000
"""Characters of a resource, a title or a log message that are handed on."""
LOCATION_LIMIT = 4_000
"""Characters of an address that are handed on."""
MOST_NAMED = 100
"""Resources that came or went at once and are told one by one; more of them are one event."""


@dataclass(frozen=True, slots=True)
class McpSignals:
    """Makes the events of one server. server: what it is called in them."""

    server: str

    def changed(self, uri: str, text: str, now: float) -> SignalEvent:
        """A resource says something else. text: what it says, or its title."""
        return self._event(uri, "modified", text, now)

    def listed(
        self, before: Mapping[str, str], after: Mapping[str, str], now: float
    ) -> Iterator[SignalEvent]:
        """Resources came or went; titles by address, before and after."""
        came = [uri for uri in after if uri not in before]
        gone = [uri for uri in before if uri not in after]
        if not 0 < len(came) + len(gone) <= MOST_NAMED:
            text = f"{len(came)} came, {len(gone)} went"
            yield self.list_changed("resources", now, text if came or gone else "")
            return
        for uri in came:
            yield self._event(uri, "created", after[uri], now)
        for uri in gone:
            yield self._event(uri, "deleted", before[uri], now)

    def list_changed(self, what: str, now: float, text: str = "") -> SignalEvent:
        """what: "resources", "tools" or "prompts"."""
        return self._event(f"{self.server}/{what}", "list_changed", text, now)

    def said(self, level: str, logger: str | None, data: object, now: float) -> SignalEvent:
        """A log message. data: whatever JSON can hold."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
        location = f"{self.server}/{logger}" if logger else self.server
        return self._event(location, "message", text, now, level=level)

    def _event(self, location: str, delta: str, text: str, now: float, **more: str) -> SignalEvent:
        features = {"server": self.server, "text": text[:TEXT_LIMIT], **more}
        return SignalEvent(SOURCE, location[:LOCATION_LIMIT], delta, 1.0, now, features)
