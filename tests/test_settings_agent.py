"""The agent's keys of prefrontal.yml, and where the agent's files lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.settings import GateSettings, Settings, load_settings
from prefrontal.settings.agent_file import (
    AGENT_KEYS,
    GATE_KEYS,
    agent_files,
    read_agent_config,
    workspace_folder,
)

WHOLE = """\
identity: {name: Alpha}
provider: rules
workspace: ${DATA:-/var/lib}/alpha
channels: {webhook: {port: "${PORT}"}}
cortex:
  schedule_minutes: 30
  triggers: [new_peer, interaction_count: 5]
heartbeat:
routing: {workflows_root: tools}
sources: {directories: [~/Downloads]}
"""


def written(folder: Path, text: str, name: str = "prefrontal.yml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PREFRONTAL_HOME", raising=False)
    return tmp_path / "home"


def test_the_gate_and_the_agent_read_the_same_file(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    settings = load_settings(path)
    assert settings.sources.directories == ("~/Downloads",)
    assert settings.routing.workflows_root == "tools"
    config = read_agent_config(path, environ={"PORT": "8080"})
    assert config["identity"] == {"name": "Alpha"} == settings.identity
    assert config["cortex"] == settings.cortex
    assert config["heartbeat"] == {} == settings.heartbeat


def test_the_known_root_keys_are_those_of_the_settings() -> None:
    assert {*AGENT_KEYS, *GATE_KEYS} == {*Settings.model_fields, *GateSettings.model_fields}


def test_variables_are_taken_from_the_environment_or_their_default(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    config = read_agent_config(path, environ={"PORT": "8080", "DATA": ""})
    assert config["workspace"] == "/var/lib/alpha"
    assert config["channels"] == {"webhook": {"port": 8080}}
    assert read_agent_config(path, environ={"PORT": "80a"})["channels"]["webhook"]["port"] == "80a"


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("0.5", 0.5), ("-3", -3), ("007", "007"), ("1e5", "1e5"), ("None", "None")],
)
def test_a_value_that_is_one_variable_may_be_a_number_or_a_switch(
    tmp_path: Path, text: str, value: object
) -> None:
    path = written(tmp_path, "cortex: {enabled: '${X}', all: ['a ${X}']}")
    found = read_agent_config(path, environ={"X": text})["cortex"]
    assert found == {"enabled": value, "all": [f"a {text}"]}
    assert type(found["enabled"]) is type(value)


def test_a_variable_that_is_not_set_is_told_unless_nobody_asks_for_its_key(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    with pytest.raises(InputError, match="prefrontal.yml: the variable PORT must be set"):
        read_agent_config(path, environ={})
    assert set(read_agent_config(path, keys={"cortex"}, environ={})) == {"cortex"}


def test_the_folder_s_file_stands_in_front_of_the_home_s_key_by_key(
    tmp_path: Path, home: Path
) -> None:
    usual = "cortex: {schedule_minutes: 30, triggers: [a], cost: {input: 3}}\nprovider: rules"
    written(home / ".prefrontal", usual)
    here = tmp_path / "here"
    written(here, "cortex: {schedule_minutes: 15, triggers: [b]}")
    assert read_agent_config(here=here) == {
        "cortex": {"schedule_minutes": 15, "triggers": ["b"], "cost": {"input": 3}},
        "provider": "rules",
    }
    assert agent_files(here=here) == (home / ".prefrontal/prefrontal.yml", here / "prefrontal.yml")
    assert read_agent_config(written(here, "provider: replay"), here=home) == {"provider": "replay"}


def test_without_a_file_nothing_is_told(tmp_path: Path) -> None:
    assert read_agent_config(here=tmp_path) == {}
    assert read_agent_config(written(tmp_path, "# nothing\n")) == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "cortx: {}",
            "settings must have only known keys, got 'cortx' .did you mean 'cortex'.*; known are ",
        ),
        ("1: {}", "settings must have only known keys, got 1; known are adopted"),
        (
            "identity: {nmae: x}",
            "identity must .*, got 'nmae' .did you mean 'name'.*; known are name",
        ),
        ("polling: {interval: 3}", "polling must .* .did you mean 'interval_seconds'"),
        ("logging: {lvl: info}", "logging must .* .did you mean 'level'"),
        ("soul: {paht: x}", "soul must .* .did you mean 'path'"),
        ("cron: {job: []}", "cron must .* .did you mean 'jobs'"),
        ("plugins: {folder: []}", "plugins must .* .did you mean 'folders'"),
        ("subagent: {max_concurent: 2}", "subagent must .* .did you mean 'max_concurrent'"),
        ("observability: {capcity: 2}", "observability must .* .did you mean 'capacity'"),
        ("channels: {webhok: {}}", "channels must name channels, got 'webhok' .did you mean 'webh"),
        ("cortex: 3", "cortex must be a mapping, got 3"),
        ("llm: {1: 2}", "llm must be a mapping, got {1: 2}"),
        ("workspace: 3", "workspace must be a non-blank string, got 3"),
        ("provider: ' '", "provider must be a non-blank string, got ' '"),
        ("- a", r"settings must be a mapping, got \['a'\]"),
        ("cortex: [", "must be YAML"),
    ],
)
def test_a_slip_is_told_with_the_file(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=sentence) as caught:
        read_agent_config(path)
    assert str(caught.value).count(str(path)) == 1
    if "YAML" not in sentence:
        with pytest.raises(InputError):
            load_settings(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match="missing.yml cannot be read: .*; `prefrontal init` writes one"
    ):
        read_agent_config(tmp_path / "missing.yml")


def test_the_workspace_is_told_by_option_environment_file_or_home(home: Path) -> None:
    config = {"workspace": "~/of-the-file"}
    environ = {"PREFRONTAL_HOME": "/of/the/environment"}
    assert workspace_folder("told", config, environ) == Path("told")
    assert workspace_folder(None, config, environ) == Path("/of/the/environment")
    assert workspace_folder(None, config, {}) == home / "of-the-file"
    assert workspace_folder(None, {}, {}) == home / ".prefrontal/workspace"
    with pytest.raises(InputError, match="workspace must be a folder, got '~nobody-at-all'"):
        workspace_folder("~nobody-at-all", {}, {})


RELATIVE = """\
workspace: agent
observability: {file: "${LOGS:-logs}/events.jsonl"}
plugins: {folders: [plugins, ~/plugins, /srv/plugins]}
ledger: {path: ledger.sqlite}
"""


def test_relative_folders_lie_beside_the_file_that_names_them(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = written(tmp_path / "settings", RELATIVE).parent
    monkeypatch.chdir(tmp_path)
    config = read_agent_config("settings/prefrontal.yml")
    assert workspace_folder(None, config, {}) == settings / "agent"
    assert config["observability"] == {"file": f"{settings}/logs/events.jsonl"}
    folders = [f"{settings}/plugins", "~/plugins", "/srv/plugins"]
    assert config["plugins"] == {"folders": folders}
    assert config["ledger"] == {"path": "ledger.sqlite"}
    written(home / ".prefrontal", "workspace: own")
    assert read_agent_config(here=tmp_path)["workspace"] == str(home / ".prefrontal/own")


def test_a_folder_that_was_removed_holds_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_agent_config() == {}
