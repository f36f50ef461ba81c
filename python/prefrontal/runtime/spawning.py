"""The request for a subagent, and a model that counts its running calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from ..errors import PrefrontalError

if TYPE_CHECKING:
    from ..plugin import LLMProvider


@dataclass(frozen=True, slots=True)
class SpawnRequest:
    """The task of a subagent; `subagent.before_spawn` gets it as a mapping.

    model, provider: other than the agent's. max_tokens: of the answer. output_schema: the JSON
    schema of the answer, for a model that takes one.
    """

    task: str
    context: Mapping[str, Any] | None = None
    system_prompt: str | None = None
    timeout_seconds: float = 300
    model: str | None = None
    provider: str | None = None
    max_tokens: int = 2048
    output_schema: Mapping[str, Any] | None = None

    def replaced(self, changes: object) -> SpawnRequest:
        """The request with the fields in `changes`. Raises PrefrontalError for invalid ones."""
        rule = "a request must be a mapping with a task and, if any, a mapping as context"
        if not isinstance(changes, Mapping):
            raise PrefrontalError(f"{rule}, got {changes!r:.80}")
        known = {field.name for field in fields(self)}
        new = replace(self, **{name: changes[name] for name in known & changes.keys()})
        if not isinstance(new.task, str) or not isinstance(new.context, Mapping | None):
            raise PrefrontalError(f"{rule}, got {changes!r:.80}")
        return new

    @property
    def seconds(self) -> float:
        """The timeout. Raises PrefrontalError for an invalid one."""
        seconds: object = self.timeout_seconds
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise PrefrontalError(f"timeout_seconds must be a number above 0, got {seconds!r}")
        return float(seconds)


class WatchedModel:
    """A plain model that counts as running until its thread ends."""

    def __init__(self, provider: LLMProvider, running: set[object], turn: object) -> None:
        self._provider = provider
        self._running = running
        self._turn = turn

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        max_tokens: int = 2048,
    ) -> Any:
        self._running.add(self._turn)
        try:
            return self._provider.chat(messages, tools, model, max_tokens)
        finally:
            self._running.discard(self._turn)
