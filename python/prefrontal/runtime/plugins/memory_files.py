"""Memory in the workspace: memory/files/<key>.md, or the table that memory/texts.sqlite names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from ...plugin import Plugin, PluginMeta
from ...storage.database import this_process
from ...storage.text_memory import TextMemory, open_memory
from ...storage.text_search import ranked
from ..workspace_files import workspace_of

Result = TypeVar("Result")


class MemoryFilesPlugin(Plugin):
    """Stores each text where the workspace has them, by one thread: writes keep their order.

    memory: texts that are its own already, closed at the end. Without it and without a workspace,
    holds texts in memory.
    """

    meta = PluginMeta(
        id="memory-files",
        version="1",
        dependencies=["memory"],
        optional_dependencies=["config", "workspace"],
        priority=14,
        implements={
            "memory.store": "store",
            "memory.retrieve": "retrieve",
            "memory.search": "search",
        },
    )

    def __init__(self, memory: TextMemory | None = None) -> None:
        self._given = memory
        self._config: dict[str, Any] = {}
        self._kept: TextMemory | None = None
        self._texts: dict[str, str] = {}
        self._thread: ThreadPoolExecutor | None = None

    def configure(self, config: dict[str, Any]) -> None:
        self._config = config

    async def start(self) -> None:
        """Raises SourceError, naming it, where an agent of another machine keeps texts there."""
        workspace = workspace_of(self.registry, self._config)
        if workspace is not None and self._thread is None:
            memory = self._given or open_memory(workspace)
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefrontal-memory")
            try:
                if self._given is None:
                    await self._in_turn(partial(memory.claim, this_process()))
            except BaseException:
                memory.close()
                self._thread.shutdown(wait=False)
                self._thread = None
                raise
            self._kept = memory

    async def stop(self) -> None:
        """Wait for pending writes."""
        if self._thread is not None and self._kept is not None:
            await self._in_turn(self._kept.close)
            self._thread.shutdown()
            self._thread = None

    async def store(self, ctx: Mapping[str, Any]) -> bool:
        if self._kept is None:
            self._texts[ctx["key"]] = ctx["content"]
        else:
            await self._in_turn(partial(self._kept.store, ctx["key"], ctx["content"]))
        return True

    async def retrieve(self, ctx: Mapping[str, Any]) -> str | None:
        if self._kept is None:
            return self._texts.get(ctx["key"])
        return await self._in_turn(partial(self._kept.retrieve, ctx["key"]))

    async def search(self, ctx: Mapping[str, Any]) -> list[tuple[str, float]]:
        if self._kept is None:
            return ranked(self._texts, ctx["query"], limit=20)
        return await self._in_turn(partial(self._kept.search, ctx["query"]))

    async def _in_turn(self, call: Callable[[], Result]) -> Result:
        if self._thread is None:
            return call()
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)


def create_plugin() -> MemoryFilesPlugin:
    return MemoryFilesPlugin()
