"""A cycle that fails leaves everything as it was, says so in the agreed words, and waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from typing import Any

import pytest

from prefrontal.cortex.state import CortexState, parse_state
from prefrontal.plugin import Plugin, PluginMeta
from prefrontal.testing import Reply, ScriptedLLM

from ..reflecting import Agent, assessed, believed, reply, until

GOOD = reply(assessed(), beliefs=[believed()])


@pytest.mark.parametrize(
    ("bad", "status", "warning"),
    [
        ("no JSON at all", "parse", "Failed to parse cortex output, skipping cycle 2"),
        ('{"assessments": [', "parse", "Failed to parse cortex output, skipping cycle 2"),
        (Reply(error="Concurrency limit reached (3)"), "unavailable", "Subagent unavailable"),
        (OSError("no route"), "unavailable", "Subagent unavailable, skipping cycle 2"),
        (Reply(error="No LLM provider available"), "unavailable", "Subagent unavailable"),
    ],
)
async def test_a_failed_cycle_changes_nothing_and_is_recorded(
    bad: Any, status: str, warning: str
) -> None:
    async with Agent([GOOD, bad]) as agent:
        await agent.cycle()
        before = dict(agent.cortex.memory.beliefs.by_key)
        await agent.cycle()
        assert agent.cortex.memory.beliefs.by_key == before
        assert agent.trusts() == [2]
        assert any(line.startswith(warning) for line in agent.logged("warn"))
        record = agent.cortex.memory.history[-1]
        assert (record.cycle, record.status) == (2, status)
        assert agent.cortex.memory.state.skips == {status: 1}
        assert [each["reason"] for each in agent.payloads("cortex.cycle_skipped")] == [status]
        assert len(agent.payloads("cortex.after_reflect")) == 1


async def test_a_reflector_that_hangs_is_left_after_the_timeout() -> None:
    async with Agent([GOOD, Reply(hangs=True)], reflection_timeout_seconds=60) as agent:
        await agent.cycle()
        for _ in range(5):
            await agent.hear()
        ticking = asyncio.create_task(agent.runtime.tick())
        await until(lambda: agent.subagent.running == 1)
        agent.clock.advance(60)
        async with asyncio.timeout(20):
            await ticking
        assert "Reflection timed out after 60s, skipping cycle 2" in agent.logged("warn")
        assert agent.cortex.memory.state.skips == {"timeout": 1}
        assert agent.cortex.memory.history[-1].elapsed_seconds == 60
        assert agent.subagent.running == 0


async def test_without_a_subagent_that_was_named_the_cycle_is_skipped() -> None:
    async with Agent(llm_provider="subagent") as agent:
        agent.subagent.available = False
        await agent.cycle()
        assert "Subagent unavailable, skipping cycle 1" in agent.logged("warn")


async def test_the_rules_fall_in_when_that_is_wished() -> None:
    async with Agent(Reply(error="down"), fallback="rules") as agent:
        await agent.cycle()
        record = agent.cortex.memory.history[-1]
        assert (record.status, record.depth) == ("ok", "rules")
        assert len(agent.trusts()) == 1


async def test_after_a_failure_nothing_is_tried_for_a_while_and_then_longer() -> None:
    async with Agent("nothing", retry_backoff_seconds=60) as agent:
        await agent.cycle()
        await agent.tick(59)
        assert len(agent.subagent.calls) == 1
        await agent.tick(1)
        assert len(agent.subagent.calls) == 2
        await agent.tick(119)
        assert len(agent.subagent.calls) == 2
        await agent.tick(1)
        assert len(agent.subagent.calls) == 3


async def test_events_wait_for_the_cycle_that_succeeds() -> None:
    async with Agent(["nothing", GOOD]) as agent:
        await agent.cycle()
        assert len(agent.cortex.memory.buffer.events) == 15
        assert agent.cortex.memory.triggers.interactions == 5
        await agent.tick(60)
        assert len(agent.cortex.memory.buffer.events) == 0
        assert agent.cortex.memory.triggers.interactions == 0


async def test_what_arrives_during_a_cycle_waits_for_the_next_one() -> None:
    async with Agent(Reply(GOOD, delay=10)) as agent:
        for _ in range(5):
            await agent.hear()
        ticking = asyncio.create_task(agent.runtime.tick())
        await until(lambda: agent.subagent.running == 1)
        await agent.hear("bob")
        await agent.hear("bob")
        agent.clock.advance(10)
        await ticking
        assert agent.cortex.memory.triggers.interactions == 2
        assert {each["peer_id"] for each in agent.cortex.memory.buffer.events} == {"bob"}


async def test_a_trigger_during_a_cycle_is_skipped_and_said() -> None:
    """S10."""
    async with Agent(Reply(GOOD, delay=10)) as agent:
        for _ in range(5):
            await agent.hear()
        ticking = asyncio.create_task(agent.runtime.tick())
        await until(lambda: agent.subagent.running == 1)
        for _ in range(5):
            await agent.hear("bob")
        await agent.runtime.tick()
        assert await agent.cortex.reflect() is None
        skipped = "Trigger skipped: reflection already in progress"
        assert agent.logged("debug").count(skipped) == 2
        agent.clock.advance(10)
        await ticking
        assert agent.subagent.most_running == 1
        assert len(agent.subagent.calls) == 1
        assert agent.trusts() == [2]


async def test_a_cycle_never_holds_up_the_agents_answers() -> None:
    async with Agent(Reply(GOOD, delay=30)) as agent:
        for _ in range(5):
            await agent.hear()
        ticking = asyncio.create_task(agent.runtime.tick())
        await until(lambda: agent.subagent.running == 1)
        sent = len(agent.runtime.sent)
        await agent.hear("bob")
        assert len(agent.runtime.sent) == sent + 1
        agent.clock.advance(30)
        await ticking


async def test_stop_in_the_middle_applies_nothing_and_leaves_no_task() -> None:
    agent = Agent([Reply(hangs=True)])
    await agent.runtime.start()
    for _ in range(5):
        await agent.hear()
    ticking = asyncio.create_task(agent.runtime.tick())
    await until(lambda: agent.subagent.running == 1)
    await agent.cortex.stop()
    await ticking
    assert agent.cortex.memory.history[-1].status == "stopped"
    assert agent.subagent.running == 0
    assert agent.trusts() == []
    names = {task.get_name() for task in asyncio.all_tasks()}
    assert not {name for name in names if name.startswith("cortex")}
    await agent.runtime.stop()


async def test_stop_while_a_cycle_writes_brings_the_writing_to_its_end() -> None:
    writing, go_on = threading.Event(), threading.Event()
    async with Agent(GOOD) as agent:
        real = agent.ledger.record_assessment

        def slow(
            peer_id: str, trust: int, rationale: str, origins: Iterable[str] | None = None
        ) -> int:
            writing.set()
            assert go_on.wait(10)
            return real(peer_id, trust, rationale, origins)

        agent.ledger.record_assessment = slow  # type: ignore[method-assign]
        for _ in range(5):
            await agent.hear()
        ticking = asyncio.create_task(agent.runtime.tick())
        await until(writing.is_set)
        stopping = asyncio.create_task(agent.cortex.stop())
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(stopping, ticking)
        record = agent.cortex.memory.history[-1]
        assert (record.status, record.peers_assessed) == ("ok", ["alice"])
        assert agent.trusts() == [2]
        assert agent.cortex.memory.triggers.interactions == 0


async def test_one_bad_entry_drops_that_entry_alone() -> None:
    bad = [
        assessed("alice", True),
        assessed("alice", None),
        assessed("alice", 3, "  "),
        {"trust": 3},
        "alice is fine",
    ]
    async with Agent(reply(*bad, assessed("bob", 1))) as agent:
        await agent.hear("bob")
        await agent.cycle(messages=4)
        assert agent.trusts("bob") == [1]
        assert agent.trusts() == []
        assert len(agent.cortex.memory.history[-1].dropped) == 5


async def test_of_two_entries_for_a_peer_the_last_counts_as_one_step() -> None:
    async with Agent(reply(assessed(trust=9), assessed(trust=-9))) as agent:
        await agent.cycle()
        assert agent.trusts() == [-3]


async def test_a_peer_nobody_knows_is_not_made_and_stops_nothing() -> None:
    async with Agent(reply(assessed("nobody", 5), assessed(), beliefs=[believed()])) as agent:
        await agent.cycle()
        errors = agent.logged("error")
        assert any(line.startswith("Failed to record assessment for nobody:") for line in errors)
        assert [peer.peer_id for peer in agent.ledger.list_peers()] == ["alice"]
        assert agent.trusts() == [2]
        assert "alice-is-reliable" in agent.cortex.memory.beliefs.by_key
        assert [each["peer_id"] for each in agent.payloads("cortex.after_assess")] == ["alice"]
        assert agent.cortex.last_trust("nobody") is None


async def test_a_ledger_that_fails_for_one_peer_stops_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Agent(reply(assessed(), assessed("bob", 1), beliefs=[believed()])) as agent:
        await agent.hear("bob")
        real = agent.ledger.record_assessment

        def full(peer_id: str, trust: int, rationale: str, origins: Iterable[str]) -> int:
            if peer_id == "alice":
                raise OSError("disk full")
            return real(peer_id, trust, rationale, origins)

        monkeypatch.setattr(agent.ledger, "record_assessment", full)
        await agent.cycle(messages=4)
        assert "Failed to record assessment for alice: disk full" in agent.logged("error")
        assert agent.trusts() == []
        assert agent.trusts("bob") == [1]
        assert agent.cortex.last_trust("alice") is None
        assert "alice-is-reliable" in agent.cortex.memory.beliefs.by_key


class Grumbling(Plugin):
    """Raises at everything that the cortex tells."""

    meta = PluginMeta(
        id="grumbling",
        version="1",
        implements=dict.fromkeys(
            ["cortex.after_reflect", "cortex.after_assess", "cortex.audit"], "grumble"
        ),
    )

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def grumble(self, payload: dict[str, Any]) -> None:
        raise RuntimeError("not again")


async def test_a_listener_that_raises_breaks_no_cycle() -> None:
    async with Agent(GOOD, plugins=[Grumbling]) as agent:
        await agent.cycle()
        assert agent.cortex.memory.history[-1].status == "ok"
        assert agent.cortex.memory.triggers.interactions == 0


async def test_no_trust_moves_twice_on_the_same_evidence() -> None:
    async with Agent(reply(assessed(trust=-10))) as agent:
        await agent.cycle()
        record = await agent.cortex.reflect()
        assert agent.trusts() == [-3]
        assert record is not None
        assert record.trigger == "manual"
        assert [each["outcome"] for each in record.assessments] == ["unchanged"]


@pytest.mark.exhaustive
async def test_an_hour_moves_trust_by_nine_at_most_however_often_the_trigger_fires() -> None:
    async with Agent([reply(assessed(trust=10))] * 4 + [reply(assessed(trust=-10))]) as agent:
        for _ in range(4):
            await agent.cycle()
        assert agent.trusts() == [3, 6, 9, 9]
        for _ in range(6):
            await agent.cycle()
        assert agent.cortex.last_trust("alice") == 0
        agent.clock.advance(3601)
        await agent.cycle()
        assert agent.cortex.last_trust("alice") == -3


async def test_several_triggers_make_one_cycle_that_names_them_all() -> None:
    on = ["timer", "interaction_count", "new_peer"]
    async with Agent(reply(), triggers=on, schedule_minutes=1) as agent:
        for _ in range(5):
            await agent.hear()
        await agent.tick(60)
        assert len(agent.subagent.calls) == 1
        record = agent.cortex.memory.history[-1]
        assert record.trigger == "new_peer"
        assert record.triggers == ("new_peer", "interaction_count", "timer")


async def test_a_broken_promise_fires_and_is_shown() -> None:
    promise = {"peer_id": "alice", "text": "The report within 4 hours", "due": 1_700_014_400}
    on = ["interaction_count", "promise_timeout"]
    async with Agent([reply(commitments=[promise]), reply()], triggers=on) as agent:
        await agent.cycle()
        await agent.tick(4 * 3600 - 1)
        assert len(agent.subagent.calls) == 1
        await agent.tick(2)
        assert agent.asked[-1]["trigger"] == "promise_timeout"
        [shown] = agent.asked[-1]["peers"]
        assert shown["overdue"] == [{"text": "⟦The report within 4 hours⟧", "due": 1_700_014_400}]
        await agent.tick(600)
        assert len(agent.subagent.calls) == 2


async def test_a_promise_carries_whose_words_may_be_in_it() -> None:
    promise = {"peer_id": "alice", "text": "The report within 4 hours", "due": 1_700_014_400}
    async with Agent([reply(commitments=[promise])]) as agent:
        await agent.hear("bob")
        await agent.cycle()
        triggers = agent.cortex.memory.triggers
        state = CortexState()
        triggers.save(state)
        triggers.load(parse_state(state.to_text()))
        [kept] = triggers.promises.values()
        assert set(kept.sources) == {"peer:alice", "peer:bob"}


async def test_a_wall_clock_that_jumps_neither_fires_nor_starves_the_timer() -> None:
    async with Agent(reply(), schedule_minutes=30) as agent:
        await agent.hear()
        agent.clock.jump(7 * 86400)
        await agent.tick(60)
        assert agent.subagent.calls == []
        agent.clock.jump(-30 * 86400)
        await agent.tick(29 * 60)
        assert len(agent.subagent.calls) == 1


async def test_a_belief_lives_no_longer_when_the_wall_clock_is_set_back() -> None:
    async with Agent([GOOD]) as agent:
        await agent.cycle()
        agent.clock.jump(-30 * 86400)
        await agent.runtime.tick()
        assert agent.cortex.memory.beliefs.active(agent.clock.now()) != []
        agent.clock.advance(120 * 60 + 1)
        assert agent.cortex.memory.beliefs.active(agent.clock.now()) == []


async def test_over_the_daily_cap_no_cycle_is_started() -> None:
    limits = {"daily_tokens": 1}
    async with Agent(GOOD, cost=limits) as agent:
        await agent.cycle()
        await agent.cycle()
        assert len(agent.subagent.calls) == 1
        [skipped] = agent.payloads("cortex.cycle_skipped")
        assert skipped["reason"] == "daily cost cap"
        assert agent.cortex.memory.state.cycle == 1
        assert "max" not in skipped["detail"] and "cap is 1" in skipped["detail"]
        agent.clock.advance(86400)
        await agent.cycle()
        assert len(agent.subagent.calls) == 2


async def test_peers_in_batches_are_applied_together_or_not_at_all() -> None:
    def each(call: Any) -> Any:
        names = [peer["peer_id"] for peer in call.context["peers"]]
        return reply(*[assessed(name, 2) for name in names])

    async with Agent(subagent=None, replies=each, batch_size=1) as agent:
        await agent.hear("bob")
        await agent.cycle(messages=4)
        assert [len(context["peers"]) for context in agent.asked] == [1, 1]
        assert (agent.trusts(), agent.trusts("bob")) == ([2], [2])
        assert len(agent.payloads("cortex.after_reflect")) == 1

    async with Agent([reply(assessed()), "garbage"], batch_size=1) as agent:
        await agent.hear("bob")
        await agent.cycle(messages=4)
        assert (agent.trusts(), agent.trusts("bob")) == ([], [])


async def test_the_record_counts_tokens_and_says_when_a_cycle_was_useful() -> None:
    counted = Reply(GOOD, tokens_in=1200, tokens_out=90)
    async with Agent([counted, reply()]) as agent:
        await agent.cycle()
        record = agent.cortex.memory.history[-1]
        assert (record.tokens_in, record.tokens_out, record.useful) == (1200, 90, True)
        await agent.cycle()
        assert agent.cortex.memory.history[-1].useful is False


async def test_secrets_reach_neither_prompt_nor_log_nor_event() -> None:
    secret = "sk-abcdefghijklmnop1234"
    wrong = reply(
        assessed(rationale=f"Sent the key {secret} twice."),
        beliefs=[believed(value=f"The key is {secret}")],
        summary=f"Saw {secret}",
    )
    async with Agent(wrong) as agent:
        await agent.cycle(text=f"my api_key={secret} and nsec1{'q' * 58}")
        everything = repr(agent.asked) + repr(agent.runtime.logs) + repr(agent.runtime.events)
        everything += await agent.prompt() + repr(agent.cortex.memory.history)
        assert secret not in everything
        assert "nsec1" not in everything


async def test_no_secret_hides_in_the_reason_of_a_cycle_that_failed() -> None:
    secret = "sk-abcdefghijklmnop1234"
    async with Agent([Reply(error=f"refused {secret}"), OSError(f"no\n{secret}")]) as agent:
        await agent.cycle()
        agent.clock.advance(3600)
        await agent.cycle()
        reasons = [record.skip_reason for record in agent.cortex.memory.history]
        assert reasons == ["refused [redacted]", "the subagent failed: no [redacted]"]
        shown = repr(agent.runtime.logs) + repr(agent.runtime.events)
        assert secret not in shown


async def test_a_count_that_is_none_costs_no_reflection() -> None:
    wrong = Reply(GOOD, tokens_in=-5, tokens_out="many")  # type: ignore[arg-type]
    async with Agent([wrong], cost={"daily_tokens": 1}) as agent:
        await agent.cycle()
        assert agent.cortex.memory.history[-1].status == "ok"
        assert (agent.cortex.memory.history[-1].tokens_in or 0) > 100
        await agent.cycle()
        assert agent.payloads("cortex.cycle_skipped")[0]["reason"] == "daily cost cap"


async def test_no_secret_hides_in_a_key_an_id_or_a_name() -> None:
    secret = "sk-abcdefghijklmnop1234"
    wrong = reply(
        assessed(secret),
        beliefs=[believed(f"the-key-is {secret}"), {**believed("a"), "peer_id": secret}],
        directives=[{"target_peer": secret, "action": "Ask"}],
    )
    async with Agent(wrong) as agent:
        await agent.hear()
        await agent.cortex._on_after_tool({"tool": secret, "peer_id": "alice"})
        await agent.cycle()
        await agent.cycle()
        shown = repr(agent.asked) + repr(agent.runtime.logs) + repr(agent.runtime.events)
        kept = repr(agent.cortex.memory.history) + repr(agent.cortex.memory.beliefs.by_key)
        assert secret not in shown + kept + await agent.prompt()


async def test_nothing_of_the_conversation_enters_but_bounded_previews() -> None:
    """C29: a canary in the agent's own words, in its prompt and far into a peer's message."""
    canary = "CANARY-7531"
    model = ScriptedLLM("x" * 250 + canary, repeat=True)
    async with Agent(reply(), llm=model) as agent:
        await agent.hear(text="word " * 60 + canary)
        await agent.cycle(messages=4)
        assert canary in agent.runtime.sent[-1].content
        call = agent.subagent.calls[-1]
        assert canary not in repr(call.context) + str(call.system_prompt) + call.task
        recent = [each for peer in call.context["peers"] for each in peer["recent"]]
        assert max(len(each["preview"]) for each in recent) <= 102


async def test_a_step_is_taken_from_what_others_wrote_while_the_model_thought() -> None:
    async with Agent(Reply(reply(assessed(trust=10)), delay=10)) as agent:
        for _ in range(5):
            await agent.hear()
        ticking = asyncio.create_task(agent.runtime.tick())
        await until(lambda: agent.subagent.running == 1)
        agent.ledger.record_assessment("alice", -9, "Somebody else's word.")
        agent.clock.advance(10)
        await ticking
        assert agent.trusts() == [-9, -6]


async def test_a_message_of_nobody_is_no_interaction_and_no_error() -> None:
    async with Agent(reply()) as agent:
        for _ in range(5):
            await agent.hear("")
        await agent.tick()
        assert agent.logged("error") == []
        assert agent.cortex.memory.triggers.interactions == 0


async def test_the_cheap_question_costs_tokens_that_nobody_counted() -> None:
    no = '{"deep": false, "reason": "routine"}'
    async with Agent(no, triage={"depth": "triage"}) as agent:
        await agent.cycle()
        record = agent.cortex.memory.history[-1]
        assert record.depth == "triage"
        assert record.tokens_in is not None and record.tokens_in > 50
