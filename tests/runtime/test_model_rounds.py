from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.plugin import LLMResponse, ToolCall
from prefrontal.testing import ManualClock, Reply, ScriptedLLM

from .agents import Tools, Watcher, agent
from .sample_plugins import message, plugin_class


def use(*calls: tuple[str, dict[str, Any]]) -> Reply:
    asked = [ToolCall(f"call-{i}", name, args) for i, (name, args) in enumerate(calls)]
    return Reply("one moment", tool_calls=asked)


async def answer(model: Any, *plugins: Any, **given: Any) -> str:
    runtime = agent(model, *plugins, **given)
    await runtime.start()
    reply = await runtime.receive(message())
    await runtime.stop()
    assert reply is not None
    return reply.content


async def test_the_result_of_a_tool_goes_back_to_the_model() -> None:
    model = ScriptedLLM([use(("add", {"a": 1, "b": 2})), "three"])
    assert await answer(model, Tools()) == "three"
    asked, result = model.calls[1].messages[-2:]
    assert asked["role"] == "assistant"
    assert asked["tool_calls"][0]["function"]["name"] == "add"
    assert json.loads(asked["tool_calls"][0]["function"]["arguments"]) == {"a": 1, "b": 2}
    assert result == {"role": "tool", "tool_call_id": "call-0", "content": "3"}


async def test_several_tools_of_one_answer_run_in_their_order() -> None:
    model = ScriptedLLM([use(("add", {"a": 1, "b": 1}), ("add", {"a": 2, "b": 2})), "done"])
    await answer(model, Tools())
    results = [each["content"] for each in model.calls[1].messages if each["role"] == "tool"]
    assert results == ["2", "4"]


async def test_a_model_that_never_stops_using_tools_is_ended_after_ten_rounds() -> None:
    tools = Tools()
    model = ScriptedLLM([use(("add", {"a": 1, "b": 2}))], repeat=True)
    assert await answer(model, tools) == "one moment"
    assert len(model.calls) == 10
    assert len(tools.calls) == 10


class Ending(Tools):
    """Its tool parses words as a program does, and ends it over a wrong one."""

    def execute(self, name: str, args: Any) -> Any:
        raise SystemExit(2)


async def test_a_tool_that_tries_to_end_the_agent_has_failed() -> None:
    model = ScriptedLLM([use(("add", {"a": 1, "b": 2})), "sorry"])
    assert await answer(model, Ending()) == "sorry"
    content = model.calls[1].messages[-1]["content"]
    assert content == "Error: add failed: it tried to end the agent, with status 2"


@pytest.mark.parametrize("content", [5, b"bytes", ["a"]])
async def test_an_answer_that_is_no_text_is_a_failed_call(content: Any) -> None:
    model = ScriptedLLM([LLMResponse(content, (), "scripted", {})])
    assert "Reference: " in await answer(model)


async def test_a_hook_changes_what_a_tool_is_given() -> None:
    tools = Tools()
    watcher = Watcher({"before_tool": {"args": {"a": 5, "b": 5}}})
    await answer(ScriptedLLM([use(("add", {"a": 1, "b": 2})), "done"]), watcher, tools)
    assert tools.calls == [("add", {"a": 5, "b": 5})]
    assert watcher.ctx("after_tool")["args"] == {"a": 5, "b": 5}
    assert watcher.ctx("after_tool")["result"] == "10"


async def test_a_hook_takes_tools_away_from_the_model() -> None:
    model = ScriptedLLM()
    await answer(model, Watcher({"before_llm": {"tools": []}}), Tools())
    assert model.calls[0].tools is None


async def test_a_plain_model_runs_in_a_thread_while_the_event_loop_goes_on() -> None:
    """The model waits for something that only the event loop can do."""
    import asyncio
    import threading

    moved = threading.Event()
    called_in: list[str] = []

    class Plain:
        def chat(self, messages: Any, **options: Any) -> LLMResponse:
            called_in.append(threading.current_thread().name)
            assert moved.wait(10)
            return LLMResponse("done")

    runtime = agent(Plain())
    await runtime.start()
    handling = asyncio.create_task(runtime.receive(message()))
    while not called_in:
        await asyncio.sleep(0)
    moved.set()
    reply = await handling
    assert reply is not None
    assert reply.content == "done"
    assert called_in != [threading.main_thread().name]


async def test_a_model_that_hangs_is_given_up_on_the_clock() -> None:
    import asyncio

    clock = ManualClock()
    model = ScriptedLLM([Reply(hangs=True)])
    runtime = agent(model, clock=clock, llm={"timeout_seconds": 30})
    await runtime.start()
    handling = asyncio.create_task(runtime.receive(message()))
    while not model.running:
        await asyncio.sleep(0)
    clock.advance(36)
    reply = await handling
    assert reply is not None
    assert "Reference" in reply.content
    assert model.running == 0


async def test_a_model_that_answers_something_else_is_an_error() -> None:
    class Odd:
        async def chat(self, messages: Any, **options: Any) -> Any:
            return "just text"

    assert "Reference" in await answer(Odd())


@pytest.mark.parametrize("limit", [-1, "many", True])
def test_a_bad_limit_is_refused_when_the_agent_is_built(limit: object) -> None:
    from prefrontal.plugin import PluginError

    with pytest.raises(PluginError, match="loop cannot be configured: llm.max_tokens must"):
        agent(ScriptedLLM(), llm={"max_tokens": limit})


async def test_the_model_is_asked_for_as_many_tokens_as_configured() -> None:
    model = ScriptedLLM()
    await answer(model, llm={"max_tokens": 77})
    assert model.calls[0].max_tokens == 77


async def test_tools_are_asked_for_anew_each_time() -> None:
    """A tool that is offered only at times (the ledger's `assess_peer`) must come and go."""
    offered: list[dict[str, Any]] = []
    fickle: Any = plugin_class("fickle", capabilities=["tools"])()
    fickle.get_definitions = lambda: offered
    model = ScriptedLLM()
    runtime = agent(model, fickle)
    await runtime.start()
    await runtime.receive(message(number=1))
    offered.append({"type": "function", "function": {"name": "assess_peer", "parameters": {}}})
    await runtime.receive(message(number=2))
    names = [[each["function"]["name"] for each in call.tools or ()] for call in model.calls]
    usual = ["send_message", "conversation_search", "conversation_open"]
    assert names == [usual, [*usual, "assess_peer"]]
