"""Prefrontal in front of a pydantic-ai agent: it is asked only when a signal matters.

The agent's own structured reply says whether the wake was useful, and the gate learns from it. All
runs share the event loop the context was opened in, so that a model's connections can be reused.

    pip install pydantic-ai-slim
    python examples/adapters/pydantic_ai_gate.py
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import time
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from prefrontal.pulse import EscalationDecision, PulseRegistry, SignalEvent

if TYPE_CHECKING:
    from pydantic_ai.models import Model

INVOICES = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "Is {location} an invoice to file?",
    "default_threshold": 0.6,
    "signal_priors": {
        "filesystem": {"watch_directories": ["/srv/inbox"], "relevant_extensions": [".pdf"]}
    },
}


class Reply(BaseModel):
    """What the agent did about a question."""

    useful: bool = Field(description="Whether there was anything to do or to tell.")
    text: str = Field(default="", description="What was done, in a sentence.")


def build_agent(model: Model | str) -> Agent[None, Reply]:
    """Add your tools to it."""
    return Agent(model, output_type=Reply, instructions="Do what the question needs, if anything.")


@asynccontextmanager
async def gated(
    registry: PulseRegistry, agent: Agent[None, Reply], tell: Callable[[str], object] = print
) -> AsyncIterator[None]:
    """Run the registry, and wake the agent, for as long as the context is open."""
    loop = asyncio.get_running_loop()

    async def ask(decision: EscalationDecision) -> None:
        reply = (await agent.run(decision.question)).output
        registry.record_feedback(decision.activation_id or "", float(reply.useful))
        if reply.useful:
            tell(reply.text)

    def wake(decision: EscalationDecision) -> None:
        asyncio.run_coroutine_threadsafe(ask(decision), loop).result()

    end = registry.on_escalation(wake)
    registry.start()
    try:
        yield
    finally:
        await asyncio.to_thread(registry.stop)  # the loop must run on: answers are waited for
        end()


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stands in for a model: bills are useful."""
    told = {"useful": "bill" in str(messages[-1].parts), "text": "Filed the bill."}
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, told)])


def file(name: str) -> SignalEvent:
    return SignalEvent("filesystem", f"/srv/inbox/{name}", "created", 1.0, time())


async def main() -> None:
    registry = PulseRegistry()  # with watch_dirs=["~/inbox"] it would see files by itself
    registry.register_module("invoices", INVOICES)
    async with gated(registry, build_agent(FunctionModel(scripted))):
        for name in ("bill-1.pdf", "notes.txt", "menu.pdf"):
            registry.push(file(name))
    print(registry.status()["decisions"])


if __name__ == "__main__":
    asyncio.run(main())
