"""Third-party plugins, from modules, installed packages and folders."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from ..home_folder import expanded
from ..plugin import Plugin, PluginError
from .registration import make

GROUP = "prefrontal.plugins"
FILE = "plugin.py"
FOLDERS = ("~/.prefrontal/plugins", "./plugins")


@dataclass(slots=True)
class PluginDiscovery:
    """The plugins in order, and a sentence for each that was skipped or hidden."""

    plugins: list[Plugin] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A plugin that is not loaded yet. name: of its folder or entry point."""

    name: str
    where: str
    load: Callable[[], object]


def discover(
    *,
    folders: Sequence[str | Path] = (),
    modules: Sequence[str] = (),
    installed: bool = False,
    enabled: Collection[str] | None = None,
    disabled: Collection[str] = (),
    registered: Collection[str] = (),
) -> PluginDiscovery:
    """Load plugins from modules, installed packages and folders; the first with an id wins.

    enabled: load only these; raises PluginError for one that is missing or broken. disabled: never
    load these. registered: ids in use. Skips other broken plugins with a warning, but raises for a
    broken module, since the operator named it.
    """
    discovery = PluginDiscovery()
    ids = set(registered)
    insisted = set(enabled or ())
    candidates = [*_modules(modules), *(_installed() if installed else ()), *_in_folders(folders)]
    for candidate in candidates:
        if candidate.name in disabled:
            continue
        try:
            plugin = _load(candidate)
        except PluginError as error:
            if candidate.name in insisted or candidate.where == candidate.name:
                raise
            discovery.warnings.append(f"Passed over: {error}")
            continue
        plugin_id = plugin.meta.id
        if plugin_id in disabled or not (enabled is None or {plugin_id, candidate.name} & insisted):
            continue
        if plugin_id in ids:
            discovery.hidden.append(f"{candidate.where} is hidden by another plugin {plugin_id!r}")
            continue
        ids.add(plugin_id)
        insisted -= {plugin_id, candidate.name}
        discovery.plugins.append(plugin)
    missing = sorted(insisted - ids)
    if missing:
        raise PluginError(f"plugins.enabled must name plugins that are there, got {missing[0]!r}")
    return discovery


def _load(candidate: _Candidate) -> Plugin:
    """The checked plugin. Raises PluginError naming its location."""
    try:
        loaded = candidate.load()
        factory = getattr(loaded, "create_plugin", loaded)
        if not callable(factory):
            raise PluginError(f"it must have create_plugin(), got {factory!r:.80}")
        made = factory() if not isinstance(factory, type) else factory
        return make(made)
    except (Exception, SystemExit) as error:
        raise PluginError(f"{candidate.where}: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"


def _modules(names: Sequence[str]) -> Iterator[_Candidate]:
    for name in names:
        yield _Candidate(name, name, lambda name=name: import_module(name))  # type: ignore[misc]


def _installed() -> Iterator[_Candidate]:
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        yield _Candidate(entry.name, f"{GROUP} {entry.name} = {entry.value}", entry.load)


def _in_folders(folders: Sequence[str | Path]) -> Iterator[_Candidate]:
    for folder in folders:
        root = expanded(folder)
        for file in sorted(root.glob(f"*/{FILE}")):
            load = lambda file=file: _module_of(file)  # noqa: E731
            yield _Candidate(file.parent.name, str(file), load)


def _module_of(file: Path) -> Any:
    """The module in a file, as a package that can import its folder's other files."""
    name = f"prefrontal_plugin_{file.parent.name.replace('-', '_')}"
    place = [str(file.parent)]
    spec = spec_from_file_location(name, file.absolute(), submodule_search_locations=place)
    if spec is None or spec.loader is None:
        raise PluginError("it cannot be read")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
