"""Memory: one door to all plugins that keep texts by key."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import PrefrontalError
from ...plugin import Plugin, PluginMeta
from ..dispatch import resolved


class MemoryPlugin(Plugin):
    """Stores with all that implement `memory.store` and asks those of the other two points.

    The points take one mapping: "key" and "content", "key", or "query". They return something true
    when the text was kept, the text, and pairs of a key and a score in 0..1.
    """

    meta = PluginMeta(
        id="memory",
        version="1",
        capabilities=["memory"],
        optional_dependencies=["config", "workspace"],
        priority=12,
        extension_points=["memory.store", "memory.retrieve", "memory.search"],
    )

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def store(self, key: str, content: str) -> None:
        """Keep the text under the key in every store there is.

        Raises PrefrontalError when one of them could not, after all were asked, or there is none.
        """
        failed: list[str] = []
        stores = self.registry.get_implementations("memory.store")
        for plugin_id, plugin, method in stores:
            try:
                await resolved(getattr(plugin, method)({"key": key, "content": content}))
            except Exception as error:  # noqa: BLE001 - the others are asked all the same
                failed.append(f"{plugin_id}: {error}")
        if not stores:
            raise PrefrontalError(f"{key!r} must have a store to be kept in, got no such plugin")
        if failed:
            raise PrefrontalError("; ".join(failed))

    async def retrieve(self, key: str) -> str | None:
        """The first text that is not empty; None when nobody has one."""
        found = await self.registry.call_extension("memory.retrieve", {"key": key})
        return next((text for text in found if isinstance(text, str) and text), None)

    async def search(self, query: str) -> Sequence[tuple[str, float]]:
        """Keys and how well each fits, the best first; a key of several stores counts once."""
        best: dict[str, float] = {}
        for pairs in await self.registry.call_extension("memory.search", {"query": query}):
            for key, score in pairs:
                best[key] = max(score, best.get(key, score))
        return sorted(best.items(), key=lambda each: (-each[1], each[0]))


def create_plugin() -> MemoryPlugin:
    return MemoryPlugin()
