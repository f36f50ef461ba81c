"""An agent with all that comes with it: runtime, ledger, cortex, memory, model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..home_folder import expanded
from ..plugin import Plugin, PluginError, PluginMeta
from ..runtime.discovery import FOLDERS, PluginDiscovery
from ..runtime.discovery import discover as find_plugins
from ..runtime.plugins.workspace import WorkspacePlugin
from ..runtime.runtime import CORE_IDS, Runtime
from ..settings.agent_file import workspace_folder

if TYPE_CHECKING:
    from ..clock import Clock
    from ..runtime.plugins.config import ConfigPlugin

BUILT_IN = (
    "runtime.plugins.memory",
    "runtime.plugins.memory_files",
    "runtime.plugins.soul",
    "ledger.plugin",
    "runtime.plugins.observability",
    "cortex.plugin",
    "runtime.plugins.subagent",
    "runtime.plugins.cron",
    "runtime.plugins.heartbeat",
)
"""Modules of the plugins that come along, each with `create_plugin()`."""


def build_runtime(
    config: Mapping[str, Any] | None = None,
    *,
    clock: Clock | None = None,
    subagent: Any = None,
    llm: Any = None,
    workspace: str | PathLike[str] | None = None,
    background: bool = False,
    channels: Sequence[Plugin] = (),
    plugins: Sequence[type[Plugin] | Plugin] = (),
    config_plugin: ConfigPlugin | None = None,
    discover: bool = False,
) -> Runtime:
    """An agent as the configuration says.

    subagent, llm: objects with `spawn` and with `chat` that stand before the configured ones.
    workspace: where files are kept; without one here or in the configuration, a runtime without
    background tasks keeps them in a folder that is gone when it stops. channels, plugins: more
    plugins; one of the latter takes the place of the built-in one of its id. config_plugin: one
    that knows the files of the configuration. discover: also look for plugins in installed
    packages, in ~/.prefrontal/plugins and in ./plugins. Raises PluginError when the plugins do not
    fit together or refuse the configuration.
    """
    settings = dict(config or {})
    place = _workspace(settings, workspace, background)
    settings["workspace"] = str(place.path)
    classes: list[type[Plugin] | Plugin] = [place]
    if config_plugin is not None:
        classes.append(config_plugin)
    classes += _given(subagent, llm)
    instead = {each.meta.id for each in plugins}
    built_in = [each for each in _built_in(settings) if each.meta.id not in instead]
    classes += [*built_in, *_model(settings, llm), *channels, *plugins]
    discovered = _found(settings, [*CORE_IDS, *(each.meta.id for each in classes)], discover)
    runtime = Runtime(
        settings, clock=clock, plugins=[*classes, *discovered.plugins], background=background
    )
    for sentence in discovered.warnings:
        runtime.registry.log("warn", "discovery", sentence, {})
    for sentence in discovered.hidden:
        runtime.registry.log("debug", "discovery", sentence, {})
    if runtime.registry.get("cortex") is not None:
        from .reflectors import offer_models

        offer_models(runtime.registry)
    return runtime


def _workspace(
    config: Mapping[str, Any], folder: str | PathLike[str] | None, background: bool
) -> WorkspacePlugin:
    if folder is None and not background:
        named = config.get("workspace")
        return WorkspacePlugin(expanded(named).absolute() if named else None)
    return WorkspacePlugin(workspace_folder(folder, config).absolute())


def _found(
    config: Mapping[str, Any], registered: Sequence[str], everywhere: bool
) -> PluginDiscovery:
    """Plugins of others, as `plugins:` says."""
    section = _section(config)
    lists = {
        name: _listed(section, name) for name in ("enabled", "disabled", "external", "folders")
    }
    stuck = sorted(set(lists["disabled"]) & set(CORE_IDS))
    if stuck:
        raise PluginError(f"plugins.disabled must not name a plugin of the core, got {stuck[0]!r}")
    return find_plugins(
        modules=lists["external"],
        installed=everywhere,
        folders=[*lists["folders"], *(FOLDERS if everywhere else ())],
        enabled=lists["enabled"] if section.get("enabled") is not None else None,
        disabled=lists["disabled"],
        registered=registered,
    )


def _section(config: Mapping[str, Any]) -> Mapping[str, Any]:
    section = config.get("plugins") or {}
    if not isinstance(section, Mapping):
        raise PluginError(f"plugins must be a mapping, got {section!r}")
    return section


def _listed(section: Mapping[str, Any], name: str) -> list[str]:
    value = section.get(name) or ()
    if not isinstance(value, (list, tuple)):
        raise PluginError(f"plugins.{name} must be a list, got {value!r}")
    return [str(each) for each in value]


def _given(subagent: Any, llm: Any) -> list[type[Plugin] | Plugin]:
    """Objects that were handed in, as plugins."""
    classes: list[type[Plugin] | Plugin] = []
    if subagent is not None:
        classes.append(subagent if isinstance(subagent, Plugin) else GivenSubagent(subagent))
    if llm is not None:
        classes.append(llm if isinstance(llm, Plugin) else GivenModel(llm))
    return classes


def _built_in(config: Mapping[str, Any]) -> list[Plugin]:
    disabled = set(_listed(_section(config), "disabled"))
    made = [_load(name) for name in BUILT_IN]
    return [plugin for plugin in made if plugin.meta.id not in disabled]


def _load(name: str) -> Plugin:
    plugin: Plugin = import_module(f"prefrontal.{name}").create_plugin()
    return plugin


def _model(config: Mapping[str, Any], llm: Any) -> list[Plugin]:
    if llm is not None:
        return []
    from ..runtime.models import create_model

    return [create_model(str(config.get("provider") or "rules"))]


class GivenSubagent(Plugin):
    """Any object with `spawn`, as a plugin."""

    meta = PluginMeta(id="given-subagent", version="1", capabilities=["subagent"], priority=32)

    def __init__(self, value: Any) -> None:
        self.given = value
        self.spawn = value.spawn

    @property
    def available(self) -> bool:
        return bool(getattr(self.given, "available", True))

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class GivenModel(Plugin):
    """Any object with `chat`, as a plugin."""

    meta = PluginMeta(id="given-llm", version="1", capabilities=["llm"], priority=20)

    def __init__(self, value: Any) -> None:
        self.given = value
        self.chat = value.chat

    async def start(self) -> None: ...

    async def stop(self) -> None: ...
