"""The plugin `soul`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import PluginError
from prefrontal.runtime.plugins.soul import LONGEST_SOUL, SoulPlugin
from prefrontal.runtime.registry import PluginRegistry
from prefrontal.testing import ManualClock


async def started(workspace: Path, **soul: Any) -> tuple[PluginRegistry, SoulPlugin]:
    registry = PluginRegistry(ManualClock())
    plugin = registry.register(SoulPlugin)
    assert isinstance(plugin, SoulPlugin)
    registry.configure_all({"workspace": str(workspace), "soul": soul})
    await registry.start_all()
    return registry, plugin


async def test_the_soul_of_the_workspace_stands_in_the_system_prompt(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("\ufeff\nI am patient.\n", encoding="utf-8")
    registry, plugin = await started(tmp_path)
    assert await registry.call_extension("context.system_prompt") == ["I am patient."]
    assert await registry.call_extension("context.system_prompt", {"a": 1}) == ["I am patient."]
    assert plugin.get_soul() == "I am patient."


async def test_a_changed_soul_is_read_again_and_a_deleted_one_is_empty(tmp_path: Path) -> None:
    _, plugin = await started(tmp_path)
    assert plugin.get_soul() == ""
    path = tmp_path / "SOUL.md"
    path.write_text("first")
    assert plugin.get_soul() == "first"
    path.write_text("other")
    os.utime(path, ns=(1, 1))
    assert plugin.get_soul() == "other"
    path.unlink()
    assert plugin.get_soul() == ""


async def test_an_unchanged_soul_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "SOUL.md"
    path.write_text("first")
    os.utime(path, ns=(1, 1))
    _, plugin = await started(tmp_path)
    with path.open("r+") as file:
        file.write("FIRST")
    os.utime(path, ns=(1, 1))
    assert plugin.get_soul() == "first"


@pytest.mark.parametrize("absolute", [True, False])
async def test_the_configuration_may_name_another_file(tmp_path: Path, absolute: bool) -> None:
    (tmp_path / "minds").mkdir()
    (tmp_path / "minds" / "me.md").write_text("me")
    name = "minds/me.md"
    _, plugin = await started(tmp_path, path=str(tmp_path / name) if absolute else name)
    assert plugin.get_soul() == "me"


@pytest.mark.parametrize("path", ["", "  ", 5, None, "a\0b"])
async def test_a_path_that_is_none_is_refused(tmp_path: Path, path: object) -> None:
    with pytest.raises(PluginError, match=r"soul cannot be configured: soul\.path must be a path"):
        await started(tmp_path, path=path)


async def test_a_soul_is_bounded_and_that_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("ü" * 100_000, encoding="utf-8")
    registry, plugin = await started(tmp_path)
    assert plugin.get_soul() == plugin.get_soul() == "ü" * LONGEST_SOUL
    assert [line[0] for line in registry.logs] == ["warn"]


async def test_a_secret_in_a_soul_never_stands_in_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("api_key: sk-abcdefghijklmnopqrst\nkind")
    _, plugin = await started(tmp_path)
    assert "abcdefgh" not in plugin.get_soul()
    assert plugin.get_soul().endswith("kind")


async def test_what_cannot_be_read_leaves_the_last_soul_and_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "SOUL.md"
    path.write_text("last")
    registry, plugin = await started(tmp_path)
    path.unlink()
    os.mkfifo(path)
    assert plugin.get_soul() == plugin.get_soul() == "last"
    assert [(level, text) for level, _, text in registry.logs] == [
        ("warn", f"{path} cannot be read: it is not a regular file")
    ]
    path.unlink()
    path.write_text("new")
    assert plugin.get_soul() == "new"
