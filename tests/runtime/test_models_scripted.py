"""The provider `scripted`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.errors import InputError, PrefrontalError
from prefrontal.runtime.models.scripted import ScriptedModel
from prefrontal.testing import ManualClock

ASK = [{"role": "user", "content": "?"}]


async def test_replies_come_in_order_and_then_an_error() -> None:
    model = ScriptedModel(["one", {"text": "two", "model": "m", "usage": {"prompt_tokens": 4}}])
    assert (await model.chat(ASK)).content == "one"
    second = await model.chat(ASK)
    assert (second.content, second.model, second.tokens_in) == ("two", "m", 4)
    with pytest.raises(PrefrontalError, match="must have a reply left, got 2 in all"):
        await model.chat(ASK)
    assert model.asked == [ASK, ASK, ASK]


async def test_replies_may_start_again() -> None:
    model = ScriptedModel(["a", "b"], repeat=True)
    assert [(await model.chat(ASK)).content for _ in range(5)] == ["a", "b", "a", "b", "a"]
    with pytest.raises(PrefrontalError, match="got 0 in all"):
        await ScriptedModel(repeat=True).chat(ASK)


async def test_a_reply_may_want_tools() -> None:
    calls = [{"name": "look", "arguments": {"at": 1}}, {"name": "wait"}]
    response = await ScriptedModel([{"tool_calls": calls}]).chat(ASK)
    assert [(call.name, call.arguments) for call in response.tool_calls] == [
        ("look", {"at": 1}),
        ("wait", {}),
    ]
    assert len({call.id for call in response.tool_calls}) == 2


async def test_a_reply_may_be_an_error() -> None:
    with pytest.raises(PrefrontalError, match="^out of order$"):
        await ScriptedModel([{"error": "out of order"}]).chat(ASK)


async def test_a_reply_comes_after_its_delay_on_the_clock() -> None:
    clock = ManualClock()
    task = asyncio.create_task(
        ScriptedModel([{"text": "late", "delay_seconds": 30}], clock=clock).chat(ASK)
    )
    for moved in (0, 29.5):
        clock.advance(moved)
        for _ in range(5):
            await asyncio.sleep(0)
        assert not task.done()
    clock.advance(0.5)
    assert (await task).content == "late"


async def test_a_reply_that_hangs_can_be_given_up() -> None:
    task = asyncio.create_task(ScriptedModel([{"hang": True}]).chat(ASK))
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (5, r"llm\.replies\[0\] must be a text or a mapping, got 5"),
        (
            {"texts": "x"},
            r"llm\.replies\[0\] must have only known keys, got 'texts' .*; known are text",
        ),
        ({"delay_seconds": "x"}, r"llm\.replies\[0\]\.delay_seconds must be a number"),
        ({"delay_seconds": float("nan")}, r"llm\.replies\[0\]\.delay_seconds must be a number"),
        ({"tool_calls": {"name": "x"}}, r"llm\.replies\[0\]\.tool_calls must be a list"),
        ({"tool_calls": [{"name": "x", "arguments": 5}]}, r"tool_calls must be a list"),
    ],
)
def test_a_reply_that_cannot_be_given_is_refused(reply: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ScriptedModel([reply])
