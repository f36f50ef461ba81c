"""Roles that plugins fill for each other: models, tools, subagents, memory."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model asks for a tool. arguments: by name, already parsed."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """What a model said. usage: prompt_tokens and completion_tokens; empty when not told."""

    content: str
    tool_calls: Sequence[ToolCall] = ()
    model: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens_in(self) -> int:
        return _count(self.usage, "prompt_tokens")

    @property
    def tokens_out(self) -> int:
        return _count(self.usage, "completion_tokens")


def _count(usage: object, name: str) -> int:
    """A number that a server told; 0 for anything else: an answer is not lost for its price."""
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) else 0


class LLMProvider(Protocol):
    """A chat model. `chat` may also be a plain function: it is then run in a thread."""

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
    ) -> Awaitable[LLMResponse] | LLMResponse:
        """Answer a conversation of {"role", "content"} dicts.

        tools: definitions as {"type": "function", "function": {"name", "description",
        "parameters"}}. model: another than the configured one. Raises PrefrontalError when there
        is no answer.
        """
        ...


class ToolProvider(Protocol):
    """Tools that a model may call; the first provider of a name wins."""

    def get_definitions(self) -> Sequence[Mapping[str, Any]]: ...

    def execute(self, name: str, args: Mapping[str, Any]) -> Awaitable[str] | str:
        """Run one; the result, or what went wrong, as text for the model."""
        ...


@dataclass(frozen=True, slots=True)
class SubagentResult:
    """What a model said in a session of its own; error: why it did not. elapsed_seconds: wall."""

    success: bool
    output: str
    task: str
    elapsed_seconds: float
    error: str | None = None
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class SubagentProvider(Protocol):
    """One question to a model, in a session that shares nothing with the conversation."""

    async def spawn(
        self,
        task: str,
        context: Mapping[str, Any] | None = None,
        system_prompt: str | None = None,
        timeout_seconds: float = 300,
    ) -> SubagentResult:
        """Ask; failures are told in the result, not raised.

        One with the keyword arguments `model` and `provider` can ask another model than the
        agent's.
        """
        ...


class MemoryProvider(Protocol):
    """Keeps texts by key, through `memory.store`, `memory.retrieve` and `memory.search`."""

    async def store(self, key: str, content: str) -> None: ...
    async def retrieve(self, key: str) -> str | None: ...
    async def search(self, query: str) -> Sequence[tuple[str, float]]: ...
