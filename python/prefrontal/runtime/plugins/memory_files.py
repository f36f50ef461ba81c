"""Memory in files of the workspace: memory/files/<key>.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from ...plugin import Plugin, PluginMeta
from ...storage.memory_files import MemoryFiles
from ...storage.text_search import ranked
from ..workspace_files import workspace_of

FOLDER = "memory/files"
Result = TypeVar("Result")


class MemoryFilesPlugin(Plugin):
    """Stores each text in a file, by one thread, so that writes keep their order.

    Without a workspace, holds texts in memory.
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

    def __init__(self) -> None:
        self._config: dict[str, Any] = {}
        self._files: MemoryFiles | None = None
        self._texts: dict[str, str] = {}
        self._thread: ThreadPoolExecutor | None = None

    def configure(self, config: dict[str, Any]) -> None:
        self._config = config

    async def start(self) -> None:
        workspace = workspace_of(self.registry, self._config)
        if workspace is not None and self._thread is None:
            self._files = MemoryFiles(workspace / FOLDER)
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefrontal-memory")

    async def stop(self) -> None:
        """Wait for pending writes."""
        if self._thread is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, lambda: None)
            self._thread.shutdown()
            self._thread = None

    async def store(self, ctx: Mapping[str, Any]) -> bool:
        if self._files is None:
            self._texts[ctx["key"]] = ctx["content"]
        else:
            await self._in_turn(partial(self._files.store, ctx["key"], ctx["content"]))
        return True

    async def retrieve(self, ctx: Mapping[str, Any]) -> str | None:
        if self._files is None:
            return self._texts.get(ctx["key"])
        return await self._in_turn(partial(self._files.retrieve, ctx["key"]))

    async def search(self, ctx: Mapping[str, Any]) -> list[tuple[str, float]]:
        if self._files is None:
            return ranked(self._texts, ctx["query"], limit=20)
        return await self._in_turn(partial(self._files.search, ctx["query"]))

    async def _in_turn(self, call: Callable[[], Result]) -> Result:
        if self._thread is None:
            return call()
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)


def create_plugin() -> MemoryFilesPlugin:
    return MemoryFilesPlugin()
