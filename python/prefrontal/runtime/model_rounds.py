"""Asks the model and runs its tools until it answers without one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import PrefrontalError
from ..origins import tool_origin
from ..plugin import LLMProvider, LLMResponse, ToolCall, hear, hookspecs
from ..plugin.hooks import chain
from ..plugin.waiting import wait_for
from .conversation.tools import OWN
from .dispatch import entry
from .model_call import ask

if TYPE_CHECKING:
    from .plugins.tools import AggregatedToolProvider
    from .registry import PluginRegistry

MAX_ROUNDS = 10
ABORTED = "Request aborted."
BLOCKED = "Blocked."


class ModelRounds:
    """Produces one answer: asks the model, runs the tools it requests, asks again.

    ids: for the context of every hook on the way.
    """

    def __init__(
        self, registry: PluginRegistry, ids: hookspecs.Ids, max_tokens: int, timeout_s: float
    ) -> None:
        self._registry = registry
        self._ids = ids
        self._max_tokens = max_tokens
        self._timeout_s = timeout_s

    async def answer(self, messages: list[dict[str, Any]]) -> str:
        """The final answer; appends to `messages`. Raises what the model raises."""
        text = ""
        for _ in range(MAX_ROUNDS):
            response = await self._ask(messages)
            if isinstance(response, str):
                return response
            text = response.content
            if not response.tool_calls:
                return text
            messages.append(_request(response))
            for call in response.tool_calls:
                result = await self._use(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        self._registry.log("warn", "loop", f"Tool use ended after {MAX_ROUNDS} rounds", {})
        return text

    async def _ask(self, messages: list[dict[str, Any]]) -> LLMResponse | str:
        """One response of the model; a text when a plugin answered instead."""
        provider = self._registry.get_by_capability("llm")
        if provider is None:
            raise PrefrontalError("a plugin must provide a model (capability 'llm'), none does")
        model = provider.meta.id
        tools = self._definitions()
        ctx: hookspecs.QuestionContext = {
            **self._ids,
            "messages": messages,
            "model": model,
            "tools": tools,
        }
        ctx = await chain(self._registry, hookspecs.loop_before_llm, ctx)
        if ctx.get("abort"):
            return str(ctx.get("abort_message") or ABORTED)
        messages[:] = entry(ctx, "messages", list, messages)
        tools = entry(ctx, "tools", list, tools)
        chat: LLMProvider = provider  # type: ignore[assignment]
        answer = ask(chat, list(messages), tools=tools or None, max_tokens=self._max_tokens)
        response = await wait_for(answer, self._timeout_s, self._registry.clock)
        after: hookspecs.AnswerContext = {
            **self._ids,
            "response": response,
            "model": response.model or model,
            "tokens_in": response.tokens_in,
            "tokens_out": response.tokens_out,
            "has_tool_calls": bool(response.tool_calls),
        }
        await chain(self._registry, hookspecs.loop_after_llm, after)
        return response

    async def _use(self, call: ToolCall) -> str:
        ctx: hookspecs.ToolContext = {**self._ids, "tool": call.name, "args": call.arguments}
        ctx = await chain(self._registry, hookspecs.loop_before_tool, ctx)
        if ctx.get("abort"):
            return str(ctx.get("abort_message") or BLOCKED)
        tools = self._tools
        unknown = f"Error: there is no tool {call.name!r}"
        result = await tools.execute(call.name, ctx["args"]) if tools else unknown
        if call.name not in OWN:
            hear([tool_origin(call.name)])
        after: hookspecs.ToolResultContext = {
            **self._ids,
            "tool": call.name,
            "args": ctx["args"],
            "result": result,
        }
        await chain(self._registry, hookspecs.loop_after_tool, after)
        return result

    @property
    def _tools(self) -> AggregatedToolProvider | None:
        from .plugins.tools import AggregatedToolProvider

        plugin = self._registry.get("tools")
        return plugin if isinstance(plugin, AggregatedToolProvider) else None

    def _definitions(self) -> list[Mapping[str, Any]]:
        return self._tools.get_definitions() if self._tools else []


def _request(response: LLMResponse) -> dict[str, Any]:
    """The model's tool calls, as a message of the conversation."""
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments, default=str)},
        }
        for call in response.tool_calls
    ]
    return {"role": "assistant", "content": response.content, "tool_calls": calls}
