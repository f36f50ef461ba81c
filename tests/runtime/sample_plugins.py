"""Plugins for tests, made of their metadata and functions, and messages for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from prefrontal.plugin import IncomingMessage, Plugin, PluginMeta

Diary = list[str]


def plugin_class(
    name: str, hooks: Mapping[str, Callable[..., Any]] | None = None, **meta: Any
) -> type[Plugin]:
    """A plugin class with that id; hooks: point -> function of (plugin, ctx) or (plugin)."""
    hooks = hooks or {}
    methods: dict[str, Any] = {f"on_{i}": hook for i, hook in enumerate(hooks.values())}
    implements = dict(zip(hooks, methods, strict=True))

    async def nothing(self: Plugin) -> None:
        return None

    body = {"start": nothing, "stop": nothing, **methods}
    body["meta"] = PluginMeta(id=name, version="1", implements=implements, **meta)
    return type(name, (Plugin,), body)


class Noted(Plugin):
    """Writes down in `diary` when it is configured, started and stopped."""

    def __init__(self, name: str, diary: Diary, *, fails: str = "", **meta: Any) -> None:
        self.meta = PluginMeta(id=name, version="1", **meta)  # type: ignore[misc]
        self._diary = diary
        self._fails = fails

    def configure(self, config: dict[str, Any]) -> None:
        self._note("configure")

    async def start(self) -> None:
        self._note("start")

    async def stop(self) -> None:
        self._note("stop")

    def _note(self, what: str) -> None:
        self._diary.append(f"{what} {self.meta.id}")
        if self._fails == what:
            raise RuntimeError(f"{what} went wrong")


def message(
    text: str = "hello", sender: str = "alice", number: object = 1, **fields: Any
) -> IncomingMessage:
    """A message from `sender`, who is called by the name with a capital letter."""
    told: dict[str, Any] = {
        "id": str(number),
        "channel_type": "test",
        "channel_id": f"chat-{sender}",
        "sender_id": sender,
        "sender_name": sender.capitalize(),
        "content": text,
        "timestamp": datetime.fromtimestamp(1_700_000_000, UTC),
    }
    return IncomingMessage(**{**told, **fields})
