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
