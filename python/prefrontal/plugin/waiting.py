"""Waiting with a limit that a test's clock can pass, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from contextvars import ContextVar
from math import inf
from types import CoroutineType, coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

if TYPE_CHECKING:
    from ..clock import Clock

Result = TypeVar("Result")
GRACE_S = 2.0
"""How long what was cancelled may take to end; then it is abandoned."""


@runtime_checkable
class Adjustable(Protocol):
    """A clock that is moved by hand and tells when it was."""

    def subscribe(self, moved: Callable[[], None]) -> Callable[[], None]:
        """Call `moved` after each move; returns what ends that."""
        ...


class TimeLimitError(TimeoutError):
    """What was waited for did not end in `seconds`. abandoned: nor after its cancellation."""

    def __init__(self, seconds: float, abandoned: bool) -> None:
        self.seconds, self.abandoned = seconds, abandoned
        rest = ", nor when it was cancelled: abandoned" if abandoned else ""
        super().__init__(f"no end within {seconds:g} s{rest}")


async def wait_for(awaitable: Awaitable[Result], seconds: float, clock: Clock) -> Result:
    """The result, or TimeLimitError when `seconds` have passed really or on `clock`.

    What is waited for is then cancelled; a result of what goes on nevertheless comes too late.
    Whatever ignores a cancellation, also one from outside, is abandoned after `GRACE_S`. A
    `wait_for` inside has its own limit: its time does not count. seconds: inf for no limit.
    """
    return cast("Result", await _within(stepped(awaitable), TimeLimit(seconds, clock)))


def stepped(awaitable: Awaitable[Result]) -> Coroutine[Any, Any, Result]:
    """The awaitable as a coroutine."""
    return awaitable if type(awaitable) is CoroutineType else _awaited(awaitable)


async def _awaited(awaitable: Awaitable[Result]) -> Result:
    return await awaitable


class Steps(Protocol):
    """What runs step by step, as a coroutine."""

    def send(self, value: Any, /) -> Any: ...
    def throw(self, error: BaseException, /) -> Any: ...
    def close(self) -> None: ...


@coroutine
def _within(steps: Steps, limit: TimeLimit) -> Generator[Any, None, Any]:
    try:
        try:
            first = steps.send(None)
        except StopIteration as end:
            return end.value
        return (yield from limit.drive(steps, first))
    finally:
        limit.leave()


def is_cancelled() -> bool:
    """Whether the current task was cancelled, or a limit that holds in it has passed."""
    task = asyncio.current_task()
    if task is None or task.cancelling():
        return True
    limit = _innermost.get()
    while limit is not None and not limit.passed:
        limit = limit.outer
    return limit is not None


class _AbandonedError(BaseException):
    """What was cancelled has not ended in time."""


class TimeLimit:
    """The time that is left to a coroutine, which runs step by step in the task of its caller.

    Made before the first step, which may end it; then `drive` takes the others; `leave` at the end.
    A task of its own would cost more than most hooks take, and could not be abandoned. The caller's
    task waits for a `gate` of ours instead of what the coroutine waits for, so that a time that is
    over wakes it whatever that does. What waits inside with a limit of its own pauses it.
    """

    passed = False
    _abandoned = _interrupts = _ended = False
    _inner = 0
    _loop: asyncio.AbstractEventLoop | None = None
    _gate: asyncio.Future[None] | None = None
    _timer: asyncio.TimerHandle | None = None
    _grace: asyncio.TimerHandle | None = None
    _grace_ends = inf

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self.outer = _innermost.get()
        self._token = _innermost.set(self)

    def leave(self) -> None:
        """Let what follows pause it no more."""
        try:  # noqa: SIM105 - `suppress` costs as much as all the rest
            _innermost.reset(self._token)
        except ValueError:  # closed by the garbage collector, in another context
            pass

    @coroutine
    def drive(self, steps: Steps, awaited: Any) -> Generator[Any, None, Any]:
        """Run a coroutine, which waits for `awaited` now, to its end or that of its time."""
        self._begin()
        try:
            while True:
                error = yield from self._wait(awaited)
                awaited = steps.send(None) if error is None else steps.throw(error)
        except StopIteration as end:
            self._check()
            return end.value
        except _AbandonedError:
            _close(steps)
            self._check()
            raise asyncio.CancelledError from None
        except (Exception, asyncio.CancelledError) as error:
            if self.passed:
                self._check(error)
            raise
        finally:
            self._end()
            _close(steps)

    def pause(self) -> None:
        """Stop counting: something inside waits with a limit of its own."""
        self._inner += 1
        if self._inner == 1 and self._loop is not None:
            real, clock = self._since
            self._left -= self._loop.time() - real
            self._left_clock -= self._clock.monotonic() - clock
            if self._timer is not None:
                self._timer.cancel()

    def resume(self) -> None:
        """Count again."""
        self._inner -= 1
        if self._loop is not None and not self._ended:
            self._count()

    def _begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._cancels = self._task.cancelling() if self._task is not None else 0
        self._left = self._left_clock = self._seconds
        if self.outer is not None:
            self.outer.pause()
        self._unsubscribe: Callable[[], None] | None = None
        if isinstance(self._clock, Adjustable):
            self._unsubscribe = self._clock.subscribe(self._moved)
        self._count()

    def _count(self) -> None:
        if self._inner or self.passed or self._loop is None:
            return
        self._since = self._loop.time(), self._clock.monotonic()
        if self._left < inf:
            self._timer = self._loop.call_later(max(0.0, self._left), self._pass)

    def _end(self) -> None:
        self._ended = True
        for timer in (self._timer, self._grace):
            if timer is not None:
                timer.cancel()
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self.outer is not None:
            self.outer.resume()

    def _moved(self) -> None:
        """The clock was moved by hand."""
        now = self._clock.monotonic()
        if not self._inner and not self.passed and now - self._since[1] >= self._left_clock:
            self._pass()
        elif now >= self._grace_ends:
            self._abandon()

    def _pass(self) -> None:
        """The time is over: cancel what is waited for."""
        self.passed = self._interrupts = True
        self._be_patient()
        self._open()

    def _be_patient(self) -> None:
        """Give what was cancelled some time to end."""
        if self._grace is None and self._loop is not None:
            self._grace = self._loop.call_later(GRACE_S, self._abandon)
            self._grace_ends = self._clock.monotonic() + GRACE_S

    def _abandon(self) -> None:
        self._grace, self._grace_ends = None, inf
        if self.passed or self._is_cancelled:  # a timeout inside takes back its cancellation
            self._abandoned = True
            self._open()

    def _open(self, _: object = None) -> None:
        if self._gate is not None and not self._gate.done():
            self._gate.set_result(None)

    def _wait(self, awaited: Any) -> Generator[Any, None, BaseException | None]:
        """Wait for what the coroutine waits for; returns what it is then to be thrown, if any."""
        while True:
            if self._abandoned:
                raise _AbandonedError
            error: BaseException | None = None
            try:
                yield from self._pass_gate(awaited)
            except asyncio.CancelledError as cancelled:
                self._be_patient()
                error = cancelled
            if self._interrupts:
                self._interrupts = False
                error = error or asyncio.CancelledError()
            if error is None and not self._abandoned:
                return None
            if error is not None and (awaited is None or not awaited.cancel()):
                return error

    def _pass_gate(self, awaited: Any) -> Generator[Any, None, None]:
        if awaited is None:  # as `asyncio.sleep(0)`
            yield
            return
        assert self._loop is not None
        self._gate = self._loop.create_future()
        awaited.add_done_callback(self._open)
        try:
            yield from self._gate
        finally:
            self._gate = None
            awaited.remove_done_callback(self._open)

    @property
    def _is_cancelled(self) -> bool:
        return self._task is not None and self._task.cancelling() > self._cancels

    def _check(self, cause: BaseException | None = None) -> None:
        """Raise unless what was waited for has ended in its time."""
        if self._is_cancelled:
            raise asyncio.CancelledError
        if self.passed:
            raise TimeLimitError(self._seconds, self._abandoned) from cause


def _close(steps: Steps) -> None:
    """End a coroutine that may refuse to."""
    with suppress(Exception):
        steps.close()


_innermost: ContextVar[TimeLimit | None] = ContextVar("_innermost", default=None)
