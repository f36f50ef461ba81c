"""SIGINT and SIGTERM end a running agent, and what blocks its loop for too long is interrupted."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..plugin.waiting import TimeLimitError
from .live_loop import GRACE_S
from .plugin_calls import InterruptedCallError

if TYPE_CHECKING:
    from .live_loop import LiveLoop
    from .plugin_calls import PluginCalls

LOOK_S = 0.5
"""How often to look whether something blocks the loop."""
Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def stopped_by_signals(  # noqa: C901 - one state, three ways in
    live: LiveLoop, numbers: list[int], calls: PluginCalls
) -> Iterator[None]:
    """Stop the loop at the first signal, cancel this task at the second; appends to `numbers`.

    A loop that does not run yet has `GRACE_S` to start, then this task is cancelled.
    A hook or tool that blocks the loop's thread beyond its limit, `GRACE_S` after the first signal,
    or at the second, gets an exception. Code that never returns to Python cannot be interrupted.
    Does nothing outside of the main thread; on Windows no limit is watched.
    """
    task = asyncio.current_task()
    running = asyncio.get_running_loop()
    stopping: list[float] = []

    def give_up() -> None:
        if task is not None and not live.is_running and not task.done() and not task.cancelling():
            task.cancel()

    def stop(number: int, frame: FrameType | None) -> None:
        numbers.append(number)
        stopping.append(monotonic())
        if task is not None and len(numbers) > 1 and not task.cancelling():
            task.cancel()
        elif len(numbers) == 1 and not live.is_running:
            running.call_soon_threadsafe(running.call_later, GRACE_S, give_up)
        live.stop()  # wakes the loop, too
        if len(numbers) > 1 and calls.now is not None:
            raise InterruptedCallError()

    def is_over() -> bool:
        stretch = calls.now
        if stretch is None:
            return False
        _, _, seconds, began = stretch
        return monotonic() > min([began + seconds, *(each + GRACE_S for each in stopping[:1])])

    def interrupt(number: int, frame: FrameType | None) -> None:
        if is_over() and (stretch := calls.now) is not None:
            if stopping:
                raise InterruptedCallError
            raise TimeLimitError(stretch[2], abandoned=False)

    with _handled({signal.SIGINT: stop, signal.SIGTERM: stop}), _watched(is_over, interrupt):
        yield


def is_cancelled_by(numbers: list[int], live: LiveLoop) -> bool:
    """Whether these signals cancel the agent's task, beyond stopping its loop."""
    return len(numbers) > (1 if live.is_running else 0)


@contextmanager
def _handled(handlers: dict[signal.Signals, Handler]) -> Iterator[bool]:
    """Handle signals in the main thread, whatever it does; yields whether that is possible."""
    before: dict[signal.Signals, Any] = {}
    for number, handler in handlers.items():
        with suppress(ValueError):  # not the main thread
            before[number] = signal.signal(number, handler)
    try:
        yield bool(before)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _watched(is_over: Callable[[], bool], interrupt: Handler) -> Iterator[None]:
    """Call `interrupt` in the main thread as long as `is_over`, from time to time."""
    alarm: Any = getattr(signal, "SIGALRM", None)  # Windows has none
    if alarm is None or signal.getsignal(alarm) != signal.SIG_DFL:  # it is another's
        yield
        return
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_S):
            if is_over():
                signal.pthread_kill(main, alarm)

    with _handled({alarm: interrupt}) as possible:
        main = threading.get_ident()
        thread = threading.Thread(target=look, name="prefrontal-watchdog", daemon=True)
        if possible:
            thread.start()
        try:
            yield
        finally:
            ended.set()
            if possible:
                thread.join()
