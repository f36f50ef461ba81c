"""`prefrontal modules`: check, add, list, remove."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cli import main
from prefrontal.errors import InputError
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.storage.state_folder import StateFolder

from ..refusals import refusal

YAML = """\
module_id: invoices
cluster: money
version: "1"
question_template: "A new invoice at {location}?"
default_threshold: 0.6
signal_priors:
  filesystem:
    watch_directories: [/in]
    relevant_extensions: [.pdf]
    irrelevant_extensions: [.tmp]
"""


def described(**changes: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "module_id": "m",
        "cluster": "c",
        "version": "1",
        "question_template": "{location}?",
        "default_threshold": 0.5,
    }
    return told | changes


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("PREFRONTAL_STATE", str(folder))
    return folder


def file(folder: Path, content: str | dict[str, Any]) -> str:
    path = folder / ("module.yml" if isinstance(content, str) else "module.json")
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["modules", *words])


def said(*words: str) -> str:
    return refusal(run(*words))


def test_check_says_what_the_fingerprint_means(tmp_path: Path) -> None:
    result = run("check", file(tmp_path, YAML))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "invoices is a good fingerprint. Before anything was learned:",
        "  a .pdf created in /in scores 0.90: wakes the agent (from 0.60)",
        "  any other file created in /in scores 0.27: does not wake (from 0.60)",
        "  a .tmp created in /in scores 0.03: does not wake (from 0.60)",
    ]


@pytest.mark.parametrize(
    ("priors", "sentences"),
    [
        (
            {"filesystem": {"watch_directories": ["/a", "/b"]}},
            ["any file created in /a (and 1 more) scores 0.77: wakes"],
        ),
        (
            {
                "filesystem": {"watch_directories": ["/a"], "relevant_extensions": [".pdf"]},
                "time": {"active_hours": [22, 6], "active_days": [5]},
            },
            ["a .pdf created in /a scores 0.90: wakes", "outside the active hours or days scores"],
        ),
        (
            {"memory": {"watch_namespaces": ["user"], "high_relevance_keys": ["goal"]}},
            ["the key 'goal' written in user scores 0.9", "any other key written in user scores"],
        ),
        (
            {"time": {"active_hours": [0, 23], "typical_interval_hours": 4}},
            ["tick 4 hours after the last wake scores 0.73: wakes", "right after a wake scores 0."],
        ),
        ({}, ["any signal scores 0.50: wakes the agent (from 0.50)"]),
    ],
)
def test_check_speaks_of_every_prior(
    tmp_path: Path, priors: dict[str, Any], sentences: list[str]
) -> None:
    output = run("check", file(tmp_path, described(signal_priors=priors))).stdout
    for sentence in sentences:
        assert sentence in output


@pytest.mark.parametrize(
    ("priors", "watches", "meaning"),
    [
        ({"git": {}}, "commits", "a commit that it declares"),
        ({"git": {"repositories": ["/p"], "paths": ["src", "*.toml"], "branches": ["main", "x"]}},
         "commits in /p (src, *.toml, branch main or x)", "a commit that it declares"),
        ({"logs": {}}, "lines of log files", "a line of a log file that it declares"),
        ({"logs": {"files": [*"abcde"], "contains": ["ERROR"]}},
         "lines of a, b, c and 2 more (with ERROR)", "a line of a log file that it declares"),
        ({"http": {"sources": ["ci", "slack"], "types": ["failed"]}},
         "what ci and slack send (failed)", "news of ci"),
        ({"mcp": {"servers": ["tickets"]}}, "MCP server tickets",
         "news of an MCP server that it declares"),
        ({"github": {"repositories": ["a/b"], "events": ["push"]}}, "GitHub a/b (push)",
         "a delivery of GitHub that it declares"),
        ({"calendar": {"calendars": ["team"], "events": ["begins"]}}, "calendar team (begins)",
         "an event of a calendar that it declares"),
        ({"network": {"endpoints": ["https://a.org"]}}, "https://a.org",
         "a page that it declares and that changed"),
    ],
)  # fmt: skip
def test_a_source_that_is_declared_is_shown_and_explained(
    tmp_path: Path, state: Path, priors: dict[str, Any], watches: str, meaning: str
) -> None:
    path = file(tmp_path, described(signal_priors=priors))
    assert f"Added m: watches {watches}.\n" in run("add", path).stdout
    checked = run("check", path).stdout.splitlines()
    assert checked[1] == f"  {meaning} scores 0.77: wakes the agent (from 0.50)"


def test_a_program_of_any_name_starts_in_the_middle_and_hours_count_for_every_source(
    tmp_path: Path,
) -> None:
    priors = {"http": {}, "time": {"active_hours": [9, 17]}}
    checked = run("check", file(tmp_path, described(signal_priors=priors))).stdout.splitlines()
    name = "news of a program with any name"
    assert checked[1:] == [
        f"  {name} scores 0.50: wakes the agent (from 0.50)",
        f"  {name}, outside the active hours or days scores 0.08: does not wake (from 0.50)",
    ]


def test_add_keeps_what_was_checked_and_list_shows_it(tmp_path: Path, state: Path) -> None:
    assert "No module is kept" in run("list").stdout
    added = run("add", file(tmp_path, YAML))
    assert added.stdout.startswith("Added invoices: watches /in (.pdf).\n")
    kept = json.loads((state / "modules" / "invoices.json").read_text(encoding="utf-8"))
    assert kept == parse_fingerprint(kept).to_dict()
    assert run("add", file(tmp_path, YAML)).stdout.startswith("Replaced invoices")
    lines = run("list").stdout.splitlines()
    assert lines[1].split()[:3] == ["invoices", "0.60", "/in"]
    assert len(lines) == 2


@pytest.mark.usefixtures("state")
def test_a_pipe_gets_each_module_on_a_line_of_its_own(tmp_path: Path) -> None:
    folder = "/folder/" * 12
    priors = {"filesystem": {"watch_directories": [folder]}}
    run("add", file(tmp_path, described(signal_priors=priors)))
    header, line = run("list").stdout.splitlines()
    assert header == "module  from  watches"
    assert line == f"m       0.50  {folder.replace('//', '/').rstrip('/')}"


@pytest.mark.usefixtures("state")
def test_a_long_name_leaves_room_in_a_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    priors = {"filesystem": {"watch_directories": ["/folder"]}}
    run("add", file(tmp_path, described(module_id="invoices-" * 9, signal_priors=priors)))
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", "36"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    _, line = click.unstyle(run("list").stdout).splitlines()
    assert line.split() == ["invoices-in…", "0.50", "/folder"]


def test_the_folders_are_for_their_owner_alone(tmp_path: Path, state: Path) -> None:
    run("add", file(tmp_path, YAML))
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "modules").stat().st_mode & 0o777 == 0o700


def test_remove_takes_it_away(tmp_path: Path, state: Path) -> None:
    run("add", file(tmp_path, YAML))
    assert run("remove", "invoices").stdout == "Removed invoices.\n"
    assert list((state / "modules").iterdir()) == []
    assert "module must be one that is kept (none is kept), got 'invoices'" in said(
        "remove", "invoices"
    )


def test_of_many_modules_a_refusal_names_ten_and_the_nearest(tmp_path: Path, state: Path) -> None:
    for number in range(10, 42):
        run("add", file(tmp_path, described(module_id=f"m{number}")))
    run("add", file(tmp_path, described(module_id="receipts")))
    sentence = said("remove", "receipt")
    assert "kept (m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, and 23 more), got" in sentence
    assert sentence.rstrip().endswith("got 'receipt' (did you mean 'receipts'?)")


@pytest.mark.parametrize(
    "module_id", ["../evil", "/etc/evil", "..", ".", ".hidden", "a/b", "a\0b", "ü" * 400, "a\nb"]
)
def test_no_id_leaves_the_folder(tmp_path: Path, state: Path, module_id: str) -> None:
    result = run("add", file(tmp_path, described(module_id=module_id)))
    assert result.exit_code == 0, result.output
    kept = list((state / "modules").iterdir())
    assert len(kept) == 1
    assert not kept[0].name.startswith(".")
    assert json.loads(kept[0].read_text())["module_id"] == module_id
    assert sorted(path.name for path in tmp_path.iterdir()) == ["module.json", "state"]
    assert len(run("list").stdout.splitlines()) == 2
    assert run("remove", module_id).exit_code == 0


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_ids_have_two_files_inside_the_folder(first: str, second: str) -> None:
    folder = StateFolder("/state")
    paths = []
    for module_id in (first, second):
        try:
            paths.append(folder.module_file(module_id))
        except InputError:
            return
    assert all(path.parent == folder.modules for path in paths)
    assert all(len(path.name) < 200 and not path.name.startswith(".") for path in paths)
    assert (paths[0] == paths[1]) == (first == second)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "fingerprint must be a mapping, got None"),
        ("[1]", "fingerprint must be a mapping, got [1]"),
        ("module_id: [", "must be YAML"),
        (
            described(default_threshold=2),
            "default_threshold must be a number in 0..1 or null, got 2",
        ),
        (described(module_id="\ud800"), "module_id must be text that UTF-8 can hold"),
        (described(question_template="?"), "question_template must contain {location}"),
    ],
)
@pytest.mark.parametrize("command", ["add", "check"])
def test_a_bad_fingerprint_is_refused_and_nothing_is_kept(
    tmp_path: Path, state: Path, command: str, content: str | dict[str, Any], sentence: str
) -> None:
    path = file(tmp_path, content)
    words = said(command, path)
    assert words.startswith(f"Error: {path}")
    assert sentence in words
    assert not state.exists()


@pytest.mark.parametrize("command", ["add", "check"])
def test_a_file_that_is_not_there_is_told(command: str) -> None:
    assert "/no/such.json cannot be read: No such file" in said(command, "/no/such.json")


def test_a_kept_file_that_is_broken_is_listed_with_what_is_wrong(
    tmp_path: Path, state: Path
) -> None:
    run("add", file(tmp_path, YAML))
    (state / "modules" / "broken.json").write_text("{")
    result = run("list")
    assert result.exit_code == 0
    assert "broken.json" in result.stdout
    assert "cannot be used" in result.stdout
    assert "invoices" in result.stdout
