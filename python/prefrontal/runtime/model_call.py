"""One question to a chat model, sync or async, without blocking the event loop."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..errors import PrefrontalError
from ..plugin import LLMProvider, LLMResponse
from ..plugin.asking import user_message
from ..plugin.calling import called, resolved
from .threads import in_thread


def is_async(provider: LLMProvider) -> bool:
    """Whether `chat` is a coroutine function; others need a thread and cannot be cancelled."""
    return inspect.iscoroutinefunction(provider.chat)


async def ask(
    provider: LLMProvider,
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    model: str | None = None,
    max_tokens: int = 2048,
    output_schema: Mapping[str, Any] | None = None,
) -> LLMResponse:
    """The answer. A plain `chat` runs in its own thread, which a cancelled wait abandons.

    output_schema: the JSON schema of the answer, for a model that takes one. Raises what the
    provider raises, and PrefrontalError for a result that is no LLMResponse.
    """
    options: dict[str, Any] = {"tools": tools, "model": model, "max_tokens": max_tokens}
    if output_schema is not None and "output_schema" in inspect.signature(provider.chat).parameters:
        options["output_schema"] = output_schema
    if is_async(provider):
        answer: Any = await called(partial(provider.chat, messages, **options))
    else:
        answer = await called(partial(in_thread, provider.chat, messages, **options))
        answer = await resolved(answer)
    if not isinstance(answer, LLMResponse):
        raise PrefrontalError(f"a model must answer with an LLMResponse, got {answer!r:.80}")
    if not isinstance(answer.content, str | None):
        raise PrefrontalError(f"a model's content must be text, got {answer.content!r:.80}")
    return answer


async def close(provider: object) -> None:
    """Close the model's connections, if it has any."""
    end = getattr(provider, "close", None)
    result = end() if callable(end) else None
    if inspect.isawaitable(result):
        await result


def brief(
    task: str, context: Mapping[str, Any] | None = None, system_prompt: str | None = None
) -> list[dict[str, str]]:
    """The messages of a session with a single task."""
    messages = [{"role": "user", "content": user_message(task, context)}]
    if system_prompt:
        messages.insert(0, {"role": "system", "content": system_prompt})
    return messages
