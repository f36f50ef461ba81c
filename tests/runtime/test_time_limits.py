"""Hooks and tools that hang, block or ignore their cancellation hold up nobody for ever."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from prefrontal.plugin import PluginError
from prefrontal.plugin.hooks import hooks, hooks_of, is_chain
from prefrontal.plugin.waiting import GRACE_S
from prefrontal.runtime import Plugin, PluginRegistry, Runtime, live_loop, plugin_calls, signals
from prefrontal.runtime.plugins.subagent import SubagentPlugin
from prefrontal.runtime.time_limits import HOOK_S, TOOL_S
from prefrontal.testing import ManualClock, Reply, ScriptedLLM

from .agents import POINTS, Tools, Watcher, agent
from .running_agents import running, until
from .sample_plugins import message, plugin_class
from .test_turn import use

INTERRUPTED = "interrupted, since the agent is to end"


async def hangs(self: Plugin, *ctx: Any) -> None:
    await asyncio.Event().wait()


async def ignores(self: Plugin, *ctx: Any) -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue


def hanging(*points: str, hook: Callable[..., Any] = hangs, **meta: Any) -> Plugin:
    return plugin_class("slow", dict.fromkeys(points, hook), **meta)()


async def passing(clock: ManualClock, waiting: asyncio.Task[Any], *steps: float) -> Any:
    """The result, while the clock moves on by each step in turn, no further than needed."""
    for _ in range(200):
        for step in steps:
            for _ in range(50):  # turns of the loop, however busy the machine is
                await asyncio.sleep(0)
            await asyncio.wait([waiting], timeout=0.001)
            if waiting.done():
                return waiting.result()
            clock.advance(step)
    raise AssertionError("it never ends")


def limits(runtime: Runtime) -> list[str]:
    return [f"{plugin}: {text}" for _, plugin, text in runtime.logs if "no end within" in text]


@pytest.mark.parametrize("point", [*hooks(), "own.hook"])
@pytest.mark.parametrize("hook", [hangs, ignores])
async def test_a_hook_that_hangs_is_logged_and_skipped(point: str, hook: Any) -> None:
    clock = ManualClock()
    registry = PluginRegistry(clock)
    spec = hooks().get(point)
    takes = spec is None or "ctx" in spec.__annotations__
    registry.register(hanging(point, hook=hook))
    after = (lambda self, ctx: {"seen": True}) if takes else (lambda self: {"seen": True})
    registry.register(plugin_class("swift", {point: after}, priority=60))
    if spec is not None and is_chain(spec):
        call: Any = registry.call_extension_chain(point, {"n": 1})
        result: Any = {"n": 1, "seen": True}
    else:
        call = registry.call_extension(point, {} if takes else None)
        result = [{"seen": True}]
    waiting = asyncio.create_task(call)
    assert await passing(clock, waiting, HOOK_S, GRACE_S) == result
    ((level, plugin_id, text),) = registry.logs
    assert (level, plugin_id) == ("error", "slow")
    assert text.startswith(f"Hook for {point} failed: no end within 30 s")
    assert ("abandoned" in text) == (hook is ignores)


@pytest.mark.parametrize("point", [f"loop.{point}" for point in POINTS] + ["context.system_prompt"])
async def test_a_turn_goes_on_without_the_hook_that_hangs(point: str) -> None:
    clock = ManualClock()
    fails = point == "loop.on_error"
    replies = [Reply(error=RuntimeError("down"))] if fails else [use("add", a=1, b=2), "three"]
    runtime = agent(ScriptedLLM(replies), hanging(point), Watcher(), Tools(), clock=clock)
    await runtime.start()
    waiting = asyncio.create_task(runtime.receive(message()))
    reply = await passing(clock, waiting, HOOK_S)
    assert reply.content.startswith("Sorry" if fails else "three")
    assert set(limits(runtime)) == {f"slow: Hook for {point} failed: no end within 30 s"}
    await runtime.stop()


@pytest.mark.parametrize("point", ["session.handled", "communication.typing", "loop.on_message"])
async def test_other_conversations_go_on_meanwhile(point: str) -> None:
    clock = ManualClock()

    async def hangs_for_alice(self: Plugin, ctx: Any) -> None:
        sender = ctx["message"].sender_id if point == "session.handled" else ctx["peer_id"]
        if sender == "alice":
            await asyncio.Event().wait()

    runtime = agent(
        ScriptedLLM("hello", repeat=True), hanging(point, hook=hangs_for_alice), clock=clock
    )
    await runtime.start()
    alice = asyncio.create_task(runtime.receive(message(sender="alice")))
    assert (await runtime.receive(message(sender="bob"))).content == "hello"  # type: ignore[union-attr]
    assert not alice.done()
    assert (await passing(clock, alice, HOOK_S)).content == "hello"


def channel(hook: Callable[..., Any], **more: Callable[..., Any]) -> Plugin:
    points = {"session.send": hook, "session.receive": lambda self: [message()], **more}
    return plugin_class("test", points, capabilities=["channel"])()


async def test_a_channel_that_hangs_while_it_sends_is_named_and_its_message_is_not_sent() -> None:
    clock = ManualClock()
    runtime = agent(ScriptedLLM("hello", repeat=True), channel(hangs), clock=clock)
    await runtime.start()
    waiting = asyncio.create_task(runtime.receive(message()))
    assert await passing(clock, waiting, HOOK_S) is None
    assert limits(runtime) == [
        "session: Hook for communication.send failed: no end within 30 s",
        "loop: Sending failed: test: no end within 30 s",
    ]


async def test_a_channel_that_hangs_while_it_is_polled_costs_the_others_no_message() -> None:
    clock = ManualClock()
    slow = plugin_class("a", {"session.receive": hangs}, capabilities=["channel"])()
    runtime = agent(
        ScriptedLLM("hello", repeat=True), slow, channel(lambda self, ctx: True), clock=clock
    )
    await runtime.start()
    polled = asyncio.create_task(runtime.loop.poll())
    assert [each.content for each in await passing(clock, polled, HOOK_S)] == ["hello"]
    assert limits(runtime) == ["a: Hook for session.receive failed: no end within 30 s"]


async def test_a_poll_that_hangs_is_announced_as_an_error() -> None:
    clock, watcher = ManualClock(), Watcher()
    runtime = agent(ScriptedLLM(), hanging("session.poll_messages"), watcher, clock=clock)
    await runtime.start()
    assert await passing(clock, asyncio.create_task(runtime.loop.poll()), HOOK_S) == []
    assert watcher.ctx("on_error")["plugin_id"] == "slow"


def tool(execute: Callable[..., Any], **meta: Any) -> Plugin:
    """A plugin with the tool `look_up`."""
    plugin: Any = plugin_class("finder", capabilities=["tools"], **meta)()
    plugin.get_definitions = lambda: [{"function": {"name": "look_up", "parameters": {}}}]
    plugin.execute = lambda name, args: execute(plugin)
    return plugin  # type: ignore[no-any-return]


@pytest.mark.parametrize("execute", [hangs, ignores])
async def test_the_model_is_told_of_a_tool_that_hangs_and_goes_on(execute: Any) -> None:
    clock, model = ManualClock(), ScriptedLLM([use("look_up"), "I could not look that up."])
    runtime = agent(model, tool(execute), clock=clock)
    await runtime.start()
    waiting = asyncio.create_task(runtime.receive(message()))
    reply = await passing(clock, waiting, TOOL_S, GRACE_S)
    assert reply.content == "I could not look that up."
    told = model.calls[1].messages[-1]["content"]
    assert told.startswith("Error: look_up failed: no end within 120 s")
    assert len(limits(runtime)) == 1
    assert limits(runtime)[0].startswith("tools: Tool look_up of finder failed: no end within 120")


async def test_a_subagent_may_take_longer_than_the_tool_that_asks_it() -> None:
    clock = ManualClock()
    model = ScriptedLLM(
        [use("spawn_subagent", task="think"), Reply("thought", delay=250), "done"], clock=clock
    )
    runtime = agent(model, SubagentPlugin(), clock=clock)
    await runtime.start()
    waiting = asyncio.create_task(runtime.receive(message()))
    assert (await passing(clock, waiting, 10)).content == "done"
    assert model.calls[2].messages[-1]["content"] == "thought"


async def test_a_hook_of_a_subagent_that_hangs_costs_the_subagent_nothing() -> None:
    clock, plugin = ManualClock(), SubagentPlugin()
    runtime = agent(ScriptedLLM("fine", repeat=True), plugin, hanging(*hooks_of("subagent")),
                    clock=clock)  # fmt: skip
    await runtime.start()
    spawned = asyncio.create_task(plugin.spawn("think", timeout_seconds=5))
    result = await passing(clock, spawned, HOOK_S)
    assert (result.success, result.output) == (True, "fine")
    assert len(limits(runtime)) == 2


async def test_without_limits_nothing_is_cancelled() -> None:
    clock, free = ManualClock(), asyncio.Event()

    async def waits(self: Plugin, *ctx: Any) -> str:
        await free.wait()
        return "found"

    model = ScriptedLLM([use("look_up"), "done"])
    none = {"plugins": {"hook_timeout_seconds": 0}, "tools": {"timeout_seconds": None}}
    runtime = agent(model, hanging("loop.on_message", hook=waits), tool(waits), clock=clock, **none)
    await runtime.start()
    waiting = asyncio.create_task(runtime.receive(message()))
    for _ in range(200):
        await asyncio.sleep(0)
        clock.advance(1000)
    assert not waiting.done()
    free.set()
    assert (await waiting).content == "done"  # type: ignore[union-attr]
    assert model.calls[1].messages[-1]["content"] == "found"
    assert limits(runtime) == []


@pytest.mark.parametrize(
    ("config", "own", "seconds"),
    [
        ({"plugins": {"hook_timeout_seconds": 2}}, {}, "2"),
        ({"plugins": {"hook_timeout_seconds": 2}}, {"loop.on_message": 7.5}, "7.5"),
        ({"plugins": {"timeouts": {"slow": 3}}}, {"loop.on_message": 7.5}, "3"),
        ({"plugins": {"timeouts": {"main-model": 3}}}, {"stop": 7.5}, "30"),
    ],
)
async def test_the_nearest_limit_of_a_hook_counts(config: Any, own: Any, seconds: str) -> None:
    clock = ManualClock()
    slow = hanging("loop.on_message", timeouts=own)
    runtime = agent(ScriptedLLM("hello"), slow, clock=clock, **config)
    await runtime.start()
    waiting = asyncio.create_task(runtime.receive(message()))
    await passing(clock, waiting, float(seconds) * 0.9, float(seconds) * 0.1)
    assert limits(runtime)[0].endswith(f"no end within {seconds} s")


@pytest.mark.parametrize(
    ("config", "own", "seconds"),
    [
        ({"timeout_seconds": 2}, {}, "2"),
        ({"timeout_seconds": 2}, {"look_up": 7.5}, "7.5"),
        ({"timeouts": {"look_up": 3}}, {"look_up": 7.5}, "3"),
    ],
)
async def test_the_nearest_limit_of_a_tool_counts(config: Any, own: Any, seconds: str) -> None:
    clock = ManualClock()
    runtime = agent(ScriptedLLM(), tool(hangs, timeouts=own), clock=clock, tools=config)
    await runtime.start()
    tools: Any = runtime.registry.get("tools")
    waiting = asyncio.create_task(tools.execute("look_up", {}))
    result = await passing(clock, waiting, float(seconds) * 0.9, float(seconds) * 0.1)
    assert result == f"Error: look_up failed: no end within {seconds} s"


RULE = "must be a number of seconds above 0, or 0 or null for no limit, got"


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"plugins": {"hook_timeout_seconds": "soon"}}, f"hook_timeout_seconds {RULE} 'soon'"),
        ({"plugins": {"hook_timeout_seconds": -1}}, f"plugins.hook_timeout_seconds {RULE} -1"),
        ({"plugins": {"hook_timeout_seconds": True}}, f"plugins.hook_timeout_seconds {RULE} True"),
        ({"plugins": {"hook_timeout_seconds": False}}, f"hook_timeout_seconds {RULE} False"),
        ({"tools": {"timeout_seconds": float("nan")}}, f"tools.timeout_seconds {RULE} nan"),
        ({"tools": {"timeouts": {"add": [1]}}}, f"tools.timeouts.add {RULE} [1]"),
        ({"tools": {"timeouts": 3}}, "tools.timeouts must be a mapping of names to seconds, got 3"),
        (
            {"plugins": {"timeouts": {"lop": 3}}},
            "plugins.timeouts must name plugins that are there, got 'lop' (did you mean 'loop'?)",
        ),
    ],
)
def test_a_bad_limit_is_refused(config: dict[str, Any], text: str) -> None:
    with pytest.raises(PluginError) as caught:
        Runtime(config)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ({"loop.on_message": "long"}, f"slow: timeouts['loop.on_message'] {RULE} 'long'"),
        (7, "slow: timeouts must be a mapping, got 7"),
        (
            {"loop.on_mesage": 3, "look.up": 3, "stop": 3},
            "slow: timeouts must name its hooks, got 'loop.on_mesage' (did you mean "
            "'loop.on_message'?)",
        ),
    ],
)
def test_a_bad_limit_of_a_plugins_own_is_refused(own: Any, text: str) -> None:
    with pytest.raises(PluginError) as caught:
        Runtime(plugins=[hanging("loop.on_message", timeouts=own)])
    assert str(caught.value) == text


async def test_a_limit_of_a_tool_that_is_not_there_is_told_once() -> None:
    runtime = agent(ScriptedLLM(), Tools(), tools={"timeouts": {"ad": 3, "add": 3}})
    await runtime.start()
    tools: Any = runtime.registry.get("tools")
    tools.get_definitions()
    tools.get_definitions()
    told = [text for level, _, text in runtime.logs if level == "warn"]
    assert told == ["tools.timeouts must name tools, got 'ad' (did you mean 'add'?)"]


@pytest.mark.parametrize("hook", [hangs, ignores])
async def test_an_agent_that_is_to_end_waits_for_no_hook(
    monkeypatch: pytest.MonkeyPatch, hook: Any
) -> None:
    monkeypatch.setattr(live_loop, "GRACE_S", 0.01)
    monkeypatch.setattr("prefrontal.plugin.waiting.GRACE_S", 0.01)
    asked = asyncio.Event()

    async def begins(self: Plugin, ctx: Any) -> None:
        asked.set()
        await hook(self, ctx)

    source = plugin_class("source", {"session.poll_messages": lambda self: [message()]})()
    none: Any = {"plugins": {"hook_timeout_seconds": 0}}
    runtime = agent(ScriptedLLM(), source, hanging("loop.on_message", hook=begins), **none)
    async with running(runtime) as task:
        await asked.wait()
        os.kill(os.getpid(), signal.SIGINT)
        assert await task == signal.SIGINT


async def test_a_plugin_that_hangs_while_it_stops_does_not_keep_the_others_from_it() -> None:
    clock, stopped = ManualClock(), []
    slow: Any = plugin_class("slow", priority=60)()
    slow.stop = lambda: hangs(slow)
    first: Any = plugin_class("first")()
    first.stop = lambda: stopped.append("first")
    runtime = agent(ScriptedLLM(), first, slow, clock=clock)
    await runtime.start()
    await passing(clock, asyncio.create_task(runtime.stop()), HOOK_S)
    assert stopped == ["first"]
    assert limits(runtime) == ["slow: Stop failed: no end within 30 s"]


@pytest.mark.parametrize("start", [hangs, ignores])
async def test_a_signal_ends_an_agent_whose_plugin_hangs_while_it_starts(
    monkeypatch: pytest.MonkeyPatch, start: Any
) -> None:
    monkeypatch.setattr("prefrontal.plugin.waiting.GRACE_S", 0.01)
    monkeypatch.setattr(signals, "GRACE_S", 0.01)
    stopped: list[str] = []
    asked = asyncio.Event()

    async def begins() -> None:
        asked.set()
        await start(slow)

    slow: Any = plugin_class("slow", priority=60)()
    slow.start = begins
    first: Any = plugin_class("first")()
    first.stop = lambda: stopped.append("first")
    runtime = agent(ScriptedLLM(), first, slow)
    async with running(runtime) as task:
        await asked.wait()
        os.kill(os.getpid(), signal.SIGINT)
        assert await task == signal.SIGINT
    assert stopped == ["first"]


async def test_a_start_has_a_limit_only_where_the_plugin_has_one() -> None:
    clock = ManualClock()
    slow: Any = plugin_class("slow", timeouts={"start": 300})()
    slow.start = lambda: hangs(slow)
    started = asyncio.create_task(agent(ScriptedLLM(), slow, clock=clock).start())
    for _ in range(299):
        await asyncio.sleep(0)
        clock.advance(1)
    assert not started.done()
    with pytest.raises(PluginError, match="slow cannot be started: no end within 300 s"):
        await passing(clock, started, 1)


async def test_a_start_without_one_may_take_as_long_as_it_likes() -> None:
    clock, ready = ManualClock(), asyncio.Event()
    slow: Any = plugin_class("slow")()
    slow.start = ready.wait
    runtime = agent(ScriptedLLM(), slow, clock=clock, plugins={"timeouts": {"slow": 3}})
    started = asyncio.create_task(runtime.start())
    for _ in range(20):
        await asyncio.sleep(0)
        clock.advance(1000)
    ready.set()
    await started
    assert runtime.registry.is_started("slow")


def plain_wait(self: Plugin, *ctx: Any) -> None:
    time.sleep(60)


async def blocking_wait(self: Plugin, *ctx: Any) -> None:
    await asyncio.sleep(0)
    time.sleep(60)


@pytest.mark.parametrize("hook", [plain_wait, blocking_wait])
async def test_a_hook_that_blocks_a_running_agent_is_interrupted_at_its_limit(
    monkeypatch: pytest.MonkeyPatch, hook: Any
) -> None:
    monkeypatch.setattr(signals, "LOOK_S", 0.01)
    handled: list[Any] = []
    messages = [[message()]]
    source = plugin_class(
        "source",
        {
            "session.poll_messages": lambda self: messages.pop() if messages else [],
            "session.handled": lambda self, ctx: handled.append(ctx),
        },
    )()
    slow = hanging("loop.on_message", hook=hook, timeouts={"loop.on_message": 0.05})
    model = ScriptedLLM("hello")
    runtime = agent(model, source, slow)
    before = signal.getsignal(signal.SIGALRM)
    async with running(runtime):
        await until(lambda: handled)
    assert len(model.calls) == 1
    assert [line for line in runtime.logs if line[1] == "slow"] == [
        ("error", "slow", "Hook for loop.on_message failed: no end within 0.05 s")
    ]
    assert signal.getsignal(signal.SIGALRM) == before


async def test_a_blocking_hook_does_not_outlive_the_end_of_the_agent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signals, "LOOK_S", 0.01)
    monkeypatch.setattr(signals, "GRACE_S", 0.01)

    signals_left = [signal.SIGTERM]

    def blocks(self: Plugin) -> None:
        if signals_left:
            os.kill(os.getpid(), signals_left.pop())
            time.sleep(60)

    none: Any = {"plugins": {"hook_timeout_seconds": 0}}
    runtime = agent(ScriptedLLM(), hanging("session.poll_messages", hook=blocks), **none)
    async with running(runtime) as task:
        assert await task == signal.SIGTERM
    assert [line for line in runtime.logs if line[1] == "slow"] == [
        ("error", "slow", f"Hook for session.poll_messages failed: {INTERRUPTED}")
    ]


async def test_a_second_signal_interrupts_a_blocking_hook_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signals, "GRACE_S", 1000.0)
    none: Any = {"plugins": {"hook_timeout_seconds": 0}}
    signals_left = [signal.SIGINT, signal.SIGINT]

    def blocks(self: Plugin) -> None:
        while signals_left:
            os.kill(os.getpid(), signals_left.pop())
        time.sleep(60)

    runtime = agent(ScriptedLLM(), hanging("session.poll_messages", hook=blocks), **none)
    async with running(runtime) as task:
        assert await task == signal.SIGINT
    assert any(INTERRUPTED in text for _, _, text in runtime.logs)


async def test_a_hook_that_blocked_everybody_is_named_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(plugin_calls, "monotonic", lambda: now[0])

    def blocks(self: Plugin, ctx: Any) -> int:
        now[0] += ctx["seconds"]
        return 3

    async def calls_it(self: Plugin, ctx: Any) -> Any:
        await asyncio.sleep(0)
        return await registry.call_extension("own.inner", ctx)

    registry = PluginRegistry()
    registry.register(plugin_class("quick", {"own.inner": blocks}))
    registry.register(hanging("own.hook", hook=calls_it))
    assert await registry.call_extension("own.hook", {"seconds": 0.9}) == [[3]]
    assert registry.logs == []
    assert await registry.call_extension("own.hook", {"seconds": 5}) == [[3]]
    assert await registry.call_extension("own.hook", {"seconds": 45}) == [[3]]
    advice = "what blocks belongs into a thread (await asyncio.to_thread(...))"
    assert registry.logs == [
        ("warn", "quick", f"own.inner held up the whole agent for 5.0 s: {advice}"),
        (
            "warn",
            "quick",
            f"own.inner held up the whole agent for 45.0 s, more than its limit of 30 s: {advice}",
        ),
    ]
