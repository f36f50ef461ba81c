"""The agent that is woken, as far as telemetry names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..pulse.delivery import Handler


@dataclass(frozen=True, slots=True)
class WokenAgent:
    """A handler that asks an agent, and how the agent is called in spans and metrics.

    call: takes a decision; a function or a coroutine function, as for `on_wake`. name,
    model: empty when there is no single one. provider: who answers, as OpenTelemetry writes it
    ("anthropic", "openai", ...). Raises TypeError when `call` cannot be called.
    """

    call: Handler
    name: str = ""
    provider: str = "prefrontal"
    model: str = ""

    def __post_init__(self) -> None:
        if not callable(self.call):
            raise TypeError(f"call must be callable, got {self.call!r:.80}")

    def attributes(self) -> dict[str, str]:
        """What the GenAI conventions want to be known when the span begins."""
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": self.provider,
            "gen_ai.agent.name": self.name,
            "gen_ai.request.model": self.model,
        }
        return {key: value for key, value in attributes.items() if value}

    def metric_attributes(self) -> dict[str, str]:
        """Those that belong to the duration of an invocation."""
        attributes = {"gen_ai.agent.name": self.name, "gen_ai.request.model": self.model}
        return {key: value for key, value in attributes.items() if value}
