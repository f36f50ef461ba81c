"""Prefrontal in front of any coroutine that answers questions, in its own event loop.

The gate decides on threads of its own; the agent stays in the loop it was made in, one question of
a module at a time. A reply of NOTHING (or none) says that the wake was useless, any other that it
was useful, and the gate learns from it. An agent that raises teaches nothing.

    python examples/adapters/asyncio_gate.py
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import time

from prefrontal.pulse import EscalationDecision, PulseRegistry, SignalEvent

Agent = Callable[[str], Awaitable[str]]
NOTHING = "NOTHING"

INVOICES = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "Is {location} an invoice to file? If not, reply NOTHING.",
    "default_threshold": 0.6,
    "signal_priors": {
        "filesystem": {"watch_directories": ["/srv/inbox"], "relevant_extensions": [".pdf"]}
    },
}


def is_useful(reply: str) -> bool:
    """Whether the agent found something to do."""
    return reply.strip().rstrip(".").upper() not in ("", NOTHING)


@asynccontextmanager
async def gated(
    registry: PulseRegistry, agent: Agent, tell: Callable[[str], object] = print
) -> AsyncIterator[None]:
    """Run the registry, and ask the agent for as long as the context is open.

    tell: gets each useful reply. On the way out what was handed in is decided and answered first.
    """
    loop = asyncio.get_running_loop()

    async def ask(decision: EscalationDecision) -> None:
        reply = await agent(decision.question or "")
        useful = is_useful(reply)
        registry.record_feedback(decision.activation_id or "", float(useful))
        if useful:
            tell(reply)

    def wake(decision: EscalationDecision) -> None:
        asyncio.run_coroutine_threadsafe(ask(decision), loop).result()

    end = registry.on_escalation(wake)
    registry.start()
    try:
        yield
    finally:
        await asyncio.to_thread(registry.stop)  # the loop must run on: answers are waited for
        end()


async def scripted(question: str) -> str:
    """Stands in for an agent."""
    await asyncio.sleep(0)
    return "Filed the bill." if "bill" in question else NOTHING


def file(name: str) -> SignalEvent:
    return SignalEvent("filesystem", f"/srv/inbox/{name}", "created", 1.0, time())


async def main() -> None:
    registry = PulseRegistry()  # with watch_dirs=["~/inbox"] it would see files by itself
    registry.register_module("invoices", INVOICES)
    async with gated(registry, scripted):
        for name in ("bill-1.pdf", "notes.txt", "menu.pdf"):
            registry.push(file(name))
    print(registry.status()["decisions"])


if __name__ == "__main__":
    asyncio.run(main())
