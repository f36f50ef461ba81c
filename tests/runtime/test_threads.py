from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from typing import Any

import pytest

from prefrontal.runtime.threads import in_thread

colour: ContextVar[str] = ContextVar("colour", default="none")


async def test_the_result_comes_from_another_thread() -> None:
    assert await in_thread(threading.get_ident) != threading.get_ident()


async def test_what_the_function_raises_is_raised() -> None:
    def broken() -> None:
        raise KeyError("no")

    with pytest.raises(KeyError):
        await in_thread(broken)


async def test_the_end_of_an_iterator_is_an_error_like_any_other() -> None:
    empty: Any = iter(())
    with pytest.raises(RuntimeError, match="StopIteration"):
        await in_thread(next, empty)


async def test_the_function_sees_the_context_of_its_caller_and_cannot_change_it() -> None:
    colour.set("red")

    def look() -> str:
        seen = colour.get()
        colour.set("blue")
        return seen

    assert await in_thread(look) == "red"
    assert colour.get() == "red"


async def test_calls_that_hang_hold_up_nobody_else() -> None:
    release = threading.Event()
    hanging = [asyncio.create_task(in_thread(release.wait, 20)) for _ in range(40)]
    assert await in_thread(lambda: "through") == "through"
    release.set()
    assert await asyncio.gather(*hanging) == [True] * 40


async def test_a_wait_that_is_cancelled_ends_at_once() -> None:
    release = threading.Event()
    waiting = asyncio.create_task(in_thread(release.wait, 20))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    release.set()


def test_a_thread_that_outlives_its_event_loop_is_no_error() -> None:
    release, ended = threading.Event(), threading.Event()

    def work() -> None:
        release.wait(20)
        ended.set()

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(work), 0.01)

    asyncio.run(main())
    release.set()
    assert ended.wait(20)
