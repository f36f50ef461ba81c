"""What holds of every command: its help ends with exit codes, and --json gives JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import COMMANDS, main
from prefrontal.cli.exit_codes import ENDLESS, OWN, USUAL

from .tree import LEAVES, TREE

WITHOUT_JSON = {
    "agent chat": "a conversation at the terminal",
    "agent run": "its channels speak JSON already: JSON lines, or the webhook",
    "completion": "prints a script",
    "dash": "serves a page",
    "hook": "speaks the JSON of the agent's hooks",
    "mcp": "speaks JSON-RPC, and nothing else",
}
FINGERPRINT = {
    "module_id": "notes",
    "cluster": "personal",
    "version": "1",
    "question_template": "Does {location} matter?",
    "default_threshold": 0.5,
    "signal_priors": {"filesystem": {"watch_directories": ["/tmp"]}},
}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "workspace"))
    monkeypatch.setenv("PREFRONTAL_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.json").write_text(json.dumps(FINGERPRINT))


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def objects(*words: str) -> list[dict[str, object]]:
    """The JSON that a command prints with --json, and nothing else: an object, or one a line."""
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    try:
        found = [json.loads(done.stdout)]
    except ValueError:
        found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(isinstance(each, dict) for each in found)
    return found


@pytest.mark.parametrize("name", TREE)
def test_the_help_of_every_command_ends_with_its_exit_codes(name: str) -> None:
    text = run(*name.split(), "--help").stdout
    told = " ".join(text.partition("Exit codes: ")[2].split())
    codes = {int(part.split()[0]) for part in told.removesuffix(".").split("; ")}
    usual = set(USUAL) - ({0} if name in ENDLESS else set())
    assert codes == usual | set(OWN.get(name, {}))
    assert text.count("xit codes") == 1
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize("name", TREE)
def test_every_option_says_what_it_does(name: str) -> None:
    for option in TREE[name].params:
        if isinstance(option, click.Option) and not option.hidden:
            assert (option.help or "").partition("[default")[0].strip(), option.opts


@pytest.mark.parametrize("name", TREE)
def test_no_help_shows_the_marks_of_its_layout(name: str) -> None:
    text = CliRunner().invoke(main, [*name.split(), "--help"]).stdout
    assert "\\b" not in text and "\b" not in text


def test_no_line_of_a_list_of_commands_is_cut() -> None:
    for name, command in TREE.items():
        if name and isinstance(command, click.Group):
            listed = run(*name.split(), "--help").stdout.partition("Commands:")[2]
            assert listed
            assert "..." not in listed, name


def test_every_command_stands_once_in_a_section_of_the_help() -> None:
    sections = run("--help").stdout.partition("Start here:")[2].partition("Exit codes")[0]
    listed = [line.split(maxsplit=1) for line in sections.splitlines() if line.startswith("  ")]
    listed = [words for words in listed if words]
    assert sorted(listed) == sorted([name, line] for name, (_, line) in COMMANDS.items())


def test_codes_of_its_own_has_only_a_command_that_is_there() -> None:
    assert set(OWN) <= set(TREE)
    assert set(ENDLESS) <= set(LEAVES)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_that_prints_has_json(name: str) -> None:
    has_json = any("--json" in option.opts for option in LEAVES[name].params)
    assert has_json != (name in WITHOUT_JSON)


def test_modules_are_listed_checked_added_and_removed_as_json() -> None:
    (checked,) = objects("modules", "check", "notes.json")
    assert checked["module_id"] == "notes"
    assert checked["meaning"]
    (added,) = objects("modules", "add", "notes.json")
    assert (added["module_id"], added["replaced"]) == ("notes", False)
    (listed,) = objects("modules", "list")
    assert listed["module"] == added["module"]
    (removed,) = objects("modules", "remove", "notes")
    assert removed == {"module_id": "notes", "removed": True}
    assert objects("modules", "list") == []


def test_what_was_remembered_pinned_and_forgotten_is_told_as_json() -> None:
    assert objects("memory", "store", "plan", "Bread") == [
        {"key": "plan", "replaced": False, "characters": 5}
    ]
    (pinned,) = objects("cortex", "pin", "house-rule", "--value", "Be short.")
    assert pinned == {"outcome": "pinned", "name": "house-rule", "running": False}
    (forgotten,) = objects("cortex", "forget", "house-rule")
    assert forgotten["outcome"] == "forgotten"


def test_init_tells_the_file_and_the_commands_that_come_next() -> None:
    (done,) = objects("init")
    assert Path(str(done["file"])).is_file()
    assert any(str(each).startswith("prefrontal watch") for each in done["next"])  # type: ignore[attr-defined]


def test_an_export_into_a_file_is_told_as_json(tmp_path: Path) -> None:
    assert objects("ledger", "export", "--output", "all.jsonl") == [
        {"file": "all.jsonl", "lines": len((tmp_path / "all.jsonl").read_text().splitlines())}
    ]


def test_tools_that_are_taken_in_are_told_as_json(tmp_path: Path) -> None:
    tool = {"name": "weather", "description": "Weather of a city.", "inputSchema": {}}
    (tmp_path / "workflows").mkdir()
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool]}))
    (done,) = objects("route", "tools", "import-mcp", "tools.json")
    assert len(done["tools"]) == 1  # type: ignore[arg-type]


def test_with_json_an_error_is_the_same_sentence_and_code() -> None:
    plain, as_json = run("modules", "remove", "other"), run("modules", "remove", "other", "--json")
    assert (as_json.exit_code, as_json.stderr, as_json.stdout) == (2, plain.stderr, "")


def test_the_tree_is_walked_to_its_leaves() -> None:
    assert {"route tools promote", "cortex patterns import", "replay"} <= set(LEAVES)
    assert all(isinstance(each, click.Command) for each in TREE.values())
