"""Waiting with a limit that a test's clock can pass, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from ..clock import Clock

Result = TypeVar("Result")


@runtime_checkable
class Adjustable(Protocol):
    """A clock that is moved by hand and tells when it was."""

    def subscribe(self, moved: Callable[[], None]) -> Callable[[], None]:
        """Call `moved` after each move; returns what ends that."""
        ...


async def wait_for(awaitable: Awaitable[Result], seconds: float, clock: Clock) -> Result:
    """The result, or TimeoutError when `seconds` have passed really or on `clock`.

    What is waited for is then cancelled; a result of what goes on nevertheless comes too late.
    """
    deadline = clock.monotonic() + seconds
    task = asyncio.current_task()
    cancels = task.cancelling() if task is not None else 0
    async with asyncio.timeout(seconds) as limit:

        def moved() -> None:
            if clock.monotonic() >= deadline and not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time())

        end = clock.subscribe(moved) if isinstance(clock, Adjustable) else None
        try:
            result = await awaitable
        finally:
            if end is not None:
                end()
    if limit.expired():
        raise TimeoutError
    if task is not None and task.cancelling() > cancels:
        raise asyncio.CancelledError
    return result
