"""watch, run --once and mcp, told the same, decide the same."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.watch.module_files import given_modules
from prefrontal.decisions.log import DecisionLog
from prefrontal.ledger import Ledger
from prefrontal.mcp.served import open_served
from prefrontal.pulse.sources.event_lines import event_from_line
from prefrontal.settings import load_settings
from prefrontal.storage.state_folder import StateFolder

from .running import watching

NOW = 1_700_000_000.0
MODULE = {
    "module_id": "mail",
    "cluster": "work",
    "version": "1",
    "question_template": "{location} by {actor}: of use?",
    "default_threshold": 0.3,
    "signal_priors": {},
}

Decided = list[tuple[Any, ...]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, and a ledger in which mallory is trusted -9 and ann +6."""
    for name in ("PREFRONTAL_STATE", "PREFRONTAL_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent").mkdir()
    with Ledger(tmp_path / "agent" / "ledger.sqlite") as ledger:
        for peer, trust in (("mallory", -9), ("ann", 6)):
            ledger.record_interaction(peer, "in", preview="Hello.", size=6, display_name=peer)
            ledger.record_assessment(peer, trust, "As they were.")
    settings = {
        "modules": [MODULE],
        "workspace": str(tmp_path / "agent"),
        "sources": {"socket": "events.sock"},
        "gate": {"audit_share": 0.0, "log_refusals": True},
        "executive": {"act": False},
    }
    (tmp_path / "prefrontal.yml").write_text(json.dumps(settings))
    return tmp_path


def line(number: int, actor: str) -> str:
    told = {"source": "mail", "location": f"letter {number}", "delta_type": "created"}
    return json.dumps({**told, "timestamp": NOW + number, "features": {"actor": actor}})


LINES = [line(number, actor) for number, actor in enumerate(("mallory", "bob", "mallory", "ann"))]


def kept(state: Path) -> Decided:
    with DecisionLog(state / "decisions.sqlite") as log:
        return [
            (each.window[0].location, each.acted, str(each.reason), each.score.hex(), each.why)
            for each in log.records()
            if each.kind == "wake"
        ]


def by_run(folder: Path) -> Decided:
    words = ["run", "--once", "-", "--config", "prefrontal.yml", "--state", "run"]
    done = CliRunner().invoke(main, words, input="\n".join(LINES))
    assert done.exit_code == 0, done.output
    return kept(folder / "run")


def by_watch(folder: Path) -> Decided:
    with watching("--config", "prefrontal.yml", "--state", folder / "watch") as running:
        with socket.socket(socket.AF_UNIX) as sender:
            sender.connect(str(folder / "events.sock"))
            sender.sendall("".join(f"{each}\n" for each in LINES).encode())
            while "by ann: of use?" not in running.line():  # the last one
                pass
        running.end()
    return kept(folder / "watch")


def by_mcp(folder: Path) -> Decided:
    settings, state = load_settings("prefrontal.yml"), StateFolder(folder / "mcp")
    modules = [module for _, module in given_modules(settings, state)]
    with open_served(settings, state, modules, config="prefrontal.yml") as served:
        for each in LINES:
            served.gate.judge([event_from_line(each.encode(), NOW)])
    return kept(folder / "mcp")


def test_who_is_not_trusted_sleeps_at_every_door(folder: Path) -> None:
    decided = by_run(folder)
    assert [acted for _, acted, *_ in decided] == [False, True, False, True]
    assert decided[0][-1][0] == ("trust in mallory -9", pytest.approx(-1.35))
    assert by_watch(folder) == decided
    assert by_mcp(folder) == decided


@pytest.mark.parametrize("command", ["watch", "run", "mcp"])
def test_each_door_takes_the_options_of_the_gate(folder: Path, command: str) -> None:
    done = CliRunner().invoke(main, [command, "--config", "prefrontal.yml", "--recall", "2"])
    assert done.exit_code == 2
    assert done.stderr.endswith("recall must be a number above 0 and at most 1, got 2.0\n")
    both = ["--recall", "0.8", "--threshold", "0.5"]
    done = CliRunner().invoke(main, [command, "--config", "prefrontal.yml", *both])
    assert done.exit_code == 2
    assert "must have a threshold or a recall, not both" in done.stderr


def test_a_recall_on_the_command_line_takes_the_place_of_a_threshold(folder: Path) -> None:
    path = folder / "prefrontal.yml"
    settings = json.loads(path.read_text())
    settings["gate"]["threshold"] = 0.99
    path.write_text(json.dumps(settings))
    words = ["run", "--once", "-", "--config", "prefrontal.yml", "--state"]
    told = "\n".join(LINES)
    fixed = CliRunner().invoke(main, [*words, "fixed"], input=told)
    assert "Done: 4 events, 0 wakes" in fixed.stderr
    follows = CliRunner().invoke(main, [*words, "follows", "--recall", "0.8"], input=told)
    assert "Done: 4 events, 4 wakes" in follows.stderr
    assert "mail: wakes on everything until 4 relevant answers are known" in follows.stderr
