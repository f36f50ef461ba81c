"""Nobody reads what a command prints: what was asked for is done all the same, without a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog

from ..replay.streams import history, write_lines
from .decisions.test_decisions import decision
from .route.test_route_tools import PHRASINGS, recorded_model
from .routed import SUMMARIZE, confined, example, kept


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, which is also where we are."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "PREFRONTAL_STATE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "workspace"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def unread(*words: str | Path) -> None:
    """Run the command with a standard output that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "prefrontal", *map(str, words)],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_adopt_writes_the_settings_and_what_was_learned(home: Path) -> None:
    write_lines(home / "windows.jsonl", history(0, 150))
    unread("adopt", "--events", "windows.jsonl", "--yes")
    assert 'module: "windows"' in (home / "prefrontal.yml").read_text()
    assert list(home.glob(".local/state/prefrontal/**/decisions.sqlite"))


def test_install_and_uninstall_write(home: Path) -> None:
    (home / "prefrontal.yml").write_text("sources: {directories: [.]}\n")
    (home / ".claude").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text("{}")
    unread("install", "claude-code", "--yes")
    assert "prefrontal" in settings.read_text()
    unread("uninstall", "claude-code", "--yes")
    assert settings.read_text() == "{}"


def test_what_writes_first_and_then_prints_has_written(home: Path) -> None:
    unread("memory", "store", "shopping", "Flour")
    assert (home / "workspace/memory/files/shopping.md").read_text() == "Flour"
    with DecisionLog(home / "decisions.sqlite") as log:
        log.append(decision(1))
    unread("feedback", "00000001", "useful", "--state", home)
    with DecisionLog(home / "decisions.sqlite") as log:
        [record] = log.recent()
    assert record.label == 1.0


def test_every_tool_is_expanded(home: Path) -> None:
    project = example(home)
    recorded_model(project, PHRASINGS)
    before = kept(project)
    where = ["--config", f"{project}/prefrontal.yml", "--workflows", f"{project}/workflows"]
    unread("route", "tools", "expand", "--yes", *where)
    assert len(kept(project) - before) > 1


def test_a_sweep_has_its_table(home: Path) -> None:
    write_lines(home / "windows.jsonl", history(0, 60))
    (home / "sweep.yml").write_text("histories: [windows.jsonl]\nrecalls: [0.9]\n")
    unread("replay", "--sweep", "sweep.yml", "--jobs", "1", "--json")
    assert (home / "sweep-results" / "table.csv").is_file()


@confined
@pytest.mark.exhaustive
def test_a_route_goes_on_to_its_promotion_where_nobody_is_asked(home: Path) -> None:
    project = example(home)
    before = kept(project)
    unread("route", SUMMARIZE, "--non-interactive", "--workflows", project / "workflows")
    assert kept(project) > before
