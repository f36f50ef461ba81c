from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.plugin import LLMResponse, SubagentResult
from prefrontal.testing import ManualClock, Reply, ScriptedLLM, ScriptedSubagent

HI = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}]


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_model_says_what_the_script_says_then_ok() -> None:
    model = ScriptedLLM(["one", LLMResponse("two")])
    assert [(await model.chat(HI)).content for _ in range(3)] == ["one", "two", "ok"]


async def test_a_model_writes_down_what_it_was_asked() -> None:
    model = ScriptedLLM()
    await model.chat(HI, tools=[{"name": "t"}], model="m", max_tokens=5)
    (call,) = model.calls
    assert call.messages == HI
    assert (call.tools, call.model, call.max_tokens) == ([{"name": "t"}], "m", 5)
    assert call.prompt == "Be kind."


async def test_a_model_can_be_a_function_of_what_it_is_asked() -> None:
    model = ScriptedLLM(lambda call: call.messages[-1]["content"].upper())
    assert (await model.chat(HI)).content == "HI"


@pytest.mark.parametrize("step", [RuntimeError("down"), Reply(error="down")])
async def test_a_model_can_fail(step: Any) -> None:
    with pytest.raises(RuntimeError, match="down"):
        await ScriptedLLM([step]).chat(HI)


async def test_the_last_step_can_be_said_again_and_again() -> None:
    model = ScriptedLLM(["one", "two"], repeat=True)
    assert [(await model.chat(HI)).content for _ in range(4)] == ["one", "two", "two", "two"]


async def test_a_delay_passes_on_the_clock_of_the_test() -> None:
    clock = ManualClock()
    model = ScriptedLLM([Reply("late", delay=5)], clock=clock)
    asked = asyncio.create_task(model.chat(HI))
    await settle()
    clock.advance(4)
    await settle()
    assert not asked.done()
    clock.advance(1)
    assert (await asked).content == "late"


async def test_a_subagent_answers_with_text_or_plain_values_as_json() -> None:
    subagent = ScriptedSubagent(["text", {"summary": "s"}, [1], Reply({"a": 1}, tokens_in=3)])
    outputs = [(await subagent.spawn("t")).output for _ in range(4)]
    assert outputs == ["text", '{"summary": "s"}', "[1]", '{"a": 1}']


async def test_a_subagent_writes_down_what_it_was_asked() -> None:
    subagent = ScriptedSubagent("x")
    await subagent.spawn("look", {"peers": []}, "You are", 60, model="big", provider="p")
    (call,) = subagent.calls
    assert (call.task, call.context, call.system_prompt) == ("look", {"peers": []}, "You are")
    assert call.timeout_seconds == 60
    assert call.options == {"model": "big", "provider": "p"}


async def test_a_subagent_tells_failures_and_raises_exceptions() -> None:
    given = SubagentResult(False, "", "t", 0.0, "Concurrency limit reached (3)")
    subagent = ScriptedSubagent([Reply(error="down"), given, ValueError("raised")])
    assert (await subagent.spawn("t")).error == "down"
    assert await subagent.spawn("t") is given
    with pytest.raises(ValueError, match="raised"):
        await subagent.spawn("t")


async def test_a_used_up_script_is_a_failure() -> None:
    result = await ScriptedSubagent(["one"]).spawn("t")
    assert result.success
    subagent = ScriptedSubagent()
    assert not (await subagent.spawn("t")).success


async def test_a_subagent_that_hangs_times_out_on_the_clock_of_the_test() -> None:
    clock = ManualClock()
    subagent = ScriptedSubagent([Reply(hangs=True)], clock=clock)
    asked = asyncio.create_task(subagent.spawn("t", timeout_seconds=60))
    await settle()
    assert subagent.running == 1
    clock.advance(60)
    result = await asked
    assert (result.success, result.error) == (False, "Timeout after 60 seconds")
    assert result.elapsed_seconds == 60
    assert subagent.running == 0
