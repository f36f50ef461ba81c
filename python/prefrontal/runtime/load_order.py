"""The order in which plugins start and stand in hook chains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush

from ..plugin import PluginError, PluginMeta


def load_order(metas: Iterable[PluginMeta]) -> list[str]:
    """Ids in topological order of dependencies, then by (priority, id).

    Ignores missing optional dependencies. Raises PluginError for a missing dependency, and for a
    circle, naming its plugins.
    """
    known = {meta.id: meta for meta in metas}
    needs = {meta.id: _present(meta, known) for meta in known.values()}
    waiting = {plugin_id: len(needed) for plugin_id, needed in needs.items()}
    dependents: dict[str, list[str]] = {plugin_id: [] for plugin_id in known}
    for plugin_id, needed in needs.items():
        for dependency in needed:
            dependents[dependency].append(plugin_id)
    ready = [(known[name].priority, name) for name, count in waiting.items() if not count]
    heapify(ready)
    order: list[str] = []
    while ready:
        _, name = heappop(ready)
        order.append(name)
        for dependent in dependents[name]:
            waiting[dependent] -= 1
            if not waiting[dependent]:
                heappush(ready, (known[dependent].priority, dependent))
    if len(order) < len(known):
        _refuse_circle({name: needs[name] for name in known if name not in set(order)})
    return order


def _present(meta: PluginMeta, known: Mapping[str, PluginMeta]) -> set[str]:
    missing = [name for name in meta.dependencies if name not in known]
    if missing:
        raise PluginError(f"{meta.id} must have the plugin {missing[0]!r}, which is not there")
    return {*meta.dependencies, *(name for name in meta.optional_dependencies if name in known)}


def _refuse_circle(needs: Mapping[str, set[str]]) -> None:
    """Follow unmet dependencies until a plugin recurs, and raise PluginError."""
    walk = [min(needs)]
    while True:
        following = min(name for name in needs[walk[-1]] if name in needs)
        if following in walk:
            circle = [*walk[walk.index(following) :], following]
            raise PluginError(f"dependencies must not run in a circle, got {' -> '.join(circle)}")
        walk.append(following)
