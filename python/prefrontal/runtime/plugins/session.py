"""Routes messages from channels to the loop, and answers back to their channels."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from ...plugin import (
    IncomingMessage,
    MemoryProvider,
    OutgoingMessage,
    Plugin,
    PluginMeta,
    current_message,
    hookspecs,
)
from ...plugin.hooks import Context, collect, hook_name, hooks_of
from ..channel_book import MEMORY_KEY, ChannelBook, Place
from ..delivery import current_correlation, deliver
from ..registry import registry_of

SENT_KEPT = 1000
SAVED_EVERY_S = 60.0
LONGEST_ID = 1000
_IDS = ("id", "channel_type", "channel_id", "sender_id", "sender_name")
SEND_MESSAGE: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "send_message",
        "description": "Send a message to a peer, on the channel the peer last wrote on alone; "
        "in answer to a message in a group, there.",
        "parameters": {
            "type": "object",
            "properties": {"peer_id": {"type": "string"}, "text": {"type": "string"}},
            "required": ["peer_id", "text"],
            "additionalProperties": False,
        },
    },
}


class SessionPlugin(Plugin):
    """Routes by channel type, the id of the channel's plugin.

    A channel is a plugin with the capability "channel" that implements `session.receive`,
    `session.send` and optionally `session.typing`. In a runtime without background tasks, a message
    for a missing channel counts as sent, so that tests can inspect it.
    """

    meta = PluginMeta(
        id="session",
        version="1",
        capabilities=["session", "tools"],
        dependencies=["communication"],
        optional_dependencies=["memory", "memory-files"],
        consumes=["channel", "memory"],
        priority=10,
        extension_points=[name for name in hooks_of("session") if name != "session.handled"],
        implements={
            "communication.receive": "receive",
            "communication.send": "send",
            "communication.typing": "typing",
            "communication.channels": "channels",
            "session.poll_messages": "receive",
            "loop.on_message": "remember_channel",
        },
    )

    def __init__(self) -> None:
        self._sent: deque[OutgoingMessage] = deque(maxlen=SENT_KEPT)
        self._book = ChannelBook()
        self._saved_at = 0.0

    async def start(self) -> None:
        self._saved_at = self.clock.monotonic()
        if (memory := self._memory) is None:
            return
        try:
            if text := await memory.retrieve(MEMORY_KEY):
                await self._read(memory, text)
        except Exception as error:  # noqa: BLE001 - peers will write again
            self.log_warn(f"Where peers wrote last is not known: {error}")

    async def _read(self, memory: MemoryProvider, text: str) -> None:
        """Take up where peers wrote last; a text that is damaged is set aside."""
        try:
            self._book.read(text)
        except (ValueError, RecursionError) as error:
            aside = f"{MEMORY_KEY}-corrupt"
            await memory.store(aside, text)
            self.log_warn(
                f"Where peers wrote last cannot be read, its text is under {aside}: {error}"
            )

    async def stop(self) -> None:
        await self._save()

    @property
    def sent(self) -> list[OutgoingMessage]:
        """The newest messages that a channel took."""
        return list(self._sent)

    async def receive(self) -> list[IncomingMessage]:
        """The messages of all channels; drops those that claim to be internal."""
        if self.clock.monotonic() - self._saved_at >= SAVED_EVERY_S:
            await self._save()
        results = await collect(self.registry, hookspecs.session_receive)
        messages = [message for each in results if isinstance(each, list) for message in each]
        for message in messages:
            if not is_sound(message):
                self.log_warn(f"Dropped, it is not a message: {message!r:.80}")
            elif message.is_internal:
                self.log_warn(f"Dropped, it claims to be the agent's own: {message!r:.80}")
        return [each for each in messages if is_sound(each) and not each.is_internal]

    async def send(self, message: OutgoingMessage) -> bool | None:
        """Send by the message's channel; None without one. Raises what the channel raises."""
        hook = hookspecs.session_send
        is_sent = await self._to_channel(hook, message.channel_type, message)
        if is_sent is None:
            is_sent = True if self._is_watched() else None
        if is_sent:
            self._sent.append(message)
        return is_sent

    async def typing(self, ctx: hookspecs.Ids) -> None:
        """Show in the channel that an answer is being worked out."""
        await self._to_channel(hookspecs.session_typing, str(ctx.get("channel_type")), ctx)

    def channels(self) -> list[str]:
        """The ids of the channels."""
        return [plugin.meta.id for plugin in self.registry.all_with_capability("channel")]

    def remember_channel(self, ctx: dict[str, Any]) -> dict[str, Any]:
        """Remember where the peer wrote last, alone: in a group others would read it."""
        message = current_message.get()
        in_group = message is not None and message.is_group
        if not ctx.get("internal") and ctx.get("sender_id") and not in_group:
            peer_id = str(ctx["sender_id"])
            name = str(ctx.get("sender") or peer_id)
            place = Place(str(ctx["channel_type"]), str(ctx["channel_id"]), name)
            self._book.note(peer_id, place)
        return ctx

    def get_definitions(self) -> list[dict[str, Any]]:
        return [SEND_MESSAGE]

    async def execute(self, name: str, args: Mapping[str, Any]) -> str:
        """Send a message to a peer; returns the outcome as text for the model."""
        peer_id, text = str(args["peer_id"]), str(args["text"]).strip()
        place = _group_of(peer_id) or self._book.get(peer_id)
        if place is None:
            return f"Error: no channel is known in which the peer {peer_id!r} wrote alone"
        if not text:
            return "Error: text must not be empty"
        channel_type, channel_id = place.channel_type, place.channel_id
        message = OutgoingMessage(channel_type, channel_id, text, metadata={"recipient": peer_id})
        ids: hookspecs.Ids = {
            "peer_id": peer_id,
            "recipient_id": peer_id,
            "event_id": None,
            "channel_type": channel_type,
            "channel_id": channel_id,
            "correlation_id": current_correlation.get(),
        }
        sent = await deliver(registry_of(self), message, ids, place.peer_name)
        return f"Sent to {peer_id}." if sent else f"Error: nothing was sent to {peer_id}"

    async def _to_channel(
        self, hook: Callable[[Context], object], channel_type: str, ctx: Context
    ) -> bool | None:
        registry, point = registry_of(self), hook_name(hook)
        for plugin_id, plugin, method in registry.get_implementations(point):
            if plugin_id == channel_type:
                answer = await registry.calls.hook(plugin, point, getattr(plugin, method), ctx)
                return answer is not False
        return None

    @property
    def _memory(self) -> MemoryProvider | None:
        return self.registry.get_by_capability("memory")  # type: ignore[return-value]

    async def _save(self) -> None:
        """Store where peers wrote last, if that has changed."""
        self._saved_at = self.clock.monotonic()
        memory = self._memory
        if memory is None or not self._book.changed:
            return
        try:
            await memory.store(MEMORY_KEY, self._book.written())
        except Exception as error:  # noqa: BLE001 - it stays in memory while the agent runs
            self.log_warn(f"Where peers wrote last could not be kept: {error}")

    def _is_watched(self) -> bool:
        return not getattr(self.registry, "background", True)


def _group_of(peer_id: str) -> Place | None:
    """The group in which the peer asked what is being answered."""
    message = current_message.get()
    if message is None or not message.is_group or message.sender_id != peer_id:
        return None
    return Place(message.channel_type, message.channel_id, message.sender_name)


def is_message(message: object) -> TypeGuard[IncomingMessage]:
    """Whether an object is a message whose fields have their types."""
    return (
        isinstance(message, IncomingMessage)
        and isinstance(message.metadata, dict)
        and all(isinstance(getattr(message, name), str) for name in ("content", *_IDS))
    )


def is_sound(message: object) -> bool:
    """Whether an object is a message with ids of bounded length that a file can hold."""
    return is_message(message) and all(_is_id(getattr(message, name)) for name in _IDS)


def _is_id(value: str) -> bool:
    if len(value) > LONGEST_ID:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def create_plugin() -> SessionPlugin:
    return SessionPlugin()
