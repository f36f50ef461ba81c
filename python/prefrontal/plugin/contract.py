"""A plugin: what it says about itself, its life, and the registry it finds the others in."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ..clock import Clock, SystemClock
from ..errors import PrefrontalError


class PluginError(PrefrontalError):
    """A plugin cannot be registered, configured or started; the text names it and its hook."""


@dataclass(frozen=True, slots=True)
class PluginMeta:
    """What a plugin says about itself.

    id, version: not empty. capabilities: what it provides ("llm", "tools", "subagent", ...).
    dependencies: ids that must be there; optional_dependencies: ids that are used if they are;
    both start before it. consumes: capabilities it looks for. priority: lower starts, and stands
    in hook chains, earlier. extension_points: points it defines. implements: point -> name of the
    method that is called there. timeouts: hook, tool, "start" or "stop" -> seconds that a call may
    take, where the default of the settings does not fit; 0 or None for no limit.
    """

    id: str
    version: str
    capabilities: Sequence[str] = ()
    dependencies: Sequence[str] = ()
    optional_dependencies: Sequence[str] = ()
    consumes: Sequence[str] = ()
    priority: int = 50
    extension_points: Sequence[str] = ()
    implements: Mapping[str, str] = field(default_factory=dict)
    timeouts: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("id", "version"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} must be a non-empty string, got {value!r}")


class Registry(Protocol):
    """Where a plugin finds the others; given to it when it starts."""

    @property
    def clock(self) -> Clock:
        """Tells the time, in tests too."""
        ...

    @property
    def agent_id(self) -> str:
        """Whose events these are."""
        ...

    @property
    def background(self) -> bool:
        """Whether plugins may run tasks of their own; if not, all that is due waits for a tick."""
        ...

    def wake(self) -> None:
        """Have `session.poll_messages` asked at once; from any thread."""
        ...

    def get(self, plugin_id: str) -> Plugin | None:
        """The plugin of that id; None where there is none."""
        ...

    def get_by_capability(self, capability: str) -> Plugin | None:
        """The first registered plugin with the capability; None where there is none."""
        ...

    def all_with_capability(self, capability: str) -> Sequence[Plugin]:
        """All plugins with the capability, in order of registration."""
        ...

    def get_implementations(self, point: str) -> Sequence[tuple[str, Plugin, str]]:
        """(id, plugin, method) of each implementer of the hook, in load order."""
        ...

    def is_started(self, plugin_id: str) -> bool:
        """Whether the plugin has started and not stopped."""
        ...

    async def call_extension(self, point: str, ctx: Any = None) -> list[Any]:
        """Call each implementer with ctx (without one: no argument); what is not None, in order.

        One that raises, or takes longer than its limit, is logged and skipped.
        """
        ...

    async def call_extension_chain(self, point: str, ctx: dict[str, Any]) -> dict[str, Any]:
        """Hand ctx from one implementer to the next; a truthy ctx["abort"] ends the chain."""
        ...

    async def emit(
        self, point: str, payload: Mapping[str, Any], correlation_id: str | None = None
    ) -> None:
        """Announce something: record it as an event, then call the point's implementers."""
        ...

    def log(self, level: str, plugin_id: str, message: str, extra: Mapping[str, Any]) -> None:
        """Hand a line to whoever keeps the log; level: "debug", "info", "warn", "error"."""
        ...


class Plugin(ABC):
    """Base of all plugins; a module that holds one has `create_plugin()`, which takes nothing.

    `configure` gets the whole prefrontal.yml as a dict, before anything starts, when there is no
    registry yet. `start` and `stop` run in the event loop, in load order and in reverse.
    """

    meta: ClassVar[PluginMeta]
    _registry: Registry | None = None

    def configure(self, config: dict[str, Any]) -> None:  # noqa: B027 - most need nothing
        """Read what concerns this plugin. Raise ValueError for what cannot be used."""

    @abstractmethod
    async def start(self) -> None:
        """Begin; `registry` and `clock` are there from now on. What it raises stops the agent."""

    @abstractmethod
    async def stop(self) -> None:
        """End every task and close every file of this plugin. Called once for each start."""

    @property
    def registry(self) -> Registry:
        """The registry. Raises PluginError before the plugin is started."""
        if self._registry is None:
            raise PluginError(f"{self.meta.id} must be started before it looks for others")
        return self._registry

    @property
    def clock(self) -> Clock:
        """Tells the time: the registry's, the system's before the start."""
        return self._registry.clock if self._registry is not None else SystemClock()

    def log_debug(self, message: str, **extra: Any) -> None:
        """Log a line of the level "debug"; extra: more fields of it."""
        self._log("debug", message, extra)

    def log_info(self, message: str, **extra: Any) -> None:
        """Log a line of the level "info"; extra: more fields of it."""
        self._log("info", message, extra)

    def log_warn(self, message: str, **extra: Any) -> None:
        """Log a line of the level "warn"; extra: more fields of it."""
        self._log("warn", message, extra)

    def log_error(self, message: str, **extra: Any) -> None:
        """Log a line of the level "error"; extra: more fields of it."""
        self._log("error", message, extra)

    def _log(self, level: str, message: str, extra: Mapping[str, Any]) -> None:
        if self._registry is not None:
            self._registry.log(level, self.meta.id, message, extra)
        elif level != "debug":
            print(f"[{level[0].upper()}] [{self.meta.id:<12.12}] {message}", file=sys.stderr)
