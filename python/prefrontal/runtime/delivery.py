"""Sending one message through `loop.before_send`, its channel and `loop.after_send`."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from ..errors import PrefrontalError
from ..plugin import OutgoingMessage
from .dispatch import said
from .registry import PluginRegistry

current_correlation: ContextVar[str | None] = ContextVar("current_correlation", default=None)
"""The correlation id of the message that is being handled in this task."""


class DeliveryError(PrefrontalError):
    """No channel took the message."""


async def deliver(
    registry: PluginRegistry, message: OutgoingMessage, ids: Mapping[str, Any], recipient: str
) -> OutgoingMessage | None:
    """The message as it was sent; None when a plugin held it back, or when no channel took it.

    ids: peer_id, event_id and the like, for the ctx of both points. recipient: the peer's name.
    The second is told to `loop.on_error`.
    """
    ctx = {**ids, "text": message.content, "recipient": recipient}
    ctx = await registry.call_extension_chain("loop.before_send", ctx)
    if ctx.get("abort"):
        registry.log("info", "loop", f"Nothing sent to {recipient}: held back", {})
        return None
    message = replace(message, content=said(ctx, "text", str, message.content))
    try:
        await _send(registry, message)
    except DeliveryError as error:
        registry.log("error", "loop", f"Sending failed: {error}", {})
        await registry.call_extension_chain(
            "loop.on_error", {"error": error, "hook": "send", **ids}
        )
        return None
    sent = {**ids, "text": message.content, "recipient": recipient}
    sent |= {"channel_type": message.channel_type, "channel_id": message.channel_id}
    await registry.call_extension_chain("loop.after_send", sent)
    return message


async def _send(registry: PluginRegistry, message: OutgoingMessage) -> None:
    answer = await registry.collect("communication.send", message)
    for _, error in answer.failures:
        raise DeliveryError(f"{message.channel_type}: {error}")
    if not any(answer.results):
        raise DeliveryError(f"no channel {message.channel_type!r} took a message")
