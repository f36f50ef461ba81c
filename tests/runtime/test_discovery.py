from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from prefrontal.plugin import PluginError
from prefrontal.runtime import discovery
from prefrontal.runtime.discovery import discover

GOOD = """
from prefrontal.runtime import Plugin, PluginMeta

class Good(Plugin):
    meta = PluginMeta(id="{name}", version="1")
    origin = "{origin}"
    async def start(self): ...
    async def stop(self): ...

def create_plugin():
    return Good()
"""


@pytest.fixture(autouse=True)
def modules() -> Iterator[None]:
    """Forget what was imported from the folders of a test."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "plugin_" in name or "sample_external" in name:
            del sys.modules[name]


def write(folder: Path, name: str, source: str = GOOD, plugin_id: str = "") -> Path:
    place = folder / name
    place.mkdir(parents=True)
    filled = source.replace("{name}", plugin_id or name).replace("{origin}", folder.name)
    (place / "plugin.py").write_text(filled, encoding="utf-8")
    return place


def ids(found: discovery.PluginDiscovery) -> list[str]:
    return [plugin.meta.id for plugin in found.plugins]


def test_each_subfolder_with_a_plugin_file_is_a_plugin(tmp_path: Path) -> None:
    write(tmp_path, "zeta")
    write(tmp_path, "alpha-one")
    (tmp_path / "no-plugin").mkdir()
    (tmp_path / "plugin.py").write_text("raise RuntimeError", encoding="utf-8")
    assert ids(discover(folders=[tmp_path])) == ["alpha-one", "zeta"]


def test_of_two_with_one_id_the_one_found_first_wins(tmp_path: Path) -> None:
    write(tmp_path / "home", "good")
    write(tmp_path / "here", "another-folder", plugin_id="good")
    found = discover(folders=[tmp_path / "home", tmp_path / "here"])
    assert [plugin.origin for plugin in found.plugins] == ["home"]  # type: ignore[attr-defined]
    assert "another-folder" in found.hidden[0]


def test_what_comes_along_cannot_be_replaced_from_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "ledger")
    found = discover(folders=[tmp_path], registered=["ledger"])
    assert found.plugins == []
    assert "hidden by another plugin 'ledger'" in found.hidden[0]


def test_a_plugin_can_import_the_files_beside_it(tmp_path: Path) -> None:
    place = write(tmp_path, "good", "from .words import WORD\n" + GOOD)
    (place / "words.py").write_text("WORD = 1\n", encoding="utf-8")
    assert ids(discover(folders=[tmp_path])) == ["good"]


BROKEN = {
    "syntax": "def create_plugin(:",
    "raises": "raise RuntimeError('at import')",
    "exits": "raise SystemExit(3)",
    "without-factory": "x = 1",
    "factory-raises": "def create_plugin(): raise ValueError('no')",
    "no-plugin": "def create_plugin(): return 42",
    "bad-hook": GOOD.replace('version="1"', 'version="1", implements={"loop.on_message": "gone"}'),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_named_and_passed_over(tmp_path: Path, kind: str) -> None:
    write(tmp_path, kind, BROKEN[kind])
    write(tmp_path, "good")
    found = discover(folders=[tmp_path])
    assert ids(found) == ["good"]
    (warning,) = found.warnings
    assert str(tmp_path / kind / "plugin.py") in warning


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_that_is_wanted_is_an_error(tmp_path: Path, kind: str) -> None:
    write(tmp_path, kind, BROKEN[kind])
    with pytest.raises(PluginError, match=kind):
        discover(folders=[tmp_path], enabled=[kind])


def test_only_what_is_enabled_is_taken(tmp_path: Path) -> None:
    write(tmp_path, "wanted")
    write(tmp_path, "other")
    assert ids(discover(folders=[tmp_path], enabled=["wanted"])) == ["wanted"]
    assert ids(discover(folders=[tmp_path], enabled=[])) == []


def test_what_is_enabled_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"plugins.enabled must name plugins.*got 'missing'"):
        discover(folders=[tmp_path], enabled=["missing"])


def test_something_that_comes_along_may_be_named_as_enabled() -> None:
    assert discover(enabled=["cortex"], registered=["cortex"]).plugins == []


def test_what_is_disabled_is_not_even_loaded(tmp_path: Path) -> None:
    write(tmp_path, "bomb", "raise SystemExit('loaded')")
    write(tmp_path, "folder", plugin_id="by-id")
    found = discover(folders=[tmp_path], disabled=["bomb", "by-id"])
    assert (found.plugins, found.warnings) == ([], [])


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert discover(folders=[tmp_path / "nowhere"]).plugins == []


def test_a_module_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sample_external.py").write_text(
        GOOD.replace("{name}", "external"), encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert ids(discover(modules=["sample_external"])) == ["external"]
    with pytest.raises(PluginError, match="no_such_module_here"):
        discover(modules=["no_such_module_here"])


def test_installed_packages_offer_plugins_through_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = GOOD.replace("{name}", "installed")
    (tmp_path / "sample_external.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    group = "prefrontal.plugins"
    entries = EntryPoints(
        [
            EntryPoint("installed", "sample_external:create_plugin", group),
            EntryPoint("broken", "sample_external:nothing", group),
        ]
    )

    def entry_points(**asked: Any) -> EntryPoints:
        return entries.select(**asked)

    monkeypatch.setattr(discovery, "entry_points", entry_points)
    found = discover(installed=True)
    assert ids(found) == ["installed"]
    assert "broken" in found.warnings[0]
    assert discover().plugins == []
