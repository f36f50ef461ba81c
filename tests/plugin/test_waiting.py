"""Waiting ends in time, by the machine's clock or by the test's."""

from __future__ import annotations

import asyncio
from math import inf
from typing import Any

import pytest

from prefrontal.clock import SystemClock
from prefrontal.plugin.waiting import GRACE_S, TimeLimitError, wait_for
from prefrontal.testing import ManualClock


async def forever() -> str:
    await asyncio.get_running_loop().create_future()
    return "never"


async def soon() -> str:
    await asyncio.sleep(0)
    return "here"


async def test_what_comes_in_time_is_the_answer() -> None:
    assert await wait_for(soon(), 5.0, SystemClock()) == "here"
    assert await wait_for(soon(), 5.0, ManualClock()) == "here"


async def test_a_clock_moved_past_the_limit_ends_the_wait() -> None:
    clock = ManualClock()
    waiting = asyncio.create_task(wait_for(forever(), 60.0, clock))
    await asyncio.sleep(0)
    clock.advance(59.0)
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.advance(1.0)
    with pytest.raises(TimeoutError):
        await waiting


async def test_a_wall_clock_that_jumps_ends_no_wait() -> None:
    clock = ManualClock()
    waiting = asyncio.create_task(wait_for(forever(), 60.0, clock))
    await asyncio.sleep(0)
    clock.jump(3600.0)
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_real_time_ends_the_wait_too() -> None:
    with pytest.raises(TimeoutError):
        await wait_for(forever(), 0.01, ManualClock())


async def test_nothing_listens_to_the_clock_afterwards() -> None:
    clock = ManualClock()
    await wait_for(soon(), 5.0, clock)
    assert clock._told == []


async def stubborn(clock: ManualClock) -> str:
    """Goes on when it is cancelled, while the clock moves on, too."""
    try:
        return await forever()
    except asyncio.CancelledError:
        clock.advance(1.0)
        return "late"


async def test_who_goes_on_after_the_limit_comes_too_late() -> None:
    clock = ManualClock()
    waiting = asyncio.create_task(wait_for(stubborn(clock), 60.0, clock))
    await asyncio.sleep(0)
    clock.advance(60.0)
    with pytest.raises(TimeoutError):
        await waiting


async def test_who_goes_on_although_the_wait_was_cancelled_comes_too_late() -> None:
    waiting = asyncio.create_task(wait_for(stubborn(ManualClock()), 60.0, ManualClock()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_wait_after_a_cancellation_has_its_result() -> None:
    async def cleaning() -> str:
        try:
            return await forever()
        except asyncio.CancelledError:
            return await wait_for(soon(), 5.0, ManualClock())

    task = asyncio.create_task(cleaning())
    await asyncio.sleep(0)
    task.cancel()
    assert await task == "here"


async def deaf(ears: asyncio.Event | None = None) -> None:
    """Ignores every cancellation, as long as it has no ears."""
    while ears is None or not ears.is_set():
        try:
            await forever()
        except asyncio.CancelledError:
            continue


async def deaf_in_a_task(ears: asyncio.Event) -> None:
    await asyncio.create_task(deaf(ears))


async def deaf_without_a_future(_: object) -> None:
    while True:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            continue


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("stubborn_one", [deaf, deaf_in_a_task, deaf_without_a_future])
async def test_who_ignores_its_cancellation_is_abandoned(stubborn_one: Any) -> None:
    clock = ManualClock()
    ears, before = asyncio.Event(), asyncio.all_tasks()
    waiting = asyncio.create_task(wait_for(stubborn_one(ears), 60.0, clock))
    await settle()
    clock.advance(60.0)
    await settle()
    assert not waiting.done()
    clock.advance(GRACE_S)
    with pytest.raises(TimeLimitError, match="no end within 60 s, nor when it was cancelled"):
        await asyncio.wait_for(waiting, 30.0)
    left = asyncio.all_tasks() - before
    assert len(left) == (stubborn_one is deaf_in_a_task)  # a task of its own cannot be ended
    ears.set()
    for task in left:
        task.cancel()
    await settle()


async def test_who_ignores_a_cancellation_from_outside_is_abandoned_without_a_limit_too() -> None:
    clock = ManualClock()
    waiting = asyncio.create_task(wait_for(wait_for(deaf(), inf, clock), inf, clock))
    await settle()
    waiting.cancel()
    await settle()
    assert not waiting.done()
    clock.advance(GRACE_S)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, 30.0)


async def test_a_timeout_inside_takes_back_its_cancellation_and_costs_nothing() -> None:
    clock = ManualClock()

    async def patient() -> str:
        try:
            async with asyncio.timeout(0):
                await forever()
        except TimeoutError:
            clock.advance(GRACE_S)
            await settle()
        return "here"

    assert await wait_for(patient(), 60.0, clock) == "here"


@pytest.mark.parametrize("in_a_task", [False, True])
async def test_what_has_a_limit_of_its_own_inside_does_not_count(in_a_task: bool) -> None:
    clock, inside = ManualClock(), asyncio.Event()

    async def outer() -> None:
        inner = wait_for(inside.wait(), 1000.0, clock)
        await (asyncio.create_task(inner) if in_a_task else inner)
        await forever()

    waiting = asyncio.create_task(wait_for(outer(), 60.0, clock))
    await settle()
    clock.advance(900.0)
    await settle()
    inside.set()
    await settle()
    clock.advance(59.0)
    await settle()
    assert not waiting.done()
    clock.advance(1.0)
    with pytest.raises(TimeLimitError):
        await waiting


async def test_the_one_inside_whose_time_is_over_first_is_named() -> None:
    clock = ManualClock()

    async def outer() -> str:
        try:
            return await wait_for(forever(), 60.0, clock)
        except TimeLimitError as error:
            return str(error)

    waiting = asyncio.create_task(wait_for(outer(), 60.0, clock))
    await settle()
    clock.advance(60.0)
    assert await waiting == "no end within 60 s"


async def test_what_raises_instead_of_ending_at_its_limit_is_the_limits_cause() -> None:
    async def raising() -> None:
        try:
            await forever()
        finally:
            raise ValueError("on the way out")

    clock = ManualClock()
    waiting = asyncio.create_task(wait_for(raising(), 60.0, clock))
    await settle()
    clock.advance(60.0)
    with pytest.raises(TimeLimitError) as caught:
        await waiting
    assert isinstance(caught.value.__cause__, ValueError)
