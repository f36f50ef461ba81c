"""Hooks watch without a trace in what they watch, in microseconds and in bounded memory."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from prefrontal.cortex.triggers.events import EventBuffer, activity, size_of, summary
from prefrontal.plugin import IncomingMessage

from ..reflecting import Agent, reply

HOOKS: dict[str, dict[str, Any]] = {
    "_on_message": {
        "message": "my secret words",
        "sender": "Alice",
        "sender_id": "alice",
        "peer_id": "alice",
        "channel_type": "test",
        "channel_id": "c",
        "event_id": "e",
    },
    "_on_after_send": {
        "text": "my secret answer",
        "recipient": "Alice",
        "peer_id": "alice",
        "channel_type": "test",
        "channel_id": "c",
    },
    "_on_after_llm": {
        "response": object(),
        "model": "m",
        "tokens_in": 10,
        "tokens_out": 5,
        "has_tool_calls": False,
        "peer_id": "alice",
    },
    "_on_after_tool": {"tool": "t", "args": {"key": "secret"}, "result": "x", "peer_id": "alice"},
}


@pytest.mark.parametrize("name", HOOKS)
async def test_a_hook_returns_the_same_untouched_ctx_and_keeps_no_text(name: str) -> None:
    async with Agent() as agent:
        ctx = dict(HOOKS[name])
        before = copy.copy(ctx)
        assert await getattr(agent.cortex, name)(ctx) is ctx
        assert ctx == before
        [event] = agent.cortex._event_buffer
        assert "secret" not in repr(event)
        assert event["type"] == name.removeprefix("_on_").replace("message", "on_message")
        assert event["timestamp"] == agent.clock.now()
        assert event["peer_id"] == "alice"


async def test_what_each_hook_offers_is_stored() -> None:
    async with Agent() as agent:
        for name, ctx in HOOKS.items():
            await getattr(agent.cortex, name)(dict(ctx))
        heard, sent, thought, used = agent.cortex._event_buffer
        assert (heard["direction"], heard["channel_type"], heard["size"]) == ("in", "test", 15)
        assert (sent["direction"], sent["channel_type"]) == ("out", "test")
        assert (thought["model"], thought["tokens_in"], thought["tokens_out"]) == ("m", 10, 5)
        assert thought["has_tool_calls"] is False
        assert used["tool"] == "t"


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("ctx", [None, 3, {"peer_id": "", "tokens_out": "x"}, {"sender_id": []}])
async def test_a_hook_never_raises(name: str, ctx: Any) -> None:
    async with Agent() as agent:
        assert await getattr(agent.cortex, name)(ctx) is ctx


async def test_a_hook_that_fails_says_so() -> None:
    async with Agent() as agent:
        await agent.cortex._on_message(None)  # type: ignore[arg-type]
        [line] = agent.logged("error")
        assert line.startswith("Hook error: ")
        assert await agent.cortex._on_transform_system_prompt({}) == {}
        assert len(agent.logged("error")) == 2


@pytest.mark.parametrize(
    "internal",
    [
        {"internal": True},
        {"sender_id": "system"},
        {"channel_type": "cron"},
        {"channel_type": "cortex"},
    ],
)
async def test_what_the_runtime_says_to_itself_is_no_interaction(internal: Any) -> None:
    async with Agent() as agent:
        ctx = {key: value for key, value in HOOKS["_on_message"].items() if key != "peer_id"}
        await agent.cortex._on_message({**ctx, **internal})
        assert agent.cortex._interaction_count == 0
        assert len(agent.cortex._event_buffer) == 0


async def test_a_long_id_or_a_strange_one_disturbs_nothing() -> None:
    async with Agent(reply()) as agent:
        await agent.cycle("x" * 5000)
        await agent.cycle("päär 中 🦊")
        assert agent.logged("error") == []
        assert len(agent.asked) == 2


async def test_outgoing_messages_count_only_when_that_is_wished() -> None:
    async with Agent() as agent:
        await agent.hear()
        assert agent.cortex._interaction_count == 1
    async with Agent(count_outgoing=True) as agent:
        await agent.hear()
        assert agent.cortex._interaction_count == 2


def test_the_buffer_keeps_the_newest_and_counts_what_went() -> None:
    buffer = EventBuffer(3)
    for number in range(5):
        buffer.append({"n": number})
    assert [each["n"] for each in buffer.events] == [2, 3, 4]
    assert buffer.dropped == 2
    buffer.resize(2)
    assert ([each["n"] for each in buffer.events], buffer.dropped) == ([3, 4], 3)


def test_only_what_was_there_at_the_mark_is_consumed() -> None:
    buffer = EventBuffer(4)
    for number in range(3):
        buffer.append({"n": number})
    mark = buffer.mark()
    for number in range(3, 6):
        buffer.append({"n": number})
    assert [each["n"] for each in buffer.until(mark)] == [2]
    buffer.consume(mark)
    assert [each["n"] for each in buffer.events] == [3, 4, 5]
    buffer.consume(mark)
    assert len(buffer.events) == 3


def test_the_summary_is_a_few_numbers() -> None:
    events = [
        {"type": "on_message", "timestamp": 1.0, "peer_id": "a"},
        {"type": "on_message", "timestamp": 2.0, "peer_id": "a"},
        {"type": "after_llm", "timestamp": 3.0, "tokens_in": 7, "tokens_out": None},
        {"type": "after_tool", "timestamp": 9.0, "tool": "search"},
    ]
    told = summary(events, 4)
    assert told["messages_in"] == 2
    assert (told["model_calls"], told["tokens_in"], told["tokens_out"]) == (1, 7, 0)
    assert told["tools"] == {"search": 1}
    assert (told["seconds"], told["events_lost"]) == (8, 4)
    assert activity(events) == {"a": 2}
    assert summary([]) == {}


def test_a_message_is_measured_as_text_or_as_an_object() -> None:
    from datetime import UTC, datetime

    message = IncomingMessage("1", "t", "c", "a", "A", "12345", datetime.now(UTC))
    assert (size_of("123"), size_of(message), size_of(None)) == (3, 5, 0)
