"""Checks of a plugin before it is registered or configured; errors name it and its hook."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..nearest import did_you_mean, nearest
from ..plugin import Plugin, PluginError, PluginMeta
from ..plugin.hooks import hooks, is_chain
from .time_limits import check_times

_MISSPELT = 0.85
"""How alike a hook of another domain must be to count as misspelt."""


def make(plugin: object) -> Plugin:
    """A checked plugin, from its class or the plugin itself. Raises PluginError."""
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
    """Raise PluginError unless the class has valid metadata and every method it names."""
    meta = getattr(kind if plugin is None else plugin, "meta", None)
    if not isinstance(meta, PluginMeta):
        raise PluginError(f"{kind.__name__} must have a PluginMeta as meta, got {meta!r}")
    number = isinstance(meta.priority, int | float) and not isinstance(meta.priority, bool)
    if not number or not math.isfinite(meta.priority):
        raise PluginError(f"{meta.id}: priority must be a number, got {meta.priority!r}")
    for name in ("capabilities", "dependencies", "optional_dependencies", "extension_points"):
        if isinstance(getattr(meta, name), str):
            raise PluginError(f"{meta.id}: {name} must be a list, got {getattr(meta, name)!r}")
    if not isinstance(meta.implements, Mapping):
        raise PluginError(f"{meta.id}: implements must be a mapping, got {meta.implements!r}")
    check_times(meta.id, meta.timeouts)
    abstract = sorted(getattr(kind, "__abstractmethods__", ()))
    if abstract:
        raise PluginError(f"{meta.id} ({kind.__name__}) must define {', '.join(abstract)}")
    for point, method in meta.implements.items():
        _check_hook(meta.id, point, method, getattr(kind, str(method), None), kind)


def _check_hook(
    plugin_id: str, hook: str, method: str, function: object, kind: type[Plugin]
) -> None:
    where = f"{plugin_id}: the hook for {hook!r}"
    if not callable(function):
        raise PluginError(f"{where} must be a method of {kind.__name__}, got {method!r}")
    static = isinstance(inspect.getattr_static(kind, method), (staticmethod, classmethod))
    owner: list[Any] = [] if static else [None]
    spec = hooks().get(hook)
    if spec is not None and "ctx" not in spec.__annotations__:
        accepted = _accepts(function, owner)
        rule = "take no argument"
    elif spec is not None and is_chain(spec):
        accepted = _accepts(function, [*owner, {}])
        rule = "take one argument, ctx"
    else:
        accepted = _accepts(function, owner) or _accepts(function, [*owner, {}])
        rule = "take one argument, or none"
    if not accepted:
        signature = inspect.signature(function)
        raise PluginError(f"{where} must {rule}, got {method}{signature}")


def check_hooks(plugins: Iterable[Plugin]) -> None:
    """Raise PluginError for a hook that nobody calls: an unknown one, or a misspelt one.

    A hook of another domain may belong to a plugin that is not there.
    """
    metas = [plugin.meta for plugin in plugins]
    known = sorted({*hooks(), *(name for meta in metas for name in meta.extension_points)})
    domains = {_domain(name) for name in hooks()}
    for meta in metas:
        _check_timeouts(meta, domains)
        for hook in sorted(meta.implements.keys() - set(known)):
            if _domain(hook) in domains or nearest(hook, known, _MISSPELT):
                guess = did_you_mean(hook, known)
                raise PluginError(
                    f"{meta.id}: implements must name known hooks, got {hook!r}{guess}"
                )


def _check_timeouts(meta: PluginMeta, domains: Collection[str]) -> None:
    """Refuse a limit of a hook that the plugin does not have. Other names may be those of tools."""
    for name in meta.timeouts:
        if _domain(str(name)) in domains and name not in meta.implements:
            guess = did_you_mean(name, sorted(meta.implements))
            raise PluginError(f"{meta.id}: timeouts must name its hooks, got {name!r}{guess}")


def _domain(hook: str) -> str:
    return hook.partition(".")[0]


def _accepts(function: Any, arguments: list[Any]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # built in, without a signature
        return True
    return True
