from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.plugin import LLMResponse, PluginError, ToolCall
from prefrontal.runtime import Runtime, live_loop
from prefrontal.testing import ManualClock, Reply, ScriptedLLM

from .agents import agent, model_plugin
from .running_agents import running, until
from .sample_plugins import Noted, message, plugin_class


def source(*messages: Any) -> Any:
    """A plugin from which what is appended to its `waiting` comes."""

    def take(self: Any) -> Any:
        taken, self.waiting = self.waiting, []
        return taken

    plugin: Any = plugin_class("source", {"session.poll_messages": take})()
    plugin.waiting = list(messages)
    return plugin


async def test_an_agent_that_does_not_run_answers_nobody() -> None:
    model = ScriptedLLM()
    runtime = agent(model)
    with pytest.raises(PluginError, match="must be started before it receives a message"):
        await runtime.receive(message())
    await runtime.start()
    await runtime.stop()
    with pytest.raises(PluginError, match="must be started before it receives a message"):
        await runtime.receive(message())
    assert model.calls == []


@pytest.mark.parametrize(
    "wrong", [{"sender_id": 5}, {"content": None}, {"metadata": None}, {"channel_id": None}]
)
async def test_what_is_no_message_is_refused(wrong: dict[str, Any]) -> None:
    runtime = agent(ScriptedLLM())
    await runtime.start()
    with pytest.raises(InputError, match="message must be an IncomingMessage whose ids"):
        await runtime.receive(message(**wrong))
    await runtime.stop()


async def test_a_tick_does_what_is_due_then_handles_what_comes_of_it() -> None:
    clock = ManualClock(now=1000.0)
    clock.advance(5)
    came: list[Any] = []
    due = source()

    def tick(self: Any, ctx: dict[str, float]) -> None:
        came.append(ctx)
        due.waiting.append(message())

    runtime = agent(ScriptedLLM(), plugin_class("t", {"runtime.tick": tick})(), due, clock=clock)
    await runtime.start()
    await runtime.tick()
    assert came == [{"now": 1005.0, "monotonic": 5.0}]
    assert len(runtime.sent) == 1


async def test_a_tick_also_handles_what_comes_of_the_answers_but_not_for_ever() -> None:
    endless = source(message(number=0))

    def again(self: Any, ctx: Any) -> None:
        endless.waiting.append(message(number=int(ctx["message"].id) + 1))

    runtime = agent(ScriptedLLM(), endless, plugin_class("p", {"session.handled": again})())
    await runtime.start()
    await runtime.tick()
    assert [each.reply_to for each in runtime.sent] == [str(n) for n in range(10)]


async def test_without_background_nothing_happens_by_itself() -> None:
    waiting = source(message())
    runtime = agent(ScriptedLLM(), waiting)
    tasks = asyncio.all_tasks()
    await runtime.start()
    for _ in range(20):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == tasks
    assert len(waiting.waiting) == 1
    assert runtime.registry.background is False


async def test_a_running_agent_polls_when_it_is_woken() -> None:
    waiting = source()
    runtime = agent(ScriptedLLM(), waiting, polling={"interval_seconds": 3600})
    async with running(runtime):
        await until(lambda: runtime.registry.is_started("loop"))
        assert runtime.registry.background is True
        waiting.waiting.append(message(channel_type="nowhere"))
        other = threading.Thread(target=runtime.registry.wake)
        other.start()
        other.join()
        await until(lambda: any("no channel 'nowhere'" in line[2] for line in runtime.logs))


async def test_a_running_agent_polls_when_its_interval_is_over() -> None:
    waiting, handled = source(), []
    note = plugin_class("p", {"session.handled": lambda self, ctx: handled.append(ctx)})()
    runtime = agent(ScriptedLLM(), waiting, note, polling={"interval_seconds": 0.01})
    async with running(runtime):
        await until(lambda: runtime.registry.is_started("loop"))
        waiting.waiting.append(message())
        await until(lambda: handled)


async def test_a_slow_answer_does_not_hold_up_the_next_question() -> None:
    clock = ManualClock()
    model = ScriptedLLM([Reply(hangs=True), Reply("quick")], clock=clock)
    waiting, handled = source(message(sender="alice")), []
    note = plugin_class("p", {"session.handled": lambda self, ctx: handled.append(ctx)})()
    runtime = agent(model, waiting, note, clock=clock)
    async with running(runtime):
        await until(lambda: model.running)
        waiting.waiting.append(message(sender="bob"))
        runtime.registry.wake()
        await until(lambda: handled)
        assert handled[0]["message"].sender_id == "bob"
        clock.advance(1000)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_the_agent_and_is_told(number: signal.Signals) -> None:
    diary: list[str] = []
    runtime = agent(ScriptedLLM(), Noted("p", diary))
    async with running(runtime) as task:
        await until(lambda: runtime.registry.is_started("loop"))
        os.kill(os.getpid(), number)
        assert await task == number
    assert diary[-1] == "stop p"


async def test_a_second_signal_ends_what_is_in_hand_too() -> None:
    diary: list[str] = []
    model = ScriptedLLM([Reply(hangs=True)])
    runtime = agent(model, source(message()), Noted("p", diary))
    async with running(runtime) as task:
        await until(lambda: model.running)
        runtime.registry.request_stop(patient=True)
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        assert await task == signal.SIGINT
    assert model.running == 0
    assert diary[-1] == "stop p"


async def test_signals_are_ours_only_while_the_agent_runs() -> None:
    before = signal.getsignal(signal.SIGTERM)
    async with running(agent(ScriptedLLM())) as task:
        await until(lambda: task.done() or signal.getsignal(signal.SIGTERM) != before)
    assert signal.getsignal(signal.SIGTERM) == before


async def test_an_agent_that_is_told_to_stop_first_answers_what_is_there() -> None:
    waiting, handled = source(), []
    note = plugin_class("p", {"session.handled": lambda self, ctx: handled.append(ctx)})()
    runtime = agent(ScriptedLLM(), waiting, note, polling={"interval_seconds": 3600})
    async with running(runtime):
        await until(lambda: runtime.registry.is_started("loop"))
        waiting.waiting.append(message())
        runtime.registry.request_stop(patient=True)
    assert len(handled) == 1


async def test_an_agent_that_cannot_start_says_why_and_leaves_nothing() -> None:
    diary: list[str] = []
    runtime = agent(ScriptedLLM(), Noted("a", diary), Noted("b", diary, fails="start"))
    with pytest.raises(PluginError, match="b cannot be started"):
        await runtime.run()
    assert diary[-1] == "stop a"


async def test_a_tool_can_ask_for_a_new_start() -> None:
    diary: list[str] = []

    class Restarting(plugin_class("restarting", capabilities=["tools"])):  # type: ignore[misc]
        restart_requested = False

        async def start(self) -> None:
            self.restart_requested = False

        def get_definitions(self) -> list[Any]:
            return [{"type": "function", "function": {"name": "restart", "parameters": {}}}]

        def execute(self, name: str, args: Any) -> str:
            self.restart_requested = True
            return "soon"

    model = ScriptedLLM([LLMResponse("", [ToolCall("1", "restart", {})]), "done"])
    runtime = agent(model, Restarting(), source(message()), Noted("p", diary))
    async with running(runtime):
        await until(lambda: diary.count("start p") == 2)
    assert diary == ["configure p", "start p", "stop p", "start p", "stop p"]


@pytest.mark.parametrize("seconds", [0, -1, True, "often"])
def test_a_bad_polling_interval_is_refused(seconds: object) -> None:
    with pytest.raises(PluginError, match=r"polling.interval_seconds must be a number above 0"):
        Runtime({"polling": {"interval_seconds": seconds}})


def test_the_agent_is_called_what_the_configuration_says() -> None:
    assert Runtime({"identity": {"name": "Alpha"}}).registry.agent_id == "Alpha"
    assert Runtime({}, agent_id="beta").registry.agent_id == "beta"


def test_a_plugin_of_the_core_can_be_replaced() -> None:
    mine = plugin_class("logger", capabilities=["logging"])()
    assert Runtime({}, plugins=[mine, model_plugin(ScriptedLLM())]).registry.get("logger") is mine


async def test_a_poll_that_hangs_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_loop, "GRACE_S", 0.05)
    diary: list[str] = []
    asked = asyncio.Event()

    async def hangs(self: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    hanging = plugin_class("hanging", {"session.poll_messages": hangs})()
    async with running(agent(ScriptedLLM(), hanging, Noted("p", diary))) as task:
        await asked.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        assert await task == signal.SIGTERM
    assert diary[-1] == "stop p"
