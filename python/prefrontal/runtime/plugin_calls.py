"""Calls what plugins provide, each within its time, and knows what runs in the loop's thread."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable, Coroutine, Mapping
from time import monotonic
from types import CoroutineType
from typing import Any

from ..clock import Clock
from ..errors import PrefrontalError
from ..plugin import Plugin
from ..plugin.calling import cancelled, ending
from ..plugin.waiting import TimeLimit, TimeLimitError, is_cancelled, stepped
from .time_limits import TimeLimits

SLOW_S = 1.0
"""From here on a call that keeps everybody waiting is reported."""
Who = tuple[str, str, float]
"""Plugin id, hook or tool, and its limit in seconds."""
Log = Callable[[str, str, str, Mapping[str, Any]], object]
"""Called with level, plugin id, message and more fields of the line."""


Stretch = tuple[str, str, float, float]
"""Plugin id, hook or tool, its limit and when it began, both in seconds."""


class InterruptedCallError(PrefrontalError):
    """A hook or tool blocked an agent that is to end."""

    def __init__(self) -> None:
        super().__init__("interrupted, since the agent is to end")


class PluginCalls:
    """Calls hooks and tools. limits: replaced when the registry is configured.

    now: what runs in the loop's thread at this moment. Nothing else happens until it waits or ends,
    and no limit can cancel it; `signals` interrupts it where that is possible.
    """

    def __init__(self, clock: Clock, log: Log) -> None:
        self.limits = TimeLimits()
        self.now: Stretch | None = None
        self._clock = clock
        self._log = log

    def hook(
        self, plugin: Plugin, point: str, function: Callable[..., Any], *arguments: Any
    ) -> Coroutine[Any, Any, Any]:
        """What a hook gives. Raises what it raises, and TimeLimitError."""
        seconds = self.limits.of_hook(plugin, point)
        return self._call((plugin.meta.id, point, seconds), function, arguments)

    async def tool(self, provider: Any, name: str, args: Any) -> str:
        """What a tool gives, as text. Raises what it raises, and TimeLimitError."""
        who = (provider.meta.id, f"tool {name}", self.limits.of_tool(provider, name))
        return str(await self._call(who, provider.execute, (name, args)))

    async def _call(
        self, who: Who, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        """As `plugin.calling.called`, in one step where nothing has to be waited for."""
        limit = TimeLimit(who[2], self._clock)
        try:
            before = self.now
            self.now = (*who, monotonic())
            try:
                value = function(*arguments)
                if type(value) is not CoroutineType and not inspect.isawaitable(value):
                    return value
                steps = stepped(value)
                try:
                    awaited = steps.send(None)
                except StopIteration as end:
                    return end.value
            finally:
                began, self.now = self.now[3], before  # later where something inside was slow
                if monotonic() - began > SLOW_S:
                    self._report(who, began)
            return await limit.drive(_NotedSteps(self, steps, who), awaited)
        except SystemExit as error:
            raise ending(error) from error
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            raise cancelled() from error
        finally:
            limit.leave()

    def step(self, who: Who, run: Callable[[Any], Any], value: Any) -> Any:
        """One more step of a coroutine."""
        before = self.now
        self.now = (*who, monotonic())
        try:
            return run(value)
        finally:
            began, self.now = self.now[3], before
            if monotonic() - began > SLOW_S:
                self._report(who, began)

    def _report(self, who: Who, began: float) -> None:
        now = monotonic()
        plugin_id, what, seconds = who
        if self.now is not None:  # what it took is not its caller's
            self.now = (*self.now[:3], now)
        if isinstance(sys.exception(), TimeLimitError | InterruptedCallError):  # that says it
            return
        late = f", more than its limit of {seconds:g} s" if now - began > seconds else ""
        advice = "what blocks belongs into a thread (await asyncio.to_thread(...))"
        text = f"{what} held up the whole agent for {now - began:.1f} s{late}: {advice}"
        self._log("warn", plugin_id, text, {})


class _NotedSteps:
    """The steps of a coroutine, each noted as what runs now."""

    def __init__(self, calls: PluginCalls, steps: Coroutine[Any, Any, Any], who: Who) -> None:
        self._calls = calls
        self._steps = steps
        self._who = who

    def send(self, value: Any) -> Any:
        return self._calls.step(self._who, self._steps.send, value)

    def throw(self, error: BaseException) -> Any:
        return self._calls.step(self._who, self._steps.throw, error)

    def close(self) -> None:
        self._steps.close()
