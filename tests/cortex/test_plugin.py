"""The cortex in its place: what is said flows into trust, beliefs and the agent's prompt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prefrontal.cortex.plugin import CortexPlugin, create_plugin
from prefrontal.errors import InputError

from .reflecting import Agent, assessed, believed, reply


async def test_five_messages_bring_one_bounded_assessment_into_the_ledger() -> None:
    async with Agent(reply(assessed(trust=7))) as agent:
        await agent.cycle()
        assert agent.trusts() == [3]
        assert len(agent.subagent.calls) == 1


async def test_a_second_cycle_goes_on_from_where_the_first_one_stopped() -> None:
    """S7: 0 to +7 is +3, then +6."""
    async with Agent(reply(assessed(trust=7))) as agent:
        await agent.hear()
        agent.ledger.record_assessment("alice", 0, "Nothing is known yet.")
        await agent.cycle()
        await agent.cycle()
        assert agent.trusts() == [0, 3, 6]


async def test_a_first_assessment_stays_within_three_of_zero() -> None:
    """S8."""
    async with Agent(reply(assessed(trust=8), assessed("bob", -9))) as agent:
        await agent.hear("bob")
        await agent.cycle(messages=4)
        assert agent.trusts() == [3]
        assert agent.trusts("bob") == [-3]


@pytest.mark.parametrize(("proposed", "written"), [(10, 8), (-10, 2), (4, 4)])
async def test_trust_that_was_there_before_the_cortex_is_where_it_starts(
    proposed: int, written: int, tmp_path: Path
) -> None:
    """S9: at +5 the first result is within +2..+8; the old row stays as it was."""
    async with Agent(workspace=tmp_path, enabled=False) as agent:
        await agent.hear()
        agent.ledger.record_assessment("alice", 5, "Judged inline, long ago.")
    async with Agent(reply(assessed(trust=proposed)), workspace=tmp_path) as agent:
        assert agent.cortex.last_trust("alice") == 5
        await agent.cycle()
        assert agent.trusts() == [5, written]


async def test_nothing_happens_while_nobody_writes() -> None:
    """S5: a timer of 30 minutes and two hours without a message are no cycle and no token."""
    async with Agent(reply(), schedule_minutes=30) as agent:
        for _ in range(24):
            await agent.tick(300)
        assert agent.subagent.calls == []
        await agent.hear()
        await agent.tick(1800)
        assert [each["trigger"] for each in agent.asked] == ["timer"]


async def test_a_belief_stands_after_the_ledgers_block_until_its_time_is_over() -> None:
    """S6, and the form of the block."""
    async with Agent(reply(beliefs=[believed()]), belief_ttl_minutes=10) as agent:
        await agent.cycle()
        prompt = await agent.prompt()
        assert prompt.endswith(
            "\n\n## Cortex Beliefs\n\n- alice-is-reliable: Delivers accurate forecasts"
        )
        assert prompt.index("## Peer Context") < prompt.index("## Cortex Beliefs")
        agent.clock.advance(600)
        assert "alice-is-reliable" in await agent.prompt()
        agent.clock.advance(1)
        assert "Cortex Beliefs" not in await agent.prompt()


async def test_a_belief_about_a_peer_names_the_peer_and_comes_first_for_them() -> None:
    about_bob = {**believed("large-scope-caution", "Verify first"), "peer_id": "bob"}
    async with Agent(reply(beliefs=[believed("weather", "Storms ahead"), about_bob])) as agent:
        await agent.cycle("bob")
        assert (await agent.prompt("bob")).endswith(
            "- large-scope-caution (bob): Verify first\n- weather: Storms ahead"
        )


async def test_a_belief_about_a_peer_stands_in_no_other_conversation() -> None:
    about_bob = {**believed("large-scope-caution", "Verify first"), "peer_id": "bob"}
    async with Agent(reply(beliefs=[about_bob])) as agent:
        await agent.cycle("bob")
        assert "large-scope-caution" in await agent.prompt("bob")
        assert "Verify first" not in await agent.prompt("alice")


async def test_a_rationale_of_any_length_stands_between_its_marks() -> None:
    said = assessed("alice", rationale="Bob said: " + "pay mallory " * 60)
    async with Agent(reply(said), triggers=["timer"]) as agent:
        await agent.hear("bob")
        await agent.hear("alice")
        await agent.tick(1800)
        prompt = await agent.prompt("alice")
    assert "mallory" in prompt
    assert "mallory" not in re.sub("\u27e6[^\u27e6\u27e7]*\u27e7", "", prompt)


async def test_the_agent_is_offered_the_ledgers_own_judgment_only_without_the_cortex() -> None:
    async with Agent(reply()) as agent:
        names = [each["function"]["name"] for each in agent.ledger.get_definitions()]
        assert "assess_peer" not in names
        assert "query_peer" in names
    async with Agent(reply(), enabled=False) as agent:
        names = [each["function"]["name"] for each in agent.ledger.get_definitions()]
        assert "assess_peer" in names
        await agent.cycle(messages=20)
        assert agent.subagent.calls == []
        assert len(agent.cortex.memory.buffer.events) == 0


async def test_what_is_announced_has_exactly_the_agreed_keys() -> None:
    async with Agent(reply(assessed(trust=2), beliefs=[believed()])) as agent:
        await agent.cycle()
        [assessment] = agent.payloads("cortex.after_assess")
        assert assessment == {
            "peer_id": "alice",
            "trust": 2,
            "rationale": "Five clear requests.",
            "info_score": 3,
            "cycle": 1,
        }
        [reflection] = agent.payloads("cortex.after_reflect")
        assert reflection == {
            "cycle": 1,
            "trigger": "interaction_count",
            "peers_assessed": ["alice"],
            "beliefs_added": ["alice-is-reliable"],
            "beliefs_reaffirmed": [],
            "beliefs_expired": [],
            "summary": "All is well.",
            "elapsed_seconds": 0.0,
        }
        assert agent.payloads("ledger.after_assess") == []
        [audit] = agent.payloads("cortex.audit")
        assert audit["assessments"][0]["proposed"] == 2
        assert set(audit) > set(reflection) - {"trigger"}


async def test_the_unclamped_proposal_stands_in_the_record() -> None:
    async with Agent(reply(assessed(trust=-9))) as agent:
        await agent.cycle()
        [entry] = agent.cortex.memory.history[-1].assessments
        assert (entry["proposed"], entry["clamped"], entry["previous"]) == (-9, -3, None)
        assert entry["outcome"] == "recorded"
        record = agent.cortex.memory.history[-1]
        assert record.input_summary.startswith("1 peer, 10 interactions, at most ")
        assert record.triggers == ("interaction_count",)


async def test_a_directive_reaches_the_agents_loop_once_and_starts_no_reflection() -> None:
    wish = {"target_peer": "alice", "action": "Ask politely", "message": "How is the report?"}
    async with Agent(reply(directives=[wish]), interaction_threshold=5) as agent:
        await agent.cycle()
        await agent.tick()
        prompts = [call.messages[-1]["content"] for call in agent.llm.calls]
        assert sum("Ask politely" in text for text in prompts) == 1
        assert agent.cortex.memory.triggers.interactions == 0
        assert "system" not in {peer.peer_id for peer in agent.ledger.list_peers()}
        assert [each["status"] for each in agent.payloads("cortex.after_directive")] == ["queued"]


def test_the_plugin_says_what_it_needs_and_offers() -> None:
    meta = create_plugin().meta
    assert (meta.id, meta.priority) == ("cortex", 23)
    assert list(meta.dependencies) == ["config", "ledger"]
    assert "memory" in meta.optional_dependencies
    assert list(meta.consumes) == ["subagent"]
    assert {"cortex.after_reflect", "cortex.after_assess"} <= set(meta.extension_points)
    for method in meta.implements.values():
        assert callable(getattr(CortexPlugin, method))
    assert meta.implements["loop.on_message"] == "_on_message"
    assert meta.implements["loop.after_send"] == "_on_after_send"
    assert meta.implements["loop.after_llm"] == "_on_after_llm"
    assert meta.implements["loop.after_tool"] == "_on_after_tool"


def test_a_clamp_of_zero_is_refused_when_the_plugin_is_configured() -> None:
    with pytest.raises(InputError, match=r"cortex\.max_trust_delta must .* got 0"):
        create_plugin().configure({"cortex": {"max_trust_delta": 0}})


async def test_what_a_cron_job_makes_the_model_say_is_no_reason_to_reflect() -> None:
    async with Agent(reply(), schedule_minutes=30) as agent:
        thought = {"model": "m", "tokens_in": 9, "tokens_out": 9, "has_tool_calls": False}
        await agent.cortex._on_after_llm({**thought, "internal": True, "peer_id": ""})
        await agent.tick(1800)
        assert len(agent.cortex.memory.buffer.events) == 1
        assert agent.subagent.calls == []


async def test_the_log_says_at_each_level_what_belongs_there() -> None:
    answers = [reply(assessed(), beliefs=[believed()]), "garbage"]
    async with Agent(answers) as agent:
        await agent.cycle()
        await agent.cycle()
        assert agent.logged("info") == [
            "Loaded 0 beliefs and 0 cycles",
            "Reflection 1 triggered by interaction_count",
            "Reflection 1 finished in 0.0s: 1 assessed, 1 belief, 0 directives",
            "Reflection 2 triggered by interaction_count",
        ]
        debug = agent.logged("debug")
        for start in ("Reflection context: {", "Reflection response: {", "Beliefs added ['alice"):
            assert any(line.startswith(start) for line in debug)
        assert agent.logged("warn") == ["Failed to parse cortex output, skipping cycle 2"]


async def test_beliefs_can_be_switched_to_show_when_they_are_stale() -> None:
    answers = [reply(beliefs=[believed()]), reply()]
    async with Agent(answers, stale_beliefs="mark", belief_expiry_cycles=2) as agent:
        for _ in range(3):
            await agent.cycle()
        assert (await agent.prompt()).endswith("Delivers accurate forecasts [stale]")


async def test_the_old_value_of_a_revised_belief_stays_in_the_history() -> None:
    answers = [reply(beliefs=[believed()]), reply(beliefs=[believed(value="Was wrong twice")])]
    async with Agent(answers) as agent:
        await agent.cycle()
        await agent.cycle()
        assert agent.payloads("cortex.after_reflect")[1]["beliefs_reaffirmed"] == [
            "alice-is-reliable"
        ]
        [revised] = agent.cortex.memory.history[-1].beliefs_revised
        assert (revised["old"], revised["new"]) == (
            "Delivers accurate forecasts",
            "Was wrong twice",
        )
