"""In a group several read the answer: nothing of what one of them said alone is told there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from prefrontal.plugin import ToolCall
from prefrontal.testing import ChatCall, Reply, ScriptedLLM

from .reflecting import Agent, assessed, believed, reply

ROOM: Any = {"channel_id": "team", "metadata": {"group": True}}
SECRET = "zq001a"


TOOLS = (
    ToolCall("1", "query_peer", {"peer_id": "ann"}),
    ToolCall("2", "list_peers", {}),
    ToolCall("3", "conversation_search", {"query": "code"}),
)


def answer(call: ChatCall) -> Any:
    """Ask every tool of memory who it is."""
    is_question = call.messages[-1]["content"] == "Who am I?"
    return Reply("", tool_calls=TOOLS) if is_question else "ok"


async def shown(where: Mapping[str, Any]) -> str:
    """All that the model is told of ann, who told a secret in her own chat, when she asks."""
    belief = {**believed("about-ann", f"Knows {SECRET}"), "peer_id": "ann"}
    reflection = reply(assessed("ann", rationale=f"Said {SECRET}."), beliefs=[belief])
    model = ScriptedLLM(answer)
    async with Agent(reflection, llm=model) as agent:
        await agent.cycle("ann", text=f"My code is {SECRET}.")
        before = len(model.calls)
        await agent.hear("ann", "Who am I?", **where)
        return json.dumps([(each.prompt, each.messages) for each in model.calls[before:]])


async def test_in_a_group_nothing_of_a_peers_own_conversation_is_told() -> None:
    assert (await shown({})).count(SECRET) >= 10
    told = await shown(ROOM)
    assert "Info: " in told
    assert "interaction_count" in told
    assert SECRET not in told
