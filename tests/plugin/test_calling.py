from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.errors import PrefrontalError
from prefrontal.plugin.calling import called


async def test_plain_and_async_functions_give_their_value() -> None:
    async def slow(value: int) -> int:
        return value

    assert await called(slow, 1) == 1
    assert await called(lambda value: value, 2) == 2


@pytest.mark.parametrize("at_once", [True, False])
async def test_who_tries_to_end_the_agent_has_failed(at_once: bool) -> None:
    def plain() -> Any:
        raise SystemExit(3)

    async def slow() -> None:
        plain()

    with pytest.raises(PrefrontalError, match="tried to end the agent, with status 3"):
        await called(plain if at_once else slow)


async def test_a_cancellation_of_its_own_is_a_failure_and_one_of_ours_goes_on() -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(PrefrontalError, match="cancelled"):
        await called(cancelled)
    task = asyncio.create_task(called(asyncio.sleep, 60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
