"""Sends a message through `loop.before_send`, its channel and `loop.after_send`."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import PrefrontalError
from ..plugin import OutgoingMessage, hookspecs
from ..plugin.hooks import chain, hook_name
from .dispatch import entry

if TYPE_CHECKING:
    from .registry import PluginRegistry

current_correlation: ContextVar[str | None] = ContextVar("current_correlation", default=None)
"""The correlation id of the message that this task handles."""


class DeliveryError(PrefrontalError):
    """No channel took the message."""


async def deliver(
    registry: PluginRegistry, message: OutgoingMessage, ids: hookspecs.Ids, recipient: str
) -> OutgoingMessage | None:
    """The message as sent; None when a plugin blocked it or no channel took it.

    ids: for the context of both hooks. recipient: the peer's name. `loop.on_error` hears of a
    message that no channel took.
    """
    ctx: hookspecs.TextContext = {**ids, "text": message.content, "recipient": recipient}
    ctx = await chain(registry, hookspecs.loop_before_send, ctx)
    if ctx.get("abort"):
        registry.log("info", "loop", f"Nothing sent to {recipient}: held back", {})
        return None
    message = replace(message, content=entry(ctx, "text", str, message.content))
    try:
        await _send(registry, message)
    except DeliveryError as error:
        registry.log("error", "loop", f"Sending failed: {error}", {})
        failure: hookspecs.ErrorContext = {**ids, "error": error, "hook": "send"}
        await chain(registry, hookspecs.loop_on_error, failure)
        return None
    sent: hookspecs.TextContext = {**ids, "text": message.content, "recipient": recipient}
    sent |= {"channel_type": message.channel_type, "channel_id": message.channel_id}
    await chain(registry, hookspecs.loop_after_send, sent)
    return message


async def _send(registry: PluginRegistry, message: OutgoingMessage) -> None:
    answer = await registry.collect(hook_name(hookspecs.communication_send), message)
    for _, error in answer.failures:
        raise DeliveryError(f"{message.channel_type}: {error}")
    if not any(answer.results):
        raise DeliveryError(f"no channel {message.channel_type!r} took a message")
