"""Answers by rules, for an agent without a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...plain_text import visible
from ...plugin import IncomingMessage, LLMResponse, ToolCall, current_message
from ...plugin.messages import SYSTEM_SENDER
from ...redaction import redact

SEND = "send_message"
"""The tool that carries out a directive."""

_GREETING = re.compile(
    r"\W*(hi|hello|hey|greetings|good (morning|afternoon|evening)|hallo|hola|bonjour)\b", re.I
)
_THANKS = re.compile(r"\b(thanks|thank you|thx|danke|merci|gracias)\b", re.I)
_FAREWELL = re.compile(r"\W*(bye|goodbye|see you|good night)\b", re.I)
_QUESTION = re.compile(
    r"\?\s*$|^\W*(who|what|when|where|why|how|which|can|could|would|will|is|are|do|does)\b", re.I
)
_DIRECTIVE = re.compile(r"Directive (\S+) for (.+?): (.*)")
_MESSAGE = re.compile(r"^Message: (.+)$", re.M)
_NO_MODEL = "no language model is configured here"


class RulesModel:
    """Answers in one or two sentences, deterministically.

    Greets, acknowledges, and follows a directive of the reflective loop by sending its message.
    Only internal messages are directives, whatever a peer writes.
    """

    name = "rules"

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
    ) -> LLMResponse:
        last = messages[-1] if messages else {}
        text = last.get("content")
        text = text if isinstance(text, str) else ""
        incoming = current_message.get()
        if last.get("role") == "tool":
            return _said(f"Done: {visible(redact(text), 160)}")
        if incoming is not None and _is_directive(incoming):
            return _followed(incoming, tools or ())
        if incoming is not None and incoming.is_internal:
            return _said(f"Noted; {_NO_MODEL}, so nothing else is done about it.")
        return _said(_answer(text, incoming))


def _is_directive(message: IncomingMessage) -> bool:
    marked = bool(message.metadata.get("is_cortex"))
    return marked and message.channel_type == "cortex" and message.sender_id == SYSTEM_SENDER


def _followed(message: IncomingMessage, tools: Sequence[Mapping[str, Any]]) -> LLMResponse:
    directive = _DIRECTIVE.match(message.content)
    text = _MESSAGE.search(message.content)
    if directive is None:
        return _said("Noted.")
    peer = message.metadata.get("target_peer") or directive[2]
    offered = any((tool.get("function") or {}).get("name") == SEND for tool in tools)
    if text is None or not offered:
        return _said(f"Noted for {visible(str(peer), 80)}: {visible(directive[3], 160)}")
    arguments = {"peer_id": peer, "text": text[1].strip()}
    call = ToolCall(id=f"directive-{directive[1]}", name=SEND, arguments=arguments)
    return LLMResponse(content="", tool_calls=(call,), model="rules")


def _answer(text: str, incoming: IncomingMessage | None) -> str:
    if not text.strip():
        return f"Nothing came with that message; {_NO_MODEL}."
    if _GREETING.match(text):
        name = visible(incoming.sender_name, 40).strip() if incoming is not None else ""
        greeting = f"Hello, {name}." if name else "Hello."
        return f"{greeting} I keep track of what you tell me, but {_NO_MODEL}."
    if _FAREWELL.match(text):
        return f"Goodbye. What you told me is noted; {_NO_MODEL}."
    if _QUESTION.search(text.strip()):
        return f"I cannot answer that: {_NO_MODEL}. Your question is noted."
    if _THANKS.search(text):
        return f"You are welcome; {_NO_MODEL}."
    return f"Noted: {visible(redact(text), 80).strip()} ({_NO_MODEL})"


def _said(text: str) -> LLMResponse:
    return LLMResponse(content=text, model="rules")
