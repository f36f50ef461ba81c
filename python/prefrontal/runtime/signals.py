"""SIGINT and SIGTERM end a running agent."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .live_loop import LiveLoop


@contextmanager
def stopped_by_signals(live: LiveLoop, numbers: list[int]) -> Iterator[None]:
    """Stop the loop at the first signal, cancel this task at the second; appends to `numbers`.

    Works only in the main thread of a Unix process; elsewhere does nothing.
    """
    running = asyncio.get_running_loop()
    task = asyncio.current_task()

    def stop(number: int) -> None:
        numbers.append(number)
        if len(numbers) > 1 and task is not None:
            task.cancel()
        live.stop()

    handled: list[signal.Signals] = []
    for each in (signal.SIGINT, signal.SIGTERM):
        try:
            running.add_signal_handler(each, stop, int(each))
        except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or Windows
            continue
        handled.append(each)
    try:
        yield
    finally:
        for each in handled:
            running.remove_signal_handler(each)
