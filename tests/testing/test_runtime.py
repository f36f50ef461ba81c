from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from prefrontal.testing import ManualClock, ScriptedLLM, ScriptedSubagent, make_runtime

from ..runtime.sample_plugins import message, plugin_class


async def test_an_agent_with_all_that_comes_along_answers_and_leaves_nothing() -> None:
    tasks, threads = asyncio.all_tasks(), set(threading.enumerate())
    clock = ManualClock()
    runtime = make_runtime({}, clock=clock, llm=ScriptedLLM(["hello"]))
    await runtime.start()
    reply = await runtime.receive(message("hi"))
    await runtime.tick()
    assert reply is not None
    assert [each.content for each in runtime.sent] == ["hello"]
    assert {"ledger", "cortex", "memory", "soul", "cron"} <= set(runtime.registry.list_plugins())
    await runtime.stop()
    assert asyncio.all_tasks() == tasks
    assert set(threading.enumerate()) == threads


async def test_doubles_get_the_clock_of_the_test() -> None:
    clock = ManualClock()
    model, subagent = ScriptedLLM(), ScriptedSubagent()
    runtime = make_runtime({}, clock=clock, llm=model, subagent=subagent)
    assert model.clock is clock
    assert subagent.clock is clock
    assert runtime.registry.clock is clock


async def test_the_given_subagent_stands_before_the_one_that_comes_along() -> None:
    subagent = ScriptedSubagent("x", available=False)
    runtime = make_runtime({}, clock=ManualClock(), subagent=subagent)
    found = runtime.registry.get_by_capability("subagent")
    assert found is not None
    assert found.spawn == subagent.spawn  # type: ignore[attr-defined]
    assert found.available is False  # type: ignore[attr-defined]


async def test_without_a_workspace_nothing_is_left_on_disk() -> None:
    runtime = make_runtime({}, clock=ManualClock())
    place = Path(runtime.config["workspace"])
    await runtime.start()
    assert place.is_dir()
    await runtime.stop()
    assert not place.exists()


async def test_with_a_workspace_files_are_kept_there(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "down"
    for _ in range(2):
        runtime = make_runtime({}, clock=ManualClock(), workspace=place)
        await runtime.start()
        await runtime.stop()
    assert (place / "ledger.sqlite").exists()


async def test_more_plugins_can_be_handed_in() -> None:
    runtime = make_runtime({}, clock=ManualClock(), plugins=[plugin_class("mine")])
    assert runtime.registry.get("mine") is not None


async def test_the_agent_says_nothing_on_the_terminal(capfd: object) -> None:
    runtime = make_runtime({}, clock=ManualClock(), llm=ScriptedLLM([RuntimeError("no")]))
    await runtime.start()
    await runtime.receive(message())
    await runtime.stop()
    assert capfd.readouterr() == ("", "")  # type: ignore[attr-defined]
    assert runtime.logs
