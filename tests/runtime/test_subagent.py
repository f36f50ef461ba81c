"""The plugin `subagent`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from prefrontal.errors import PrefrontalError
from prefrontal.plugin import LLMResponse, Plugin, PluginError, PluginMeta
from prefrontal.runtime.plugins.subagent import TOOL, SubagentPlugin
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.testing import ManualClock


class Model(Plugin):
    """The agent's model; `answer` may be async or plain."""

    meta = PluginMeta(id="model", version="1", capabilities=["llm"], priority=20)

    def __init__(self, chat: Callable[..., Any] | None = None) -> None:
        self.asked: list[tuple[Any, dict[str, Any]]] = []
        self.chat = chat or self._answer

    async def _answer(self, messages: Any, **told: Any) -> LLMResponse:
        self.asked.append((messages, told))
        usage = {"prompt_tokens": 7, "completion_tokens": 2}
        return LLMResponse("fine", model="small", usage=usage)

    async def start(self) -> None: ...
    async def stop(self) -> None: ...


class Watcher(Plugin):
    """Looks at what is asked and told, and changes what it is told to."""

    meta = PluginMeta(
        id="watcher",
        version="1",
        implements={"subagent.before_spawn": "before", "subagent.after_spawn": "after"},
    )

    def __init__(self, changes: Any = None) -> None:
        self.changes = changes
        self.asked: list[Mapping[str, Any]] = []
        self.told: list[Mapping[str, Any]] = []

    def before(self, ctx: Mapping[str, Any]) -> Any:
        self.asked.append(ctx)
        return self.changes

    def after(self, ctx: Mapping[str, Any]) -> None:
        self.told.append(ctx)

    async def start(self) -> None: ...
    async def stop(self) -> None: ...


class First(Watcher):
    meta = PluginMeta(id="first", version="1", implements=Watcher.meta.implements)


async def made(*plugins: Plugin, **config: Any) -> tuple[SubagentPlugin, PluginRegistry]:
    registry = PluginRegistry(ManualClock())
    subagent = SubagentPlugin()
    for plugin in (*plugins, subagent):
        registry.register(plugin)
    registry.configure_all(config)
    await registry.start_all()
    return subagent, registry


def clock_of(registry: PluginRegistry) -> ManualClock:
    assert isinstance(registry.clock, ManualClock)
    return registry.clock


async def hang(*_: Any, **__: Any) -> LLMResponse:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_subagent_is_told_its_task_and_nothing_else() -> None:
    model = Model()
    subagent, _ = await made(model)
    result = await subagent.spawn("Count.", {"peers": ["a"]}, "You count.", max_tokens=99)
    assert (result.success, result.output, result.error) == (True, "fine", None)
    assert (result.model, result.tokens_in, result.tokens_out) == ("small", 7, 2)
    ((messages, told),) = model.asked
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"] == "You count."
    assert messages[1]["content"].startswith("**Task:** Count.\n\n**Context:**\n```json\n{")
    assert told == {"tools": None, "model": None, "max_tokens": 99}


async def test_without_a_model_the_result_says_so() -> None:
    subagent, _ = await made()
    result = await subagent.spawn("x")
    assert (result.success, result.error) == (False, "No LLM provider available")
    assert subagent.available is False


async def test_too_many_at_once_are_turned_away_and_a_place_becomes_free_again() -> None:
    subagent, registry = await made(Model(hang))
    running = [asyncio.create_task(subagent.spawn("x", timeout_seconds=60)) for _ in range(3)]
    await asyncio.sleep(0)
    refused = await subagent.spawn("x")
    assert refused.error == "Concurrency limit reached (3)"
    running[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await running[0]
    waiting = asyncio.create_task(subagent.spawn("x", timeout_seconds=60))
    await asyncio.sleep(0)
    clock_of(registry).advance(60)
    results = [await task for task in (*running[1:], waiting)]
    assert [result.error for result in results] == ["Timeout after 60 seconds"] * 3
    assert [result.elapsed_seconds for result in results] == [60.0] * 3


@pytest.mark.parametrize(("asked", "waited"), [(5000.0, 40), (7.5, 7.5)])
async def test_no_spawn_waits_longer_than_the_longest(asked: float, waited: float) -> None:
    subagent, registry = await made(Model(hang), subagent={"max_timeout_seconds": 40})
    task = asyncio.create_task(subagent.spawn("x", timeout_seconds=asked))
    await asyncio.sleep(0)
    clock_of(registry).advance(40)
    assert (await task).error == f"Timeout after {waited:g} seconds"


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "5", True, None])
async def test_a_time_that_is_none_is_told(seconds: Any) -> None:
    subagent, _ = await made(Model())
    result = await subagent.spawn("x", timeout_seconds=seconds)
    assert result.error is not None
    assert result.error.startswith("timeout_seconds must be a number above 0, got")


async def test_what_the_model_raises_is_told_and_not_raised() -> None:
    async def fail(*_: Any, **__: Any) -> LLMResponse:
        raise PrefrontalError("no key")

    subagent, _ = await made(Model(fail))
    assert (await subagent.spawn("x")).error == "no key"


async def test_an_answer_that_is_none_is_told() -> None:
    async def mumble(*_: Any, **__: Any) -> Any:
        return "text"

    subagent, _ = await made(Model(mumble))
    assert "must answer with an LLMResponse" in str((await subagent.spawn("x")).error)


async def test_a_plain_model_runs_beside_the_loop_and_keeps_its_place_until_it_ends() -> None:
    release, began = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def slow(*_: Any, **__: Any) -> LLMResponse:
        threads.append(threading.current_thread())
        began.set()
        release.wait(10)
        return LLMResponse("late")

    subagent, registry = await made(Model(slow), subagent={"max_concurrent": 1})
    task = asyncio.create_task(subagent.spawn("x", timeout_seconds=1))
    while not began.is_set():
        await asyncio.sleep(0)
    clock_of(registry).advance(1)
    assert (await task).error == "Timeout after 1 seconds"
    assert (await subagent.spawn("x")).error == "Concurrency limit reached (1)"
    assert threads[0] is not threading.main_thread()
    assert threads[0].daemon
    release.set()
    threads[0].join()
    assert (await subagent.spawn("x")).output == "late"


async def test_hung_plain_models_leave_the_threads_of_others_alone() -> None:
    release = threading.Event()

    def slow(*_: Any, **__: Any) -> LLMResponse:
        release.wait(10)
        return LLMResponse("late")

    subagent, registry = await made(Model(slow), subagent={"max_concurrent": 40})
    tasks = [asyncio.create_task(subagent.spawn("x", timeout_seconds=1)) for _ in range(40)]
    await asyncio.sleep(0)
    assert await asyncio.wait_for(asyncio.to_thread(lambda: "free"), 5) == "free"
    clock_of(registry).advance(1)
    await asyncio.gather(*tasks)
    release.set()


async def test_the_last_plugin_that_wants_another_request_gets_it() -> None:
    model = Model()
    first, last = First({"task": "first"}), Watcher({"task": "last", "model": "big"})
    subagent, registry = await made(model, first, last)
    result = await subagent.spawn("mine", timeout_seconds=5)
    assert result.task == "last"
    assert first.asked[0]["task"] == last.asked[0]["task"] == "mine"
    assert model.asked[0][1]["model"] == "big"
    assert "**Task:** last" in model.asked[0][0][0]["content"]
    assert [event["type"] for event in registry.events] == ["subagent.after_spawn"]
    assert last.told[0]["task"] == "last"
    assert last.told[0]["result"]["output"] == "fine"


@pytest.mark.parametrize("answer", ["nonsense", 5, ["task"], {"context": "no mapping"}])
async def test_a_request_that_makes_no_sense_is_told(answer: Any) -> None:
    subagent, _ = await made(Model(), Watcher(answer))
    result = await subagent.spawn("mine")
    assert result.error is not None
    assert result.error.startswith("a request must be a mapping with a task")


async def test_refusals_are_announced_too() -> None:
    watcher = Watcher()
    subagent, _ = await made(watcher)
    await subagent.spawn("x")
    assert watcher.told[0]["result"]["error"] == "No LLM provider available"


async def test_another_model_can_be_asked_by_name() -> None:
    model = Model()
    subagent, _ = await made(model, llm={"replies": ["from the script"]})
    result = await subagent.spawn("x", provider="scripted", model="other")
    assert (result.output, result.model) == ("from the script", "other")
    assert model.asked == []
    assert (await subagent.spawn("x", provider="main")).output == "fine"
    assert (await subagent.spawn("x", provider="model")).output == "fine"


async def test_a_model_that_nobody_knows_is_told_with_those_that_are() -> None:
    subagent, _ = await made(Model())
    result = await subagent.spawn("x", provider="gpt")
    assert result.error == (
        "provider must be one of rules, openai-compatible, anthropic, google, replay, scripted, "
        "got 'gpt'"
    )


async def test_rules_are_no_model_to_give_a_task_to() -> None:
    from prefrontal.runtime.models import create_model

    assert (await made(create_model("rules")))[0].available is False
    assert (await made(create_model("scripted")))[0].available is True
    assert (await made(Model()))[0].available is True
    assert SubagentPlugin().available is False


async def test_the_tool_gives_what_the_subagent_said() -> None:
    model = Model()
    subagent, _ = await made(model)
    (definition,) = subagent.get_definitions()
    assert definition["function"]["name"] == TOOL
    assert await subagent.execute(TOOL, {"task": "Count.", "context": {"n": 1}}) == "fine"
    assert '"n": 1' in model.asked[0][0][0]["content"]
    assert "must be a non-blank string" in await subagent.execute(TOOL, {"task": " "})
    assert await subagent.execute("other", {}) == "Unknown tool: other"
    failed = await subagent.execute(TOOL, {"task": "x", "timeout_seconds": -1})
    assert failed.startswith("The subagent failed: timeout_seconds must")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"max_concurrent": 0}, "subagent.max_concurrent must be a whole number of at least 1"),
        ({"max_concurrent": 1.5}, "subagent.max_concurrent must be a whole number"),
        ({"max_concurrent": True}, "subagent.max_concurrent must be a whole number"),
        ({"max_timeout_seconds": "9"}, "subagent.max_timeout_seconds must be a number"),
        ({"max_timeout_seconds": float("nan")}, "subagent.max_timeout_seconds must be a number"),
    ],
)
async def test_bounds_that_make_no_sense_are_refused(settings: Any, sentence: str) -> None:
    with pytest.raises(PluginError, match=sentence):
        await made(subagent=settings)
