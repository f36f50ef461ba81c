"""The hooks by which plugins reach channels, whatever the channel."""

from __future__ import annotations

from ...plugin import Plugin, PluginMeta
from ...plugin.hooks import hooks_of


class CommunicationPlugin(Plugin):
    """Defines the hooks; `session` implements them."""

    meta = PluginMeta(
        id="communication",
        version="1",
        priority=5,
        extension_points=hooks_of("communication"),
    )

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


def create_plugin() -> CommunicationPlugin:
    return CommunicationPlugin()
