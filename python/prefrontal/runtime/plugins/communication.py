"""The words in which plugins speak with channels, whatever the channel."""

from __future__ import annotations

from ...plugin import Plugin, PluginMeta


class CommunicationPlugin(Plugin):
    """Defines the points; `session` implements them.

    communication.receive: what came in, as a list. communication.send, with an OutgoingMessage:
    True when a channel took it. communication.typing, with {channel_type, channel_id}.
    communication.channels: the ids of the channels.
    """

    meta = PluginMeta(
        id="communication",
        version="1",
        priority=5,
        extension_points=[
            "communication.receive",
            "communication.send",
            "communication.typing",
            "communication.channels",
        ],
    )

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


def create_plugin() -> CommunicationPlugin:
    return CommunicationPlugin()
