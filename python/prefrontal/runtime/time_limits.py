"""How long a hook and a tool of a plugin may take."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from ..errors import InputError, shown
from ..nearest import did_you_mean
from ..plugin import Plugin, PluginError

HOOK_S = 30.0
TOOL_S = 120.0


class TimeLimits:
    """Seconds by plugin and hook, and by tool; inf for no limit.

    What the settings say of a plugin or a tool counts before the plugin's own
    `PluginMeta.timeouts`, and that before the setting for all.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Read `plugins.hook_timeout_seconds`, `plugins.timeouts` and the two of `tools`.

        Raises InputError for a value that is no time.
        """
        sections = {name: (config or {}).get(name) or {} for name in ("plugins", "tools")}
        plugins, tools = sections["plugins"], sections["tools"]
        self._hook_s = _seconds(plugins, "hook_timeout_seconds", HOOK_S, "plugins")
        self._tool_s = _seconds(tools, "timeout_seconds", TOOL_S, "tools")
        self._of_plugins = _table(plugins, "plugins.timeouts")
        self.of_tools = _table(tools, "tools.timeouts")
        self._known: dict[tuple[str, str], float] = {}

    def check(self, ids: Collection[str]) -> None:
        """Raise PluginError for a limit of a plugin that is not there."""
        for name in self._of_plugins:
            if name not in ids:
                rule = "plugins.timeouts must name plugins that are there"
                raise PluginError(f"{rule}, got {name!r}{did_you_mean(name, sorted(ids))}")

    def of_hook(self, plugin: Plugin, point: str) -> float:
        """Of one call of the plugin's hook."""
        key = plugin.meta.id, point
        if key not in self._known:
            own = self._of_plugins.get(plugin.meta.id)
            default = self._hook_s
            if point == "start":  # a model may take minutes to load
                own, default = None, math.inf
            self._known[key] = _own(plugin, point, default) if own is None else own
        return self._known[key]

    def of_tool(self, provider: object, name: str) -> float:
        """Of one call of the provider's tool."""
        own = self.of_tools.get(name)
        return _own(provider, name, self._tool_s) if own is None else own


def check_times(plugin_id: str, times: object) -> None:
    """Raise PluginError unless a plugin's own limits are times by hook or tool."""
    if not isinstance(times, Mapping):
        raise PluginError(f"{plugin_id}: timeouts must be a mapping, got {times!r:.80}")
    for name, value in times.items():
        try:
            _time(value, f"{plugin_id}: timeouts[{name!r}]")
        except InputError as error:
            raise PluginError(str(error)) from None


def _own(plugin: object, name: str, default: float) -> float:
    times = getattr(getattr(plugin, "meta", None), "timeouts", {})
    return _time(times[name], name) if name in times else default


def _seconds(section: Mapping[str, Any], key: str, default: float, where: str) -> float:
    return _time(section[key], f"{where}.{key}") if key in section else default


def _table(section: Mapping[str, Any], where: str) -> dict[str, float]:
    table = section.get(where.partition(".")[2]) or {}
    if not isinstance(table, Mapping):
        raise InputError(f"{where} must be a mapping of names to seconds, got {shown(table)}")
    return {str(name): _time(value, f"{where}.{name}") for name, value in table.items()}


def _time(value: object, where: str) -> float:
    if value is None or (value == 0 and value is not False):
        return math.inf
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= 1e9:  # type: ignore[operator]
        rule = "be a number of seconds above 0, or 0 or null for no limit"
        raise InputError(f"{where} must {rule}, got {shown(value)}")
    return float(value)  # type: ignore[arg-type]
