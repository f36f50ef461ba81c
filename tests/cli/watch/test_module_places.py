"""Settings of several projects share a state folder; what one taught does not decide elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.cli.watch.module_places import place_of, taken_by
from prefrontal.cli.watch.session import WatchSession, build_watch
from prefrontal.decisions.log import DecisionLog
from prefrontal.settings import load_settings


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder that all settings share by default."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "prefrontal"


def started(folder: Path, text: str) -> WatchSession:
    """A watch with settings in a folder, ended again."""
    folder.mkdir(exist_ok=True)
    (folder / "app.log").touch()
    (folder / "in").mkdir(exist_ok=True)
    (folder / "prefrontal.yml").write_text(text)
    session = build_watch(load_settings(folder / "prefrontal.yml"))
    session.start()
    assert session.stop()
    return session


def names(folder: Path, text: str = "sources: {logs: [app.log], directories: [in]}") -> list[str]:
    return [each.module_id for each in started(folder, text).modules]


def test_logs_and_folders_of_one_name_are_modules_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert names(one) == ["in", "app.log"]
    assert names(other) == ["other/in", "other/app.log"]
    assert names(one) == ["in", "app.log"]
    assert names(other) == ["other/in", "other/app.log"]
    third = tmp_path / "third" / "other"
    third.mkdir(parents=True)
    assert names(third) == [str(third / "in"), str(third / "app.log")]


def test_a_place_that_is_gone_leaves_its_name_to_another(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert names(one) == ["in", "app.log"]
    one.rename(other)
    assert names(other) == ["in", "app.log"]


def test_only_what_is_built_in_has_a_place(tmp_path: Path, state: Path) -> None:
    own = """
modules:
  - module_id: app.log
    cluster: mine
    version: "1"
    question_template: "{location}?"
    default_threshold: 0.5
    signal_priors: {logs: {files: [app.log]}}
sources: {logs: [app.log]}
"""
    [module] = started(tmp_path / "one", own).modules
    assert (module.module_id, place_of(module)) == ("app.log", None)
    with DecisionLog(state / "decisions.sqlite") as log:
        assert taken_by(log, "app.log") is None
    assert names(tmp_path / "other") == ["in", "app.log"]
    with DecisionLog(state / "decisions.sqlite") as log:
        assert taken_by(log, "app.log") == str(tmp_path / "other" / "app.log")
