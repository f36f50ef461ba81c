"""The ledger in the agent: what the model is told of a peer, and who judges."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prefrontal.ledger import LedgerPlugin
from prefrontal.plugin import IncomingMessage
from prefrontal.protocols import PeerLedger
from prefrontal.testing import ManualClock, ScriptedLLM, make_runtime

from .agents import Agent, StandIn
from .ledgers import NOW, filled

ASSESSMENT = {"peer_id": "alice", "trust": 3, "rationale": "Two clear requests."}


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Agent]:
    agent = Agent(workspace=str(tmp_path))
    await agent.registry.start_all()
    yield agent
    await agent.registry.stop_all()


async def test_the_plugin_is_what_the_cortex_asks(agent: Agent) -> None:
    asked: PeerLedger = agent.plugin
    assert agent.plugin.record_interaction("alice", "in", display_name="Alice") == 1
    assert asked.record_assessment("alice", 3, "Clear.") == 1
    assert [peer.peer_id for peer in asked.list_peers()] == ["alice"]
    assert asked.get_peer_assessment_summary("alice", 1)["recent"][0]["direction"] == "in"
    with pytest.raises(ValueError, match="known peer"):
        asked.record_assessment("nobody", 3, "Clear.")
    assert agent.events == []


async def test_the_model_is_told_of_the_peer(agent: Agent) -> None:
    filled(agent.plugin.ledger, "alice", 6, 21)
    agent.plugin.record_assessment("alice", 4, "Six clear requests.")
    prompt = await agent.prompt()
    assert prompt.startswith('You are tester.\n\n## Peer Context\n\nPeer: "alice"')
    assert "Info: 5/10 · Trust: +4" in prompt
    assert '"Six clear requests."' in prompt


async def test_the_hook_leaves_the_ctx_it_was_given_alone(agent: Agent) -> None:
    ctx = {"prompt": "You are tester.", "peer_id": "alice"}
    await agent.plugin.enrich_prompt(ctx)
    assert ctx == {"prompt": "You are tester.", "peer_id": "alice"}


async def test_of_an_unknown_peer_one_line_is_told_and_of_nobody_nothing(agent: Agent) -> None:
    prompt = await agent.prompt(peer_id="bob")
    assert prompt.endswith('## Peer Context\n\nPeer: "bob": first contact, no history.')
    assert await agent.prompt(peer_id="") == "You are tester."


async def with_cortex(tmp_path: Path, cortex: StandIn | None) -> tuple[str, Agent]:
    """The prompt of a known peer, and the agent, which is still running."""
    agent = Agent(*([cortex] if cortex else []), workspace=str(tmp_path / str(id(cortex))))
    await agent.registry.start_all()
    filled(agent.plugin.ledger, "alice", 6, 21)
    agent.plugin.record_assessment("alice", 4, "Six clear requests.")
    return await agent.prompt(), agent


async def test_the_prompt_is_the_same_to_the_byte_with_and_without_a_cortex(tmp_path: Path) -> None:
    bare, one = await with_cortex(tmp_path, None)
    beside, two = await with_cortex(tmp_path, StandIn())
    assert bare.encode() == beside.encode()
    assert "Trust: +4" in bare
    await one.registry.stop_all()
    await two.registry.stop_all()


def tools(agent: Agent) -> list[str]:
    return [each["function"]["name"] for each in agent.plugin.get_definitions()]


async def test_without_a_cortex_the_conversation_judges_and_it_is_announced_once(
    agent: Agent,
) -> None:
    await agent.comes()
    assert tools(agent) == ["query_peer", "list_peers", "assess_peer"]
    answer = await agent.plugin.execute("assess_peer", ASSESSMENT)
    assert answer == "Recorded: trust +3, info 1/10."
    assert agent.events[1:] == [
        (
            "ledger.after_assess",
            {
                "assessment_id": 1,
                "peer_id": "alice",
                "info_score": 1,
                "trust": 3,
                "rationale": "Two clear requests.",
                "created_at": NOW,
            },
        )
    ]


async def test_while_a_cortex_works_the_conversation_does_not_judge(tmp_path: Path) -> None:
    cortex = StandIn()
    agent = Agent(cortex, workspace=str(tmp_path))
    assert "assess_peer" in tools(agent)  # registered, not started
    await agent.registry.start_all()
    await agent.comes()
    assert tools(agent) == ["query_peer", "list_peers"]
    refusal = await agent.plugin.execute("assess_peer", ASSESSMENT)
    assert refusal.startswith("assess_peer is not available")
    assert "alice" in await agent.plugin.execute("query_peer", {"peer_id": "alice"})
    assert "alice" in await agent.plugin.execute("list_peers", {})
    assert agent.plugin.record_assessment("alice", 2, "The cortex says so.") == 1
    assert [name for name, _ in agent.events] == ["ledger.after_record"]

    cortex.enabled = False  # from now on, with nothing else changed
    assert "assess_peer" in tools(agent)
    assert (await agent.plugin.execute("assess_peer", ASSESSMENT)).startswith("Recorded: ")
    assert [name for name, _ in agent.events][1:] == ["ledger.after_assess"]
    cortex.enabled = True
    assert "assess_peer" not in tools(agent)
    await agent.registry.stop_all()
    assert "assess_peer" in tools(agent)


async def test_an_agent_remembers_over_a_restart_whom_it_talked_to(tmp_path: Path) -> None:
    message = IncomingMessage("1", "http", "room", "alice", "Alice", "hello", datetime.now(UTC))
    for expected in (1, 2):
        runtime = make_runtime(
            {"plugins": {"disabled": ["cortex"]}},
            clock=ManualClock(NOW),
            llm=(model := ScriptedLLM(["hi"])),
            workspace=tmp_path,
        )
        await runtime.start()
        assert await runtime.receive(replace(message, id=str(expected))) is not None
        [asked] = model.calls
        assert f"Interactions: {expected} (" in asked.messages[0]["content"]
        found = runtime.registry.get("ledger")
        assert isinstance(found, LedgerPlugin)
        assert (found.list_peers()[0].in_count, found.list_peers()[0].out_count) == (expected,) * 2
        await runtime.stop()
