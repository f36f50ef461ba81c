"""What is checked before a plugin is taken in: a bad one is named with its hook."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from ..plugin import Plugin, PluginError, PluginMeta

WITHOUT_CTX = frozenset({"session.poll_messages", "session.receive", "context.system_prompt"})
"""Points that are called without an argument."""


def make(plugin: object) -> Plugin:
    """A plugin from its class, or the plugin itself, checked. Raises PluginError."""
    if isinstance(plugin, type):
        if not issubclass(plugin, Plugin):
            raise PluginError(f"{plugin.__name__} must be a subclass of Plugin")
        check_class(plugin)
        try:
            return plugin()
        except Exception as error:
            who, rule = f"{plugin.meta.id} ({plugin.__name__})", "be made without arguments"
            raise PluginError(f"{who} must {rule}, got {error!r}") from error
    if not isinstance(plugin, Plugin):
        raise PluginError(f"a plugin must be a Plugin, got {plugin!r}")
    check_class(type(plugin), plugin)
    return plugin


def check_class(kind: type[Plugin], plugin: Plugin | None = None) -> None:
    """Raise PluginError unless the class says what it is and has the hooks that it names."""
    meta = getattr(kind if plugin is None else plugin, "meta", None)
    if not isinstance(meta, PluginMeta):
        raise PluginError(f"{kind.__name__} must have a PluginMeta as meta, got {meta!r}")
    for name in ("capabilities", "dependencies", "optional_dependencies", "extension_points"):
        if isinstance(getattr(meta, name), str):
            raise PluginError(f"{meta.id}: {name} must be a list, got {getattr(meta, name)!r}")
    if not isinstance(meta.implements, Mapping):
        raise PluginError(f"{meta.id}: implements must be a mapping, got {meta.implements!r}")
    abstract = sorted(getattr(kind, "__abstractmethods__", ()))
    if abstract:
        raise PluginError(f"{meta.id} ({kind.__name__}) must define {', '.join(abstract)}")
    for point, method in meta.implements.items():
        _check_hook(meta.id, point, method, getattr(kind, str(method), None), kind)


def _check_hook(plugin_id: str, point: str, method: str, found: object, kind: type[Plugin]) -> None:
    where = f"{plugin_id}: the hook for {point!r}"
    if not callable(found):
        raise PluginError(f"{where} must be a method of {kind.__name__}, got {method!r}")
    static = isinstance(inspect.getattr_static(kind, method), (staticmethod, classmethod))
    given: list[Any] = [] if static else [None]
    if point in WITHOUT_CTX:
        accepted = _accepts(found, given)
        rule = "take no argument"
    elif point.startswith("loop."):
        accepted = _accepts(found, [*given, {}])
        rule = "take one argument, ctx"
    else:
        accepted = _accepts(found, given) or _accepts(found, [*given, {}])
        rule = "take one argument, or none"
    if not accepted:
        raise PluginError(f"{where} must {rule}, got {method}{_shown(found)}")


def misspelt_points(plugins: Iterable[Plugin]) -> Iterator[tuple[str, str, str]]:
    """(plugin id, point, what was probably meant) of hooks that nobody will call."""
    metas = [plugin.meta for plugin in plugins]
    defined = {point for meta in metas for point in meta.extension_points} | WITHOUT_CTX
    for meta in metas:
        for point in meta.implements:
            close = get_close_matches(point, sorted(defined), n=1, cutoff=0.85)
            if point not in defined and close:
                yield meta.id, point, close[0]


def _accepts(function: Any, given: list[Any]) -> bool:
    try:
        inspect.signature(function).bind(*given)
    except TypeError:
        return False
    except ValueError:  # built in, without a signature
        return True
    return True


def _shown(function: Any) -> str:
    return str(inspect.signature(function))
