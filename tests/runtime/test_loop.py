from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.plugin import LLMResponse, current_message
from prefrontal.runtime.plugins.loop import LoopPlugin
from prefrontal.runtime.sender_order import SenderOrder
from prefrontal.testing import ManualClock, Reply, ScriptedLLM

from .agents import Watcher, agent
from .sample_plugins import message, plugin_class


def polled(*messages: Any) -> Any:
    """A plugin from which these come once."""
    left = [list(messages)]
    return plugin_class(
        "source", {"session.poll_messages": lambda self: left.pop() if left else []}
    )()


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_messages_of_one_poll_are_handled_side_by_side() -> None:
    clock = ManualClock()
    model = ScriptedLLM(delay=10, clock=clock)
    runtime = agent(model, polled(message(sender="alice"), message(sender="bob")), clock=clock)
    await runtime.start()
    ticking = asyncio.create_task(runtime.tick())
    await settle()
    assert model.running == 2
    clock.advance(10)
    await ticking
    assert len(runtime.sent) == 2


async def test_messages_of_one_sender_are_answered_in_their_order_knowing_each_other() -> None:
    clock = ManualClock()
    model = ScriptedLLM(
        [Reply("slow", delay=10), Reply("quick")],
        clock=clock,
    )
    first, second = message("one", number=1), message("two", number=2)
    runtime = agent(model, polled(first, second), clock=clock)
    await runtime.start()
    ticking = asyncio.create_task(runtime.tick())
    await settle()
    assert model.most_running == 1
    clock.advance(10)
    await ticking
    assert [each.content for each in runtime.sent] == ["slow", "quick"]
    assert [each["content"] for each in model.calls[1].messages[1:]] == ["one", "slow", "two"]


async def test_each_task_knows_its_own_message_while_they_run_side_by_side() -> None:
    seen: dict[str, str] = {}

    class Model:
        async def chat(self, messages: Any, **options: Any) -> LLMResponse:
            await asyncio.sleep(0)
            current = current_message.get()
            assert current is not None
            seen[messages[-1]["content"]] = current.sender_id
            return LLMResponse("ok")

    senders = [f"peer{n}" for n in range(20)]
    runtime = agent(Model(), polled(*(message(f"I am {s}", s) for s in senders)))
    await runtime.start()
    await runtime.tick()
    assert seen == {f"I am {sender}": sender for sender in senders}


async def test_what_is_no_list_of_messages_is_ignored() -> None:
    odd = plugin_class("odd", {"session.poll_messages": lambda self: "a message"})()
    runtime = agent(ScriptedLLM(), odd, polled("not a message", message()))
    await runtime.start()
    await runtime.tick()
    assert len(runtime.sent) == 1


async def test_a_source_that_fails_is_reported_and_the_others_are_heard() -> None:
    def broken(self: Any) -> Any:
        raise OSError("no network")

    watcher = Watcher()
    source = plugin_class("broken", {"session.poll_messages": broken}, priority=1)()
    runtime = agent(ScriptedLLM(), watcher, source, polled(message()))
    await runtime.start()
    await runtime.tick()
    assert len(runtime.sent) == 1
    told = watcher.ctx("on_error")
    assert told["hook"] == "poll"
    assert isinstance(told["error"], OSError)


async def test_a_message_that_cannot_be_handled_at_all_does_not_cost_the_others() -> None:
    class Wild(LoopPlugin):
        def _turn(self, message: Any) -> Any:
            if message.sender_id == "mallory":
                raise RuntimeError("no turn for mallory")
            return super()._turn(message)

    runtime = agent(ScriptedLLM(), Wild(), polled(message(sender="mallory"), message()))
    await runtime.start()
    await runtime.tick()
    assert len(runtime.sent) == 1
    assert any("no turn for mallory" in line[2] for line in runtime.logs)


@pytest.mark.parametrize("dropped", [False, True])
async def test_every_message_is_told_to_be_handled_with_its_answer_or_none(dropped: bool) -> None:
    told: list[Any] = []
    listener = plugin_class("p", {"session.handled": lambda self, ctx: told.append(ctx)})()
    watcher = Watcher({"on_message": {"abort": dropped}})
    runtime = agent(ScriptedLLM(["fine"]), listener, watcher)
    await runtime.start()
    for _ in range(2):
        await runtime.receive(message())
    assert [ctx["message"].sender_id for ctx in told] == ["alice", "alice"]
    assert [ctx["reply"] is None for ctx in told] == [dropped, True]


async def test_nobody_is_remembered_once_it_was_everybodys_turn() -> None:
    order = SenderOrder()
    diary: list[str] = []

    async def take(sender: str, number: int) -> None:
        async with order.turn_of(message(sender=sender, number=number)):
            diary.append(f"{sender} {number} in")
            await asyncio.sleep(0)
            diary.append(f"{sender} {number} out")

    async with asyncio.TaskGroup() as group:
        for sender, number in (("a", 1), ("a", 2), ("b", 1)):
            group.create_task(take(sender, number))
    alone = [each for each in diary if each.startswith("a")]
    assert alone == ["a 1 in", "a 1 out", "a 2 in", "a 2 out"]
    assert diary.index("b 1 in") < diary.index("a 1 out")
    assert len(order) == 0
