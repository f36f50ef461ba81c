"""Keeps events in memory and in a file of JSON lines."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from ...errors import PrefrontalError
from ...home_folder import expanded
from ...plugin import Plugin, PluginMeta
from ..registry import registry_of

CAPACITY = 1000
JUDGMENTS = frozenset({"ledger.after_assess", "cortex.after_assess", "cortex.after_reflect"})


class ObservabilityPlugin(Plugin):
    """Records the events of the registry.

    Settings under `observability`: capacity (events in memory), events (their types; default all),
    file (gets each event as a line of JSON; never truncated).
    """

    meta = PluginMeta(id="observability", version="1", capabilities=["observability"], priority=22)

    def __init__(self) -> None:
        self._events: deque[dict[str, Any]] = deque(maxlen=CAPACITY)
        self._types: frozenset[str] | None = None
        self._path: Path | None = None
        self._file: TextIO | None = None
        self._end: Callable[[], None] | None = None

    def configure(self, config: dict[str, Any]) -> None:
        section = config.get("observability") or {}
        capacity = section.get("capacity", CAPACITY)
        if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
            raise ValueError(f"observability.capacity must be at least 1, got {capacity!r}")
        events = section.get("events")
        if events is not None and not isinstance(events, list):
            raise ValueError(f"observability.events must be a list, got {events!r}")
        self._events = deque(maxlen=capacity)
        self._types = None if events is None else frozenset(map(str, events))
        self._path = expanded(str(section["file"])) if section.get("file") else None

    async def start(self) -> None:
        await self.stop()  # started again in a new event loop: still subscribed
        if self._path is not None:
            try:
                self._file = self._path.open("a", encoding="utf-8")
            except OSError as error:
                reason = f"{error.strerror}: {self._path}"
                raise PrefrontalError(f"observability.file cannot be written: {reason}") from None
        self._end = registry_of(self).subscribe(self._keep)

    async def stop(self) -> None:
        if self._end is not None:
            self._end()
        if self._file is not None:
            self._file.close()
        self._end = self._file = None

    @property
    def events(self) -> list[dict[str, Any]]:
        """Envelopes {type, timestamp, agent_id, sequence, correlation_id, payload}, in order."""
        return list(self._events)

    @property
    def judgments(self) -> list[dict[str, Any]]:
        """The events of assessments and reflections."""
        return [event for event in self._events if event["type"] in JUDGMENTS]

    def _keep(self, envelope: dict[str, Any]) -> None:
        if self._types is not None and envelope["type"] not in self._types:
            return
        self._events.append(envelope)
        if self._file is not None:
            line = json.dumps(envelope, default=str, ensure_ascii=False)
            self._file.write(f"{line}\n")
            self._file.flush()


def create_plugin() -> ObservabilityPlugin:
    return ObservabilityPlugin()
