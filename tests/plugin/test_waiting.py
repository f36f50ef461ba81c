"""Waiting ends in time, by the machine's clock or by the test's."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.clock import SystemClock
from prefrontal.plugin.waiting import wait_for
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
