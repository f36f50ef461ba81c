"""In a running agent the cortex works by itself, in tasks of its own."""

from __future__ import annotations

import asyncio

from prefrontal.plugin import Plugin, PluginMeta
from prefrontal.testing import Reply

from ..reflecting import Agent, assessed, believed, reply, until


def running(agent: Agent) -> Agent:
    agent.runtime.registry.background = True
    return agent


async def test_the_fifth_message_starts_a_reflection_without_a_tick() -> None:
    async with running(Agent(reply(assessed(), beliefs=[believed()]))) as agent:
        for _ in range(4):
            await agent.hear()
        assert agent.subagent.calls == []
        await agent.hear()
        await until(lambda: bool(agent.payloads("cortex.after_reflect")))
        assert agent.trusts() == [2]
        assert len(agent.subagent.calls) == 1


async def test_the_timer_fires_by_itself() -> None:
    async with running(Agent(reply(), schedule_minutes=0.001, triggers=["timer"])) as agent:
        await agent.hear()
        agent.clock.advance(1)
        agent.cortex.wake()
        await until(lambda: bool(agent.subagent.calls))


async def test_messages_are_answered_while_it_reflects_and_make_no_second_cycle() -> None:
    async with running(Agent(Reply(reply(), hangs=True))) as agent:
        for _ in range(5):
            await agent.hear()
        await until(lambda: agent.subagent.running == 1)
        for _ in range(6):
            await agent.hear("bob")
        agent.cortex.memory.triggers.ask()
        agent.cortex.wake()
        skipped = "Trigger skipped: reflection already in progress"
        await until(lambda: skipped in agent.logged("debug"))
        assert len(agent.llm.calls) == 11
        assert len(agent.subagent.calls) == 1


async def test_stopping_leaves_no_task_behind() -> None:
    agent = running(Agent(Reply(reply(), hangs=True)))
    await agent.runtime.start()
    for _ in range(5):
        await agent.hear()
    await until(lambda: agent.subagent.running == 1)
    await agent.runtime.stop()
    assert agent.subagent.running == 0
    left = {task.get_name() for task in asyncio.all_tasks()}
    assert not {name for name in left if name.startswith("cortex")}


class SlowMemory(Plugin):
    """Does not come to an end of storing while it is slow."""

    meta = PluginMeta(id="slow", version="1", implements={"memory.store": "store"})
    is_slow, is_storing = False, False

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def store(self, ctx: object) -> None:
        if self.is_slow:
            self.is_storing = True
            await asyncio.Event().wait()


async def test_a_reflection_that_is_stopped_before_it_began_is_counted() -> None:
    disk = SlowMemory()
    agent = running(Agent(reply(), plugins=[disk]))
    await agent.runtime.start()
    for _ in range(4):
        await agent.hear()
    disk.is_slow = True
    await agent.hear()
    await until(lambda: disk.is_storing)
    disk.is_slow = False
    await agent.cortex.stop()
    memory = agent.cortex.memory
    assert (memory.state.cycle, memory.state.skips) == (1, {"stopped": 1})
    assert [each.status for each in memory.history] == ["stopped"]
    assert agent.subagent.calls == []
    await agent.runtime.stop()


async def test_an_agent_that_never_started_can_be_stopped() -> None:
    await Agent().cortex.stop()
