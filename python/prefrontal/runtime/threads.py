"""Plain functions that block, run where they hold up nobody."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


async def in_thread(
    function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs
) -> Result:
    """The function's result, from a thread of its own with a copy of the context.

    Not the event loop's pool: calls that hang would use it up for everybody. A cancelled wait
    abandons the thread, which ends with its call and never keeps the process alive.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Result] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Result | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result: Result | None = None
        failure: BaseException | None = None
        try:
            result = context.run(function, *args, **kwargs)
        except StopIteration as error:  # a future refuses it
            failure = RuntimeError(f"{error!r}")
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            failure = error
        if not loop.is_closed():
            try:
                loop.call_soon_threadsafe(settle, result, failure)
            except RuntimeError:  # closed in between: nobody waits any more
                return

    name = getattr(function, "__qualname__", "call")
    threading.Thread(target=work, name=f"prefrontal-{name}", daemon=True).start()
    return await answer
