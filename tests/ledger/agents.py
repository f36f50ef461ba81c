"""An agent with nothing in it but the ledger, and stand-ins for its neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefrontal.ledger import LedgerPlugin
from prefrontal.plugin import Plugin, PluginMeta
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.testing import ManualClock

from .ledgers import NOW

Ctx = dict[str, Any]


class StandIn(Plugin):
    """Takes the place of the cortex: all that the ledger knows of it is this."""

    meta = PluginMeta(id="cortex", version="1", priority=23)
    enabled = True

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Folder(Plugin):
    """Tells where the workspace is."""

    meta = PluginMeta(id="workspace", version="1", priority=5)
    path = Path()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Agent:
    """A registry with the ledger in it."""

    def __init__(self, *plugins: Plugin, **config: Any) -> None:
        self.registry = PluginRegistry(ManualClock(NOW), "tester")
        self.plugin = LedgerPlugin()
        for plugin in (*plugins, self.plugin):
            self.registry.register(plugin)
        self.registry.configure_all(config)

    @property
    def events(self) -> list[tuple[str, Any]]:
        return [(event["type"], event["payload"]) for event in self.registry.events]

    async def comes(self, text: str = "hello", **changes: Any) -> Ctx:
        return await self.registry.call_extension_chain(
            "loop.on_message", incoming(text, **changes)
        )

    async def goes(self, text: str = "hi", **changes: Any) -> Ctx:
        ctx = {
            "text": text,
            "recipient": "Alice",
            "recipient_id": "alice",
            "peer_id": "alice",
            "event_id": "http:room:1",
            "channel_type": "http",
            "channel_id": "room",
            "correlation_id": "c1",
        }
        return await self.registry.call_extension_chain("loop.after_send", {**ctx, **changes})

    async def prompt(self, **changes: Any) -> str:
        ctx = {"prompt": "You are tester.", "peer": "Alice", "peer_id": "alice", "messages": []}
        point = "loop.transform_system_prompt"
        done = await self.registry.call_extension_chain(point, {**ctx, **changes})
        return str(done["prompt"])


def incoming(text: str = "hello", **changes: Any) -> Ctx:
    ctx = {
        "message": text,
        "sender": "Alice",
        "sender_id": "alice",
        "peer_id": "alice",
        "channel_type": "http",
        "channel_id": "room",
        "event_id": "http:room:1",
        "correlation_id": "c1",
    }
    return {**ctx, **changes}
