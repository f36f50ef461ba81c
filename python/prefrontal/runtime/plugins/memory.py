"""Memory: the interface to all plugins that store texts by key."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import PrefrontalError
from ...plugin import Plugin, PluginMeta, hookspecs
from ...plugin.hooks import collect, hook_name, hooks_of
from ..registry import registry_of


class MemoryPlugin(Plugin):
    """Writes to all implementers of `memory.store`, and reads from those of the other two hooks.

    `plugin.hookspecs` says what these take and return.
    """

    meta = PluginMeta(
        id="memory",
        version="1",
        capabilities=["memory"],
        optional_dependencies=["config", "workspace"],
        priority=12,
        extension_points=hooks_of("memory"),
    )

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def store(self, key: str, content: str) -> None:
        """Store the text under the key in every store.

        Raises PrefrontalError when there is none, or when one of them failed, after trying all.
        """
        failed: list[str] = []
        registry, point = registry_of(self), hook_name(hookspecs.memory_store)
        stores = registry.get_implementations(point)
        for plugin_id, plugin, method in stores:
            try:
                text = {"key": key, "content": content}
                await registry.calls.hook(plugin, point, getattr(plugin, method), text)
            except Exception as error:  # noqa: BLE001 - try the others
                failed.append(f"{plugin_id}: {error}")
        if not stores:
            raise PrefrontalError(f"{key!r} must have a store to be kept in, got no such plugin")
        if failed:
            raise PrefrontalError("; ".join(failed))

    async def retrieve(self, key: str) -> str | None:
        """The first text that is not empty, or None."""
        texts = await collect(self.registry, hookspecs.memory_retrieve, {"key": key})
        return next((text for text in texts if isinstance(text, str) and text), None)

    async def search(self, query: str) -> Sequence[tuple[str, float]]:
        """Keys with their scores, the best first; a key of several stores counts once."""
        best: dict[str, float] = {}
        for pairs in await collect(self.registry, hookspecs.memory_search, {"query": query}):
            for key, score in pairs:
                best[key] = max(score, best.get(key, score))
        return sorted(best.items(), key=lambda each: (-each[1], each[0]))


def create_plugin() -> MemoryPlugin:
    return MemoryPlugin()
