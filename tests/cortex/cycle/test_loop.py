"""In a running agent the cortex works by itself, in tasks of its own."""

from __future__ import annotations

import asyncio

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


async def test_an_agent_that_never_started_can_be_stopped() -> None:
    await Agent().cortex.stop()
