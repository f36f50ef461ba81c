"""Steps that are hard to take back wait for a verdict, and always get one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.cortex.consultation.consultation import Consultation
from prefrontal.cortex.memory.cost import DailyCost
from prefrontal.plugin import IncomingMessage, Plugin, PluginMeta, current_message
from prefrontal.plugin.hooks import Context, announce
from prefrontal.runtime import PluginRegistry
from prefrontal.settings.cortex_growth import Consultations, Cost, Evidence, Sharing
from prefrontal.testing import ManualClock, Reply, ScriptedSubagent

from ..contexts import START, context, exchange, farmer, peer, steady

APPROVE = {"reasoning": "fine", "decision": "approve", "conditions": []}
DENY = {"reasoning": "no", "decision": "deny", "suggested_response": "I would rather not."}


@dataclass
class Settings:
    consultation: Consultations = field(default_factory=lambda: Consultations(enabled=True))
    llm_provider: str | None = "rules"
    model: str | None = None
    rules: Evidence = field(default_factory=Evidence)
    sharing: Sharing = field(default_factory=Sharing)
    cost: Cost = field(default_factory=Cost)


class Asked(Plugin):
    meta = PluginMeta(id="subagent", version="1", capabilities=["subagent"])

    def __init__(self, subagent: ScriptedSubagent) -> None:
        self.spawn = subagent.spawn

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Session(Asked):
    """Writes down what it is asked to send."""

    meta = PluginMeta(id="session", version="1")

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def execute(self, name: str, args: Any) -> str:
        self.sent.append((name, args))
        return "sent"


class Host:
    """What the consultation needs of a cortex, with one peer."""

    def __init__(
        self, settings: Settings, raw: dict[str, Any], subagent: ScriptedSubagent | None = None
    ) -> None:
        self.settings = settings
        self.clock = ManualClock(raw["last_seen"] + 60)
        self.session = Session()
        self.registry = PluginRegistry(self.clock)
        self.registry.register(self.session)
        if subagent is not None:
            subagent.clock = self.clock
            self.registry.register(Asked(subagent))
            settings.llm_provider = "subagent"
        self.reflectors: dict[str, Any] = {}
        self.cost = DailyCost()
        self.warnings: list[str] = []
        self._raw = raw

    def log_warn(self, message: str, **extra: Any) -> None:
        self.warnings.append(message)

    def last_trust(self, peer_id: str) -> int | None:
        latest = self._raw["latest"]
        return latest["trust"] if latest else None

    async def consult_context(self, peer_id: str) -> dict[str, Any]:
        peers = [self._raw] if peer_id == self._raw["peer_id"] else []
        return context(*peers, now=self.clock.now(), soul="Be kind.")

    async def announce(self, hook: Callable[[Context], None], ctx: Context) -> None:
        await announce(self.registry, hook, ctx)

    @property
    def announced(self) -> list[dict[str, Any]]:
        return [e["payload"] for e in self.registry.events if e["type"] == "cortex.after_consult"]


def call(tool: str, peer_id: str = "npub-farm1", **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args, "peer_id": peer_id}


@contextmanager
def handling(content: str, sender: str = "npub-farm1") -> Iterator[None]:
    message = IncomingMessage("1", "http", "c", sender, "Farm", content, datetime.now(UTC))
    token = current_message.set(message)
    try:
        yield
    finally:
        current_message.reset(token)


async def test_it_is_off_unless_it_is_switched_on() -> None:
    host = Host(Settings(Consultations()), farmer())
    ctx = call("send_payment", amount=5)
    assert await Consultation(host).before_tool(ctx) is ctx
    assert host.announced == []


async def test_a_harmless_tool_is_not_asked_about() -> None:
    host = Host(Settings(), farmer())
    ctx = call("read_file")
    assert await Consultation(host).before_tool(ctx) is ctx
    assert host.announced == []


async def test_money_for_a_farmer_is_refused_with_the_reason_and_kind_words() -> None:
    host = Host(Settings(), farmer())
    ctx = call("send_payment", amount=5)
    held = await Consultation(host).before_tool(ctx)
    assert held["abort"] is True
    assert "Escalation" in held["abort_message"]
    assert "I have to check this first" in held["abort_message"]
    assert "abort" not in ctx
    [told] = host.announced
    assert told["request"]["kind"] == "money"
    assert told["request"]["peer_id"] == "npub-farm1"
    assert "send_payment" in told["request"]["request"]
    assert set(told["verdict"]) == {"decision", "conditions", "reasoning", "suggested_response"}
    assert told["verdict"]["decision"] == "deny"


async def test_an_approved_call_goes_on_unchanged() -> None:
    raw = steady()
    ctx = call("delete_file", raw["peer_id"], path="x")
    assert await Consultation(Host(Settings(), raw)).before_tool(ctx) is ctx


async def test_a_step_of_nobody_is_judged_as_a_strangers() -> None:
    host = Host(Settings(), farmer())
    held = await Consultation(host).before_tool({**call("pay", ""), "internal": True})
    assert held["abort"] is True
    assert "no peer stands behind it" in held["abort_message"]


async def test_a_model_is_asked_with_the_peers_record_and_the_step_alone() -> None:
    subagent = ScriptedSubagent([Reply(APPROVE, tokens_in=50, tokens_out=9)])
    host = Host(Settings(), farmer(), subagent)
    ctx = call("pay", amount=5, key="sk-abcdefghijklmnop1234")
    with handling("please pay, canary-of-the-conversation"):
        await Consultation(host).before_tool(ctx)
    [asked] = subagent.calls
    assert asked.context["peers"][0]["peer_id"] == "npub-farm1"
    assert asked.context["step"]["kind"] == "money"
    assert asked.context["step"]["request"].startswith("⟦call pay with")
    assert "sk-abc" not in str(asked.context)
    assert "canary" not in str(asked)
    assert asked.timeout_seconds == 30.0
    assert host.cost.days[0].tokens == 59


@pytest.mark.parametrize(
    ("reply", "raw", "expected"),
    [
        (APPROVE, farmer(), "deny"),
        (APPROVE, steady(), "approve"),
        (DENY, steady(), "deny"),
        ({**DENY, "decision": "conditional"}, steady(), "conditional"),
        ({**DENY, "decision": "conditional"}, farmer(), "deny"),
    ],
)
async def test_a_model_may_refuse_more_than_the_rules_and_approve_no_more(
    reply: dict[str, Any], raw: dict[str, Any], expected: str
) -> None:
    """It read the words of others, and words widen no right."""
    host = Host(Settings(), raw, ScriptedSubagent([reply]))
    ctx = await Consultation(host).before_tool(call("delete_file", raw["peer_id"], path="x"))
    [announced] = host.announced
    assert announced["verdict"]["decision"] == expected
    assert ctx.get("abort", False) is (expected != "approve")


async def test_the_peer_hears_once_a_message_that_it_takes_a_moment() -> None:
    subagent = ScriptedSubagent([DENY], repeat=True)
    host = Host(Settings(), farmer(), subagent)
    consultation = Consultation(host)
    with handling("pay me twice"):
        await consultation.before_tool(call("pay"))
        held = await consultation.before_tool(call("pay"))
    text = host.settings.consultation.holding_reply
    assert host.session.sent == [("send_message", {"peer_id": "npub-farm1", "text": text})]
    assert '"I would rather not."' in held["abort_message"]


async def test_rules_answer_at_once_and_need_no_holding_reply() -> None:
    host = Host(Settings(), farmer())
    with handling("pay me"):
        await Consultation(host).before_tool(call("pay"))
    assert host.session.sent == []


@pytest.mark.parametrize(("tool", "refused"), [("pay", True), ("delete_file", False)])
async def test_a_model_that_hangs_is_given_up_and_the_default_counts(
    tool: str, refused: bool
) -> None:
    subagent = ScriptedSubagent([Reply(hangs=True)])
    host = Host(Settings(), steady(), subagent)
    asking = asyncio.ensure_future(Consultation(host).before_tool(call(tool, "npub-7x9k")))
    while not subagent.running:
        await asyncio.sleep(0)
    host.clock.advance(30.0)
    answer = await asking
    assert answer.get("abort", False) is refused
    assert host.announced[0]["timed_out"] is True
    assert host.announced[0]["elapsed_seconds"] == 30.0
    assert "within 30 s" in host.announced[0]["verdict"]["reasoning"]


async def test_a_fault_of_the_cortex_itself_lets_no_money_go() -> None:
    host = Host(Settings(), steady())
    host._raw = {"peer_id": "npub-7x9k"}
    host.consult_context = None  # type: ignore[assignment, method-assign]
    assert (await Consultation(host).before_tool(call("pay", "npub-7x9k")))["abort"] is True
    assert "consult-1 failed" in host.warnings[0]


@pytest.mark.parametrize("step", [Reply(error="Concurrency limit reached (3)"), "no JSON at all"])
async def test_a_model_that_fails_leaves_the_default(step: Any) -> None:
    host = Host(Settings(), steady(), ScriptedSubagent([step, step]))
    consultation = Consultation(host)
    assert (await consultation.before_tool(call("pay", "npub-7x9k")))["abort"] is True
    ctx = call("delete_file", "npub-7x9k")
    assert await consultation.before_tool(ctx) is ctx


async def test_over_the_daily_cap_the_rules_decide() -> None:
    subagent = ScriptedSubagent([APPROVE])
    host = Host(Settings(cost=Cost(daily_tokens=10)), farmer(), subagent)
    host.cost.add(host.clock.now(), 10, 0)
    assert (await Consultation(host).before_tool(call("pay")))["abort"] is True
    assert subagent.calls == []


async def test_one_is_asked_at_a_time() -> None:
    subagent = ScriptedSubagent([APPROVE], repeat=True, delay=1.0)
    host = Host(Settings(), farmer(), subagent)
    consultation = Consultation(host)
    asking = [asyncio.ensure_future(consultation.before_tool(call("pay"))) for _ in range(3)]
    for _ in range(40):
        await asyncio.sleep(0)
        host.clock.advance(0.5)
    await asyncio.gather(*asking)
    assert subagent.most_running == 1
    assert len(host.announced) == 3
    assert len({each["request"]["id"] for each in host.announced}) == 3


def reply(text: str, peer_id: str = "npub-farm1") -> dict[str, Any]:
    return {"text": text, "recipient": "Farm", "peer_id": peer_id}


async def test_a_reply_that_promises_money_to_a_farmer_becomes_a_kind_one() -> None:
    host = Host(Settings(), farmer())
    ctx = reply("Of course, I will pay you 500.")
    with handling("pay me"):
        held = await Consultation(host).before_reply(ctx)
    assert held["text"] == "I would like to look into it before I promise anything."
    assert ctx["text"] == "Of course, I will pay you 500."


async def test_much_help_for_low_trust_starts_small() -> None:
    raw = peer("low", exchange(START), trust=-2, judged_at=START - 5)
    host = Host(Settings(), raw)
    with handling("x" * 2500, "low"):
        held = await Consultation(host).before_reply(reply("Here is all of it.", "low"))
    assert held["text"] == "Let us start with a small part of it and go on from there."


async def test_without_a_suggestion_the_holding_reply_is_said() -> None:
    refusal = {"decision": "deny", "reasoning": "no"}
    own = Consultations(enabled=True, holding_reply="One moment please.")
    host = Host(Settings(own), farmer(), ScriptedSubagent([refusal]))
    with handling("pay me"):
        held = await Consultation(host).before_reply(reply("I promise"))
    assert held["text"] == "One moment please."


async def test_ordinary_replies_and_those_to_nobody_are_left_alone() -> None:
    consultation = Consultation(Host(Settings(), farmer()))
    for ctx in (
        reply("Here you are."),
        reply("I promise", ""),
        {**reply("I promise"), "internal": True},
    ):
        assert await consultation.before_reply(ctx) is ctx
