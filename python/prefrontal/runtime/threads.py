"""Blocking functions in threads of their own."""

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
    """Run the function in a new daemon thread with a copy of the context; returns its result.

    Does not use the event loop's pool, which hanging calls would exhaust. A cancelled wait
    abandons the thread, which ends with its call.
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
            except RuntimeError:  # closed meanwhile: nothing waits for the result
                return

    name = getattr(function, "__qualname__", "call")
    threading.Thread(target=work, name=f"prefrontal-{name}", daemon=True).start()
    return await answer
