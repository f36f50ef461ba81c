"""The plugins of one agent: registered, ordered, started, looked up and called."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..clock import Clock, SystemClock
from ..errors import InputError
from ..plugin import Plugin, PluginError
from ..plugin.waiting import TimeLimitError
from . import dispatch
from .event_log import EventLog, Listener
from .load_order import load_order
from .log_lines import Line, LogLines, show
from .plugin_calls import InterruptedCallError, PluginCalls
from .registration import check_hooks, make
from .time_limits import TimeLimits


class PluginRegistry:
    """Plugins by id. They start, and stand in hook chains, in load order.

    background: whether plugins may run tasks of their own; if not, timed work happens in
    `runtime.tick`.
    """

    def __init__(
        self, clock: Clock | None = None, agent_id: str = "agent", *, background: bool = False
    ) -> None:
        self.background = background
        self.on_wake: Callable[[], object] | None = None
        self.on_stop: Callable[[bool], object] | None = None
        self._clock = clock or SystemClock()
        self._agent_id = agent_id
        self._plugins: dict[str, Plugin] = {}
        self._order: list[Plugin] | None = None
        self._implementations: dict[str, list[tuple[str, Plugin, str]]] = {}
        self._started: list[str] = []
        self._stopping = asyncio.Lock()
        self._events = EventLog(agent_id, self._clock)
        self._lines = LogLines()
        self.calls = PluginCalls(self._clock, self.log)

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def agent_id(self) -> str:
        return self._agent_id

    @property
    def events(self) -> list[dict[str, Any]]:
        """The newest envelopes, oldest first."""
        return self._events.kept

    @property
    def logs(self) -> list[Line]:
        """The newest log lines: (level, plugin id, message)."""
        return self._lines.kept

    def register(self, plugin: type[Plugin] | Plugin) -> Plugin:
        """Add a plugin, or the class of one. Raises PluginError naming it and its hook."""
        made = make(plugin)
        if made.meta.id in self._plugins:
            raise PluginError(f"a plugin's id must be unique, got {made.meta.id!r} twice")
        self._plugins[made.meta.id] = made
        self._order = None
        self._implementations.clear()
        return made

    def get(self, plugin_id: str) -> Plugin | None:
        return self._plugins.get(plugin_id)

    def get_by_capability(self, capability: str) -> Plugin | None:
        """The first registered plugin with the capability."""
        return next(iter(self.all_with_capability(capability)), None)

    def all_with_capability(self, capability: str) -> list[Plugin]:
        """Plugins with the capability, in order of registration."""
        return [each for each in self._plugins.values() if capability in each.meta.capabilities]

    def all_plugins(self) -> list[Plugin]:
        """All plugins in load order. Raises PluginError when none exists."""
        if self._order is None:
            order = load_order(plugin.meta for plugin in self._plugins.values())
            self._order = [self._plugins[plugin_id] for plugin_id in order]
        return list(self._order)

    def list_plugins(self) -> list[str]:
        """All ids, in load order."""
        return [plugin.meta.id for plugin in self.all_plugins()]

    def get_implementations(self, point: str) -> list[tuple[str, Plugin, str]]:
        """(id, plugin, method) of each implementer of the hook, in load order."""
        if point not in self._implementations:
            self._implementations[point] = [
                (plugin.meta.id, plugin, plugin.meta.implements[point])
                for plugin in self.all_plugins()
                if point in plugin.meta.implements
            ]
        return self._implementations[point]

    def is_started(self, plugin_id: str) -> bool:
        return plugin_id in self._started

    def configure_all(self, config: dict[str, Any]) -> None:
        """Hand each the configuration, in load order.

        Raises PluginError naming the plugin that refuses it, or that implements an unknown hook,
        and for time limits that cannot be used.
        """
        check_hooks(self.all_plugins())
        try:
            self.calls.limits = TimeLimits(config)
        except InputError as error:
            raise PluginError(str(error)) from None
        self.calls.limits.check(self._plugins)
        for plugin in self.all_plugins():
            try:
                plugin.configure(config)
            except Exception as error:
                raise PluginError(f"{plugin.meta.id} cannot be configured: {error}") from error

    async def start_all(self) -> None:
        """Start the plugins that are not running; if one fails, stops all again.

        Raises PluginError naming the plugin that failed.
        """
        plugins = self.all_plugins()
        for plugin in plugins:
            plugin._registry = self
        for plugin in plugins:
            if plugin.meta.id in self._started:
                continue
            try:
                await self.calls.hook(plugin, "start", plugin.start)
            except BaseException as error:
                await self.stop_all()
                if not isinstance(error, Exception):
                    raise
                raise PluginError(f"{plugin.meta.id} cannot be started: {error}") from error
            self._started.append(plugin.meta.id)

    async def stop_all(self) -> None:
        """Stop all running plugins in reverse order; logs those that raise.

        A concurrent second call waits for the first.
        """
        async with self._stopping:
            while self._started:
                plugin = self._plugins[self._started[-1]]
                try:
                    await self.calls.hook(plugin, "stop", plugin.stop)
                except Exception as error:  # noqa: BLE001 - the others must stop, too
                    self.log("error", plugin.meta.id, f"Stop failed: {reason(error)}", {})
                self._started.remove(plugin.meta.id)

    async def restart_all(self) -> None:
        """Start all in a new event loop, without a stop in the old one, which is gone."""
        self._started.clear()
        self._stopping = asyncio.Lock()
        await self.start_all()

    async def call_extension(self, point: str, ctx: Any = None) -> list[Any]:
        """Call each implementer; see `plugin.Registry`."""
        return (await self.collect(point, ctx)).results

    async def collect(self, point: str, ctx: Any = None) -> dispatch.Collected:
        """As `call_extension`, with the failures."""
        implementations = self.get_implementations(point)
        return await dispatch.collect(point, implementations, ctx, self.calls.hook, self._failed)

    async def call_extension_chain(self, point: str, ctx: dict[str, Any]) -> dict[str, Any]:
        """Pass ctx along; see `plugin.Registry`."""
        implementations = self.get_implementations(point)
        return await dispatch.chain(point, implementations, ctx, self.calls.hook, self._failed)

    async def emit(
        self, point: str, payload: Mapping[str, Any], correlation_id: str | None = None
    ) -> None:
        """Announce an event; see `plugin.Registry`."""
        for error in self._events.add(point, payload, correlation_id):
            self.log("error", "events", f"A listener of {point} failed: {error!r}", {})
        await self.call_extension(point, dict(payload))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each new envelope; returns a function that ends it."""
        return self._events.subscribe(listener)

    def log(self, level: str, plugin_id: str, message: str, extra: Mapping[str, Any]) -> None:
        """Store a redacted line, and show it by the logging plugin or on stderr."""
        line = self._lines.add(level, plugin_id, message, extra)
        show_line = getattr(self.get_by_capability("logging"), "show_line", None)
        if show_line is not None:
            show_line(*line)
        elif level != "debug":
            show(line, sys.stderr)

    def wake(self) -> None:
        """Poll now. From any thread."""
        if self.on_wake is not None:
            self.on_wake()

    def request_stop(self, *, patient: bool = False) -> None:
        """Stop the agent after the messages in hand. From any thread.

        patient: however long they take.
        """
        if self.on_stop is not None:
            self.on_stop(patient)

    def _failed(self, plugin_id: str, point: str, error: Exception) -> None:
        self.log("error", plugin_id, f"Hook for {point} failed: {reason(error)}", {})


def reason(error: Exception) -> str:
    """The error for the log: a sentence of the runtime's own, any other as it is."""
    own = isinstance(error, TimeLimitError | InterruptedCallError)
    return str(error) if own else repr(error)


def registry_of(plugin: Plugin) -> PluginRegistry:
    """The full registry of a started plugin, for the runtime's own plugins."""
    registry = plugin.registry
    if not isinstance(registry, PluginRegistry):
        raise PluginError(f"{plugin.meta.id} must run in a PluginRegistry, got {registry!r}")
    return registry


_process: list[PluginRegistry] = []


def get_registry() -> PluginRegistry:
    """The registry of this process, made on first use."""
    if not _process:
        _process.append(PluginRegistry())
    return _process[0]


def reset_registry() -> None:
    """Forget the registry of this process."""
    _process.clear()
