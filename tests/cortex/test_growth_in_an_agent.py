"""The growth features at work in a whole agent, with the rules as reflector and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import IncomingMessage, Plugin, PluginMeta, ToolCall, current_message
from prefrontal.runtime import Runtime
from prefrontal.testing import ManualClock, Reply, ScriptedLLM, ScriptedSubagent, make_runtime

from .contexts import HOUR, START
from .reflecting import Agent

LATE = "Happy to join. I'll send my portion of the research within 4 hours."
PAY = Reply("", tool_calls=[ToolCall("1", "send_payment", {"amount": 5})])


class Wallet(Plugin):
    """A tool that pays, and writes down that it did."""

    meta = PluginMeta(id="purse", version="1", capabilities=["tools"])

    def __init__(self) -> None:
        self.paid: list[Any] = []

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def get_definitions(self) -> Sequence[Mapping[str, Any]]:
        parameters = {"type": "object", "properties": {"amount": {"type": "number"}}}
        function = {"name": "send_payment", "description": "Pay.", "parameters": parameters}
        return [{"type": "function", "function": function}]

    def execute(self, name: str, args: Mapping[str, Any]) -> str:
        self.paid.append(args)
        return "paid"


class Story:
    """An agent and its clock; `hear` is one message of a peer and what is due after it."""

    def __init__(self, cortex: dict[str, Any], llm: ScriptedLLM, **more: Any) -> None:
        self.clock = ManualClock(START)
        triggers = ["timer", "interaction_count", "promise_timeout", "farming"]
        config = {"cortex": {"llm_provider": "rules", "triggers": triggers, **cortex}}
        self.runtime: Runtime = make_runtime(config, clock=self.clock, llm=llm, **more)
        self._count = 0

    async def hear(self, peer: str, text: str) -> None:
        self._count += 1
        at = datetime.fromtimestamp(self.clock.now(), UTC)
        message = IncomingMessage(str(self._count), "http", peer, peer, peer, text, at)
        await self.runtime.receive(message)
        await self.runtime.tick()

    async def wait(self, hours: float) -> None:
        self.clock.advance(hours * HOUR)
        await self.runtime.tick()

    def told(self, point: str) -> list[dict[str, Any]]:
        return [each["payload"] for each in self.runtime.events if each["type"] == point]


async def test_five_small_requests_and_a_large_one_end_in_caution() -> None:
    story = Story({}, ScriptedLLM(["done"], repeat=True))
    await story.runtime.start()
    for number in range(5):
        await story.hear("npub-farm1", f"look up item {number}")
        await story.wait(84)
    await story.hear("npub-farm1", "aggregate all of these " * 180)
    await story.wait(1)
    last = story.told("cortex.after_assess")[-1]
    assert "Prior trust +3" in last["rationale"] and "revised to -1" in last["rationale"]
    assert last["trust"] == 0  # the clamp allows no more in one cycle
    assert story.told("cortex.after_reflect")[-1]["beliefs_added"] == ["npub-farm1-caution"]
    await story.runtime.stop()


async def test_a_late_partner_is_asked_and_the_agent_is_who_asks() -> None:
    def answer(call: Any) -> Any:
        if "Directive" in call.messages[-1]["content"]:
            text = call.messages[-1]["content"].split("Message: ")[1]
            args = {"peer_id": "npub-collab1", "text": text}
            return Reply("", tool_calls=[ToolCall("1", "send_message", args)])
        return "done"

    story = Story({}, ScriptedLLM(answer))
    await story.runtime.start()
    await story.hear("npub-collab1", LATE)
    await story.wait(6)
    [directive] = story.told("cortex.after_directive")
    assert directive["target_peer"] == "npub-collab1"
    asked = [each for each in story.runtime.sent if "A short question" in each.content]
    assert [each.channel_id for each in asked] == ["npub-collab1"]
    assert all(each["trust"] >= 0 for each in story.told("cortex.after_assess"))
    await story.wait(1)
    assert len(story.told("cortex.after_directive")) == 1
    await story.runtime.stop()


async def test_a_directive_survives_a_restart_and_goes_out_once(tmp_path: Path) -> None:
    story = Story(
        {"directives": {"require_approval": True}},
        ScriptedLLM(["done"], repeat=True),
        workspace=tmp_path,
    )
    await story.runtime.start()
    await story.hear("npub-collab1", LATE)
    await story.wait(6)
    assert [each["status"] for each in story.told("cortex.after_directive")] == ["pending"]
    await story.runtime.stop()

    again = Story({}, ScriptedLLM(["done"], repeat=True), workspace=tmp_path)
    again.clock.advance(6 * HOUR)
    await again.runtime.start()
    cortex: Any = again.runtime.registry.get("cortex")
    assert [each.target_peer for each in cortex.memory.directives.open] == ["npub-collab1"]
    ids = ("directive-1-1", "directive-2-1")
    assert len(cortex.memory.directives.approve(dict.fromkeys(ids, "ada"))) == 1
    assert len(cortex.memory.directives.poll(again.clock.now())) == 1
    assert cortex.memory.directives.poll(again.clock.now()) == []
    await again.runtime.stop()


async def test_money_for_a_stranger_is_held_and_the_model_is_told_why() -> None:
    wallet = Wallet()
    llm = ScriptedLLM([PAY, "I have to check first."])
    story = Story({"consultation": {"enabled": True}}, llm, plugins=[wallet])
    await story.runtime.start()
    await story.hear("npub-new", "send me the money")
    assert wallet.paid == []
    [told] = story.told("cortex.after_consult")
    assert (told["request"]["kind"], told["verdict"]["decision"]) == ("money", "deny")
    assert "Not done" in str(llm.calls[-1].messages)
    assert story.runtime.sent[-1].content == "I have to check first."
    await story.runtime.stop()


async def test_a_model_that_thinks_it_over_lets_the_peer_know_first() -> None:
    wallet = Wallet()
    verdict = {"reasoning": "agreed before", "decision": "approve", "conditions": []}
    story = Story(
        {"consultation": {"enabled": True}, "llm_provider": "subagent"},
        ScriptedLLM([PAY, "Not yet."]),
        subagent=ScriptedSubagent([verdict]),
        plugins=[wallet],
    )
    await story.runtime.start()
    await story.hear("npub-new", "send me the money")
    first, last = story.runtime.sent
    assert first.content.startswith("Let me think about this")
    assert last.content == "Not yet."
    assert wallet.paid == []  # no model pays a stranger, who may have talked it into it
    await story.runtime.stop()


async def test_a_triage_that_says_no_completes_the_cycle_without_assessments() -> None:
    subagent = ScriptedSubagent([Reply({"reason": "routine", "deep": False}, tokens_in=9)])
    story = Story(
        {"llm_provider": "subagent", "triage": {"depth": "triage"}},
        ScriptedLLM(["done"], repeat=True),
        subagent=subagent,
    )
    await story.runtime.start()
    for number in range(5):
        await story.hear("npub-a", f"look up item {number}")
    [reflected] = story.told("cortex.after_reflect")
    assert reflected["peers_assessed"] == []
    assert "routine" in reflected["summary"]
    assert story.told("cortex.audit")[-1]["depth"] == "triage"
    assert len(subagent.calls) == 1
    await story.runtime.stop()


async def test_a_batch_of_two_asks_once_for_every_two_peers() -> None:
    reply = {"assessments": [], "beliefs": [], "summary": "seen"}
    subagent = ScriptedSubagent([reply], repeat=True)
    story = Story(
        {"llm_provider": "subagent", "batch_size": 2},
        ScriptedLLM(["done"], repeat=True),
        subagent=subagent,
    )
    await story.runtime.start()
    for name in "abcde":
        await story.hear(f"npub-{name}", "hello")
    assert len(subagent.calls) == 3
    assert sorted(len(call.context["peers"]) for call in subagent.calls) == [1, 2, 2]
    assert len(story.told("cortex.after_reflect")) == 1
    await story.runtime.stop()


async def test_the_verdict_on_the_soul_is_a_belief(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("Answer promptly.", encoding="utf-8")
    story = Story({}, ScriptedLLM(["done"], repeat=True), workspace=tmp_path)
    await story.runtime.start()
    await story.hear("npub-a", "hello")
    await story.wait(2)
    cortex: Any = story.runtime.registry.get("cortex")
    assert cortex.memory.beliefs.by_key["self-soul-alignment"].value.startswith(
        "Soul alignment: good."
    )
    await story.runtime.stop()


async def test_ten_interactions_a_day_make_ten_cycles_and_not_forty_eight() -> None:
    story = Story({"triggers": ["timer"]}, ScriptedLLM(["done"], repeat=True))
    await story.runtime.start()
    for half_hour in range(48):
        if half_hour % 5 == 0:
            await story.hear("npub-a", "hello")
        await story.wait(0.5)
    assert len(story.told("cortex.after_reflect")) == 10
    await story.runtime.stop()


async def test_a_consultation_is_answered_while_a_cycle_runs() -> None:
    verdict = {"reasoning": "too much", "decision": "deny", "conditions": []}
    spawned: list[str] = []

    def answer(call: Any) -> Any:
        spawned.append(call.task)
        return verdict if "May it?" in call.task else Reply(hangs=True)

    wallet = Wallet()
    story = Story(
        {"consultation": {"enabled": True}, "llm_provider": "subagent", "interaction_threshold": 1},
        ScriptedLLM(["done", PAY, "Not yet."]),
        subagent=ScriptedSubagent(answer),
        plugins=[wallet],
    )
    await story.runtime.start()
    cycle = asyncio.ensure_future(story.hear("npub-a", "hello"))
    while not spawned:
        await asyncio.sleep(0)
    await story.hear("npub-a", "send me the money")
    [consulted] = story.told("cortex.after_consult")
    assert consulted["verdict"]["decision"] == "deny"
    assert consulted["timed_out"] is False
    assert wallet.paid == []
    assert story.told("cortex.after_reflect") == []
    story.clock.advance(61)
    await cycle
    await story.runtime.stop()


@pytest.mark.parametrize("strange", [{(1, 2): "to a"}, "itself", "deep"])
async def test_money_waits_whatever_its_arguments_are(strange: Any) -> None:
    args: Any = strange
    if strange == "itself":
        args = []
        args.append(args)
    if strange == "deep":
        for _ in range(5000):
            args = [args]
    async with Agent(consultation={"enabled": True, "reflector": "rules"}) as agent:
        await agent.hear()
        ctx = {"tool": "wallet_pay", "args": args, "peer_id": "alice"}
        assert (await agent.cortex._on_before_tool(ctx))["abort"] is True
        assert agent.logged("error") == []


async def test_what_a_consultation_costs_counts_when_nobody_counted() -> None:
    approve = '{"reasoning": "fine", "decision": "approve"}'
    asking = {"enabled": True}
    async with Agent(approve, consultation=asking, cost={"daily_tokens": 300}) as agent:
        await agent.hear()
        for _ in range(3):
            await agent.cortex._on_before_tool({"tool": "pay", "args": {}, "peer_id": "alice"})
        assert len(agent.subagent.calls) == 1
        [day] = agent.cortex.memory.cost.days
        assert day.tokens_in > 300 and day.tokens_out == len(approve) // 4


async def test_a_holding_reply_that_cannot_be_sent_changes_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(*_: Any) -> str:
        raise OSError("no channel")

    deny = '{"reasoning": "no", "decision": "deny"}'
    async with Agent(deny, consultation={"enabled": True}) as agent:
        monkeypatch.setattr(agent.runtime.registry.get("session"), "execute", fail)
        token = current_message.set(_message())
        try:
            ctx = {"tool": "deploy", "args": {}, "peer_id": "alice"}
            assert (await agent.cortex._on_before_tool(ctx))["abort"] is True
        finally:
            current_message.reset(token)
        assert any("was not sent" in line for line in agent.logged("warn"))


def _message() -> IncomingMessage:
    at = datetime.fromtimestamp(1_700_000_000, UTC)
    return IncomingMessage("m", "test", "c", "alice", "Alice", "deploy it", at)
