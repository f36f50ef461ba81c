from __future__ import annotations

import os
from pathlib import Path

from prefrontal.errors import InputError
from prefrontal.runtime import Runtime
from prefrontal.runtime.plugins.config import ConfigPlugin
from prefrontal.settings.agent_file import read_agent_config


def plugin_on(path: Path) -> ConfigPlugin:
    plugin = ConfigPlugin([path], lambda: read_agent_config(path))
    plugin.configure(read_agent_config(path))
    return plugin


def write(path: Path, text: str) -> None:
    """A change always has another time, however coarse the file system's clock is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 1_000_000_000, before + 1_000_000_000))


def test_a_change_of_the_file_is_seen_when_somebody_looks(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    write(path, "cortex: {max_beliefs: 5}")
    plugin = plugin_on(path)
    assert plugin.refresh() == {"cortex": {"max_beliefs": 5}}
    write(path, "cortex: {max_beliefs: 7}")
    assert plugin.refresh() == {"cortex": {"max_beliefs": 7}}
    assert plugin.config == {"cortex": {"max_beliefs": 7}}


def test_a_file_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    write(path, "cortex: {}")
    reads: list[int] = []

    def read() -> dict[str, object]:
        reads.append(1)
        return {}

    plugin = ConfigPlugin([path], read)
    for _ in range(3):
        plugin.refresh()
    assert reads == []


async def test_a_file_that_cannot_be_used_leaves_the_old_configuration(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    write(path, "cortex: {max_beliefs: 5}")
    plugin = plugin_on(path)
    runtime = Runtime(plugin.config, plugins=[plugin])
    await runtime.start()
    write(path, "cortex: [")
    assert plugin.refresh() == {"cortex": {"max_beliefs": 5}}
    assert plugin.refresh() == {"cortex": {"max_beliefs": 5}}
    warnings = [line for line in runtime.logs if line[0] == "warn"]
    assert len(warnings) == 1
    assert "old configuration stays" in warnings[0][2]
    write(path, "cortex: {max_beliefs: 9}")
    assert plugin.refresh() == {"cortex": {"max_beliefs": 9}}
    await runtime.stop()


def test_a_file_that_is_gone_leaves_the_old_configuration(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    write(path, "identity: {name: Alpha}")
    plugin = plugin_on(path)
    path.unlink()
    assert plugin.refresh() == {"identity": {"name": "Alpha"}}


def test_without_files_there_is_nothing_to_look_at() -> None:
    plugin = ConfigPlugin()
    plugin.configure({"a": 1})
    assert plugin.refresh() == {"a": 1}


def test_only_errors_about_the_world_are_taken_for_a_bad_file(tmp_path: Path) -> None:
    path = tmp_path / "prefrontal.yml"
    write(path, "a")

    def read() -> dict[str, object]:
        raise InputError("no")

    plugin = ConfigPlugin([path], read)
    plugin.configure({"kept": True})
    write(path, "b")
    assert plugin.refresh() == {"kept": True}
