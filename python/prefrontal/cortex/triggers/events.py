"""What the hooks saw since the last reflection: small facts, never a text."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ..quoting import NAME_LIMIT, plain

Event = dict[str, Any]
"""type: the hook. timestamp: Unix seconds. peer_id, and a few counts and names of that type."""
TOOL_EFFORT = 200
CHARACTERS_PER_TOKEN = 4


class EventBuffer:
    """The newest `limit` events. dropped: how many older ones were lost."""

    def __init__(self, limit: int) -> None:
        self.events: deque[Event] = deque(maxlen=limit)
        self.dropped = 0
        self._added = 0

    def append(self, event: Event) -> None:
        if len(self.events) == self.events.maxlen:
            self.dropped += 1
        self._added += 1
        self.events.append(event)

    def mark(self) -> int:
        """The number of events so far."""
        return self._added

    def until(self, mark: int) -> list[Event]:
        """The events up to that mark."""
        return list(islice(self.events, self._count(mark)))

    def consume(self, mark: int) -> None:
        """Remove the events up to that mark."""
        for _ in range(self._count(mark)):
            self.events.popleft()

    def resize(self, limit: int) -> None:
        """Change the limit."""
        if limit != self.events.maxlen:
            self.dropped += max(0, len(self.events) - limit)
            self.events = deque(self.events, maxlen=limit)

    def _count(self, mark: int) -> int:
        return max(0, len(self.events) - (self._added - mark))


def size_of(message: object) -> int:
    """Characters of a message, given as its text or as an object that has `content`."""
    text = getattr(message, "content", message)
    return len(text) if isinstance(text, str) else 0


def activity(events: Iterable[Event]) -> dict[str, int]:
    """Messages from each peer."""
    return dict(Counter(each["peer_id"] for each in events if each["type"] == "on_message"))


def summary(events: Iterable[Event], dropped: int = 0) -> dict[str, Any]:
    """The events in a few numbers; nothing when there were none."""
    entries = list(events)
    if not entries:
        return {}
    kinds = Counter(each["type"] for each in entries)
    tools = Counter(str(each["tool"]) for each in entries if each["type"] == "after_tool")
    return {
        "messages_in": kinds["on_message"],
        "messages_out": kinds["after_send"],
        "model_calls": kinds["after_llm"],
        "tokens_in": sum(_count(each.get("tokens_in")) for each in entries),
        "tokens_out": sum(_count(each.get("tokens_out")) for each in entries),
        "tools": {plain(name, NAME_LIMIT): count for name, count in tools.most_common(10)},
        "seconds": round(entries[-1]["timestamp"] - entries[0]["timestamp"]),
        "events_lost": dropped,
    }


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
