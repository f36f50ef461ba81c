from __future__ import annotations

from prefrontal.runtime.seen_messages import SeenMessages
from prefrontal.testing import ManualClock

from .agents import agent
from .sample_plugins import message


def test_a_message_is_new_once() -> None:
    seen = SeenMessages(ManualClock())
    assert seen.add("a")
    assert not seen.add("a")
    assert seen.add("b")


def test_after_an_hour_it_is_new_again_and_not_before() -> None:
    clock = ManualClock()
    seen = SeenMessages(clock)
    seen.add("a")
    clock.advance(3599.9)
    assert not seen.add("a")
    clock.advance(0.2)
    assert seen.add("a")


def test_a_jump_of_the_wall_clock_forgets_nothing() -> None:
    clock = ManualClock()
    seen = SeenMessages(clock)
    seen.add("a")
    clock.jump(1e6)
    assert not seen.add("a")


def test_past_a_thousand_the_newest_five_hundred_stay() -> None:
    seen = SeenMessages(ManualClock())
    for n in range(1000):
        seen.add(str(n))
    assert len(seen) == 1000
    seen.add("1000")
    assert len(seen) == 500
    assert not seen.add("501")
    assert seen.add("500")


async def test_a_message_delivered_twice_is_answered_once() -> None:
    from prefrontal.testing import ScriptedLLM

    model = ScriptedLLM()
    runtime = agent(model)
    await runtime.start()
    assert await runtime.receive(message()) is not None
    assert await runtime.receive(message("the same id")) is None
    assert await runtime.receive(message(channel_id="elsewhere")) is not None
    assert len(model.calls) == 2
