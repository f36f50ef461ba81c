"""The plugins `memory` and `memory-files`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import PrefrontalError
from prefrontal.plugin import Plugin, PluginMeta
from prefrontal.runtime.plugins.memory import MemoryPlugin
from prefrontal.runtime.plugins.memory_files import MemoryFilesPlugin
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.testing import ManualClock


class Notebook(Plugin):
    """A second store, that fails when it is told to."""

    meta = PluginMeta(
        id="notebook",
        version="1",
        priority=13,
        implements={
            "memory.store": "store",
            "memory.retrieve": "retrieve",
            "memory.search": "search",
        },
    )

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.failure: Exception | None = None

    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    def store(self, ctx: Mapping[str, Any]) -> bool:
        if self.failure is not None:
            raise self.failure
        self.texts[ctx["key"]] = ctx["content"]
        return True

    def retrieve(self, ctx: Mapping[str, Any]) -> str | None:
        return self.texts.get(ctx["key"])

    def search(self, ctx: Mapping[str, Any]) -> list[tuple[str, float]]:
        return [(key, 0.5) for key, text in self.texts.items() if ctx["query"] in text]


async def registry(workspace: Path | None, *plugins: type[Plugin]) -> PluginRegistry:
    made = PluginRegistry(ManualClock())
    for plugin in plugins or (MemoryPlugin, MemoryFilesPlugin):
        made.register(plugin)
    made.configure_all({"workspace": str(workspace)} if workspace is not None else {})
    await made.start_all()
    return made


def memory(of: PluginRegistry) -> MemoryPlugin:
    plugin = of.get_by_capability("memory")
    assert isinstance(plugin, MemoryPlugin)
    return plugin


async def test_what_is_stored_comes_back_from_a_file_of_the_workspace(tmp_path: Path) -> None:
    plugins = await registry(tmp_path)
    await memory(plugins).store("cortex-beliefs", "[]")
    assert (tmp_path / "memory" / "files" / "cortex-beliefs.md").read_text() == "[]"
    assert await memory(plugins).retrieve("cortex-beliefs") == "[]"
    assert await memory(plugins).retrieve("other") is None
    await plugins.stop_all()
    later = await registry(tmp_path)
    assert await memory(later).retrieve("cortex-beliefs") == "[]"
    await later.stop_all()


async def test_the_extension_points_do_the_same(tmp_path: Path) -> None:
    plugins = await registry(tmp_path)
    assert await plugins.call_extension("memory.store", {"key": "a", "content": "tea"}) == [True]
    assert await plugins.call_extension("memory.retrieve", {"key": "a"}) == ["tea"]
    (found,) = await plugins.call_extension("memory.search", {"query": "tea"})
    assert [key for key, _ in found] == ["a"]
    assert await plugins.call_extension("memory.store", {"key": "", "content": "x"}) == []
    await plugins.stop_all()


async def test_a_key_cannot_leave_the_folder(tmp_path: Path) -> None:
    plugins = await registry(tmp_path / "workspace")
    await memory(plugins).store("../../../outside", "x")
    assert await memory(plugins).retrieve("../../../outside") == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]
    await plugins.stop_all()


async def test_all_stores_are_written_and_the_first_that_knows_is_read(tmp_path: Path) -> None:
    plugins = await registry(tmp_path, MemoryPlugin, MemoryFilesPlugin, Notebook)
    notebook = plugins.get("notebook")
    assert isinstance(notebook, Notebook)
    await memory(plugins).store("a", "from both")
    assert notebook.texts == {"a": "from both"}
    notebook.texts = {"a": "", "b": "only here"}
    assert await memory(plugins).retrieve("a") == "from both"
    assert await memory(plugins).retrieve("b") == "only here"
    await plugins.stop_all()


async def test_findings_of_all_stores_stand_in_one_order(tmp_path: Path) -> None:
    plugins = await registry(tmp_path, MemoryPlugin, MemoryFilesPlugin, Notebook)
    notebook = plugins.get("notebook")
    assert isinstance(notebook, Notebook)
    await memory(plugins).store("once", "tea")
    await memory(plugins).store("often", "tea tea tea tea")
    notebook.texts = {"once": "tea", "elsewhere": "tea"}
    found = await memory(plugins).search("tea")
    assert [key for key, _ in found] == ["often", "elsewhere", "once"]
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
    await plugins.stop_all()


async def test_a_store_that_fails_is_told_after_the_others_were_written(tmp_path: Path) -> None:
    plugins = await registry(tmp_path, MemoryPlugin, MemoryFilesPlugin, Notebook)
    notebook = plugins.get("notebook")
    assert isinstance(notebook, Notebook)
    notebook.failure = OSError("disk full")
    with pytest.raises(PrefrontalError, match="notebook: disk full"):
        await memory(plugins).store("a", "kept")
    assert (tmp_path / "memory" / "files" / "a.md").read_text() == "kept"
    await plugins.stop_all()


async def test_without_a_store_nothing_is_kept_in_silence() -> None:
    plugins = PluginRegistry(ManualClock())
    plugins.register(MemoryPlugin)
    await plugins.start_all()
    with pytest.raises(PrefrontalError, match="'a' must have a store"):
        await memory(plugins).store("a", "x")
    assert await memory(plugins).retrieve("a") is None
    assert await memory(plugins).search("a") == []
    await plugins.stop_all()


async def test_what_is_stored_last_is_what_stays_when_the_agent_stops(tmp_path: Path) -> None:
    plugins = await registry(tmp_path)
    texts = ("x" * (4 << 20), "last")
    stores = [asyncio.create_task(memory(plugins).store("note", text)) for text in texts]
    await asyncio.sleep(0)
    await plugins.stop_all()
    await asyncio.gather(*stores)
    files = tmp_path / "memory" / "files"
    assert [path.name for path in files.iterdir()] == ["note.md"]
    assert (files / "note.md").read_text() == "last"


async def test_without_a_workspace_texts_are_kept_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plugins = await registry(None)
    await memory(plugins).store("note", "green tea")
    assert await memory(plugins).retrieve("note") == "green tea"
    assert [key for key, _ in await memory(plugins).search("tea")] == ["note"]
    await plugins.stop_all()
    assert list(tmp_path.iterdir()) == []
