"""The loop: polls messages and handles each through its hooks."""

from __future__ import annotations

import asyncio
from typing import Any

from ...plugin import (
    IncomingMessage,
    OutgoingMessage,
    Plugin,
    PluginError,
    PluginMeta,
    current_message,
    hookspecs,
)
from ...plugin.hooks import chain, collect, hook_name, hooks_of
from ..models.settings import model_settings
from ..registry import PluginRegistry, registry_of
from ..seen_messages import SeenMessages
from ..sender_order import SenderOrder
from ..turn import MessageTurn
from .conversation import ConversationPlugin

GRACE_S = 5.0
"""How much longer than the model's own limit the loop waits, since the model's error says more."""
PROMPT = "You are {name}, an assistant who answers the people who write to you. Be brief and exact."


class LoopPlugin(Plugin):
    """Handles the messages of a poll concurrently, those of one sender in order."""

    meta = PluginMeta(
        id="loop",
        version="1",
        capabilities=["loop"],
        dependencies=["config", "communication", "session", "tools", "conversation"],
        consumes=["llm", "tools"],
        priority=50,
        extension_points=[
            *hooks_of("loop"),
            *("session.handled", "runtime.tick", "context.system_prompt"),
        ],
    )

    def __init__(self) -> None:
        self._name = "the agent"
        self._max_tokens = 2048
        self._timeout_s = 120.0 + GRACE_S
        self._seen: SeenMessages | None = None
        self._order = SenderOrder()

    def configure(self, config: dict[str, Any]) -> None:
        model = model_settings(config.get("llm"))
        self._name = str((config.get("identity") or {}).get("name") or self._name)
        self._max_tokens = model.max_tokens
        self._timeout_s = model.timeout_seconds * (model.retries + 1) + GRACE_S

    async def start(self) -> None:
        self._seen = SeenMessages(self.clock)

    async def stop(self) -> None: ...

    @property
    def _all(self) -> PluginRegistry:
        return registry_of(self)

    @property
    def _conversation(self) -> ConversationPlugin:
        plugin = self._all.get("conversation")
        if not isinstance(plugin, ConversationPlugin):
            raise PluginError(
                f"the plugin 'conversation' must be a ConversationPlugin, got {plugin!r}"
            )
        return plugin

    async def poll(self) -> list[IncomingMessage]:
        """The messages that channels, cron and other plugins have now."""
        polled = await self._all.collect(hook_name(hookspecs.session_poll_messages))
        for plugin_id, error in polled.failures:
            failure: hookspecs.ErrorContext = {
                "error": error,
                "hook": "poll",
                "plugin_id": plugin_id,
            }
            await chain(self._all, hookspecs.loop_on_error, failure)
        return [
            message
            for result in polled.results
            if isinstance(result, list)
            for message in result
            if isinstance(message, IncomingMessage)
        ]

    async def handle(self, message: IncomingMessage) -> OutgoingMessage | None:
        """Handle a message; returns the answer as sent, None for a duplicate or without one."""
        reply: OutgoingMessage | None = None
        try:
            if self._seen is not None and self._seen.add(message.event_id):
                reply = await self._in_turn(message)
            else:
                self.log_debug(f"Message {message.event_id} came twice")
        finally:
            handled: hookspecs.HandledContext = {"message": message, "reply": reply}
            await collect(self._all, hookspecs.session_handled, handled)
        return reply

    async def handle_all(self, messages: list[IncomingMessage]) -> None:
        """Handle messages concurrently; logs those that fail."""
        done = await asyncio.gather(*map(self.handle, messages), return_exceptions=True)
        for message, outcome in zip(messages, done, strict=True):
            if isinstance(outcome, Exception):
                self.log_error(f"Message {message.event_id} failed: {outcome!r}")

    async def _in_turn(self, message: IncomingMessage) -> OutgoingMessage | None:
        async with self._order.turn_of(message):
            token = current_message.set(message)
            try:
                return await self._turn(message).run()
            finally:
                current_message.reset(token)

    def _turn(self, message: IncomingMessage) -> MessageTurn:
        return MessageTurn(
            self._all,
            message,
            self._conversation,
            prompt=PROMPT.format(name=self._name),
            max_tokens=self._max_tokens,
            timeout_s=self._timeout_s,
        )


def create_plugin() -> LoopPlugin:
    return LoopPlugin()
