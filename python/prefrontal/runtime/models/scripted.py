"""A model with scripted replies, for tests and demonstrations."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...clock import Clock, SystemClock
from ...errors import InputError, PrefrontalError
from ...nearest import unknown_key
from ...plugin import LLMResponse, ToolCall
from ...plugin.waiting import wait_for

_KEYS = ("text", "tool_calls", "usage", "model", "delay_seconds", "error", "hang")


class ScriptedModel:
    """Gives its replies in order.

    A reply is a text, or a mapping with: text; tool_calls (each a name and arguments); usage
    (prompt_tokens, completion_tokens); model; delay_seconds before it comes, on the clock; error,
    a sentence that is raised instead; hang, to never answer. repeat: start again at the end.
    """

    name = "scripted"

    def __init__(
        self, replies: Sequence[Any] = (), *, repeat: bool = False, clock: Clock | None = None
    ) -> None:
        self._replies = [_reply(index, reply) for index, reply in enumerate(replies)]
        self._repeat = repeat
        self._clock = clock or SystemClock()
        self.asked: list[list[Mapping[str, Any]]] = []
        """The messages of each call, in order."""

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
    ) -> LLMResponse:
        """The next reply. Raises PrefrontalError when none is left, or for a scripted error."""
        turn = len(self.asked)
        self.asked.append(list(messages))
        count = len(self._replies)
        if not count or (turn >= count and not self._repeat):
            raise PrefrontalError(f"the scripted model must have a reply left, got {count} in all")
        reply = self._replies[turn % count]
        await self._wait(reply)
        if "error" in reply:
            raise PrefrontalError(str(reply["error"]))
        calls = reply.get("tool_calls", ())
        return LLMResponse(
            content=str(reply.get("text", "")),
            tool_calls=tuple(
                ToolCall(f"call-{turn}-{index}", call["name"], dict(call.get("arguments") or {}))
                for index, call in enumerate(calls)
            ),
            model=reply.get("model") or model or self.name,
            usage=dict(reply.get("usage") or {}),
        )

    async def _wait(self, reply: Mapping[str, Any]) -> None:
        never = asyncio.Event()
        if reply.get("hang"):
            await never.wait()
        if reply.get("delay_seconds"):
            with suppress(TimeoutError):
                await wait_for(never.wait(), reply["delay_seconds"], self._clock)


def _reply(index: int, reply: object) -> Mapping[str, Any]:
    where = f"llm.replies[{index}]"
    if isinstance(reply, str):
        return {"text": reply}
    if not isinstance(reply, Mapping):
        raise InputError(f"{where} must be a text or a mapping, got {reply!r:.80}")
    for key in reply:
        if key not in _KEYS:
            raise InputError(unknown_key(where, key, _KEYS))
    delay = reply.get("delay_seconds", 0)
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not delay >= 0:
        raise InputError(f"{where}.delay_seconds must be a number of seconds, got {delay!r}")
    calls = reply.get("tool_calls", ())
    if not isinstance(calls, list | tuple) or not all(_is_call(call) for call in calls):
        rule = "be a list of mappings with a name and arguments"
        raise InputError(f"{where}.tool_calls must {rule}, got {calls!r:.80}")
    return reply


def _is_call(call: object) -> bool:
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        return False
    return isinstance(call.get("arguments") or {}, Mapping)
