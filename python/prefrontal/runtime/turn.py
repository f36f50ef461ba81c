"""One message from its arrival to its answer, through the hooks of the loop in their order."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..origins import peer_origin
from ..plugin import IncomingMessage, OutgoingMessage, hookspecs
from ..plugin.hearing import current_origins
from ..plugin.hooks import chain, collect
from ..plugin.messages import WORDS_OF
from .conversation.models import viewer_of
from .delivery import current_correlation, deliver
from .dispatch import entry
from .model_rounds import ModelRounds

if TYPE_CHECKING:
    from concurrent.futures import Future

    from .conversation.models import Viewer
    from .plugins.conversation import ConversationPlugin
    from .registry import PluginRegistry

EMPTY = "(No response generated)"
SKIP = "skip_persistence"
"""Metadata key: keeps a message and its answer out of the conversation."""
FAILED = "Sorry, I could not work that out just now. (Reference: {reference})"


class MessageTurn:
    """Handles one message."""

    def __init__(
        self,
        registry: PluginRegistry,
        message: IncomingMessage,
        conversation: ConversationPlugin,
        *,
        prompt: str,
        max_tokens: int,
        timeout_s: float,
    ) -> None:
        self._registry = registry
        self._message = message
        self._conversation = conversation
        self._prompt = prompt
        self._max_tokens = max_tokens
        self._timeout_s = timeout_s
        self._failed = False
        self._question: Future[int] | None = None
        self._ids = _ids(message)

    async def run(self) -> OutgoingMessage | None:
        """The answer as sent; None when a plugin dropped the message or blocked the answer."""
        current_correlation.set(self._ids["correlation_id"])
        current_origins.set(set(_origins(self._message)))
        text = await self._arrive()
        if text is None:
            return None
        peer = self._message.sender_name
        answer = await self._answer(text, peer)
        ctx: hookspecs.TextContext = {**self._ids, "text": answer, "recipient": peer}
        ctx = await chain(self._registry, hookspecs.loop_transform_response, ctx)
        answer = entry(ctx, "text", str, answer) or EMPTY
        reply = self._reply(answer)
        sent = None
        if reply is not None:
            sent = await deliver(self._registry, reply, self._ids, peer)
        if sent is not None and self._question is not None and not self._failed:
            await self._conversation.record_answer(self._viewer, sent.content, self._question)
            await self._conversation.condense(self._viewer)
        else:
            await self._conversation.durable(self._question)
        return sent

    @property
    def _viewer(self) -> Viewer:
        return viewer_of(self._message)

    @property
    def _key(self) -> tuple[str, str]:
        return self._message.channel_type, self._message.channel_id

    async def _arrive(self) -> str | None:
        message = self._message
        ctx: hookspecs.MessageContext = {
            **self._ids,
            "message": message.content,
            "sender": message.sender_name,
            "sender_id": message.sender_id,
        }
        ctx = await chain(self._registry, hookspecs.loop_on_message, ctx)
        if ctx.get("abort"):
            self._registry.log("info", "loop", f"Message {message.event_id} dropped", {})
            return None
        return entry(ctx, "message", str, message.content)

    async def _answer(self, text: str, peer: str) -> str:
        if not self._message.is_internal:
            await collect(self._registry, hookspecs.communication_typing, self._ids.copy())
        history = self._conversation.history(self._viewer)
        messages = [*history, {"role": "user", "content": text}]
        prompt = await self._base_prompt()
        ctx: hookspecs.PromptContext = {
            **self._ids,
            "prompt": prompt,
            "peer": peer,
            "messages": messages,
        }
        ctx = await chain(self._registry, hookspecs.loop_transform_system_prompt, ctx)
        system = {"role": "system", "content": entry(ctx, "prompt", str, prompt)}
        past: hookspecs.HistoryContext = {**self._ids, "messages": list(messages), "peer": peer}
        past = await chain(self._registry, hookspecs.loop_transform_history, past)
        question = [system, *entry(past, "messages", list, messages)]
        if not self._message.metadata.get(SKIP):  # on its way to the disk while the model thinks
            self._question = self._conversation.record(self._viewer, "in", text)
        rounds = ModelRounds(self._registry, self._ids, self._max_tokens, self._timeout_s)
        try:
            return await rounds.answer(question)
        except Exception as error:  # noqa: BLE001 - the peer gets a sentence, not silence
            return await self._excuse(error)

    async def _base_prompt(self) -> str:
        """The agent's own prompt, followed by the texts of plugins."""
        texts = await collect(self._registry, hookspecs.context_system_prompt)
        parts = [text.strip() for text in texts if isinstance(text, str)]
        return "\n\n".join([self._prompt, *filter(None, parts)])

    async def _excuse(self, error: Exception) -> str:
        self._failed = True
        reference = secrets.token_hex(4)
        self._registry.log("error", "loop", f"Model call failed ({reference}): {error!r}", {})
        ctx: hookspecs.ErrorContext = {
            **self._ids,
            "error": error,
            "hook": "llm_call",
            "error_id": reference,
        }
        await chain(self._registry, hookspecs.loop_on_error, ctx)
        return FAILED.format(reference=reference)

    def _reply(self, text: str) -> OutgoingMessage | None:
        """The outgoing answer; None for an internal message without an output."""
        message = self._message
        channel_type, channel_id = self._key
        recipient, reply_to = message.sender_id, message.id or None
        if message.is_internal:
            output = message.metadata.get("reply_to_channel")
            if not isinstance(output, dict) or not output:
                self._registry.log("debug", "loop", f"Answer to {message.event_id} kept", {})
                return None
            channel_type = str(output.get("channel_type", ""))
            channel_id = str(output.get("channel_id", ""))
            recipient, reply_to = str(output.get("recipient") or ""), None
            self._ids |= {"peer_id": recipient, "recipient_id": recipient}
        metadata = {"recipient": recipient}
        return OutgoingMessage(channel_type, channel_id, text, reply_to, metadata=metadata)


def _origins(message: IncomingMessage) -> Iterable[str]:
    """Whose words a message is made of; the runtime's own may say that."""
    if not message.is_internal:
        return [peer_origin(message.sender_id)]
    words_of = message.metadata.get(WORDS_OF)
    return map(str, words_of) if isinstance(words_of, (list, tuple)) else ()


def _ids(message: IncomingMessage) -> hookspecs.Ids:
    """The ids in the context of every hook for this message."""
    peer_id = message.sender_id
    if message.is_internal:
        peer_id = str(message.metadata.get("target_peer") or "")
    ids: hookspecs.Ids = {
        "peer_id": peer_id,
        "recipient_id": peer_id,
        "event_id": message.event_id,
        "channel_type": message.channel_type,
        "channel_id": message.channel_id,
        "correlation_id": secrets.token_hex(8),
    }
    if message.is_internal:
        ids["internal"] = True
    return ids
