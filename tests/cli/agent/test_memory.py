"""`prefrontal memory`: list, get, store, search, with no agent running."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from prefrontal.cli import main

from ..refusals import refusal


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "workspace"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "workspace"


def run(*words: str, data: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["memory", *words], input=data)


def said(*words: str, data: str | bytes | None = None) -> str:
    return refusal(run(*words, data=data))


def test_what_is_stored_can_be_read_listed_and_found(workspace: Path) -> None:
    assert (
        run("store", "shopping", "Flour,\ntwo eggs").stdout == "Stored shopping: 15 characters.\n"
    )
    assert run("get", "shopping").stdout == "Flour,\ntwo eggs\n"
    header, line = run("list").stdout.splitlines()
    assert header.split() == ["key", "written", "characters", "text"]
    assert line.startswith("shopping  20")
    assert line.endswith("15  Flour, two eggs")
    assert run("search", "eggs").stdout.splitlines()[1].split()[0] == "shopping"
    assert (workspace / "memory/files/shopping.md").read_text() == "Flour,\ntwo eggs"


def test_text_comes_from_standard_input() -> None:
    assert run("store", "notes", data="Grüße\n").exit_code == 0
    assert run("store", "more", "-", data="x").exit_code == 0
    assert run("get", "notes").stdout == "Grüße\n"
    assert "standard input must be text in UTF-8" in said("store", "notes", data=b"\xff\xfe")
    assert run("get", "notes").stdout == "Grüße\n"


def test_what_was_there_is_replaced_and_told() -> None:
    run("store", "a", "1")
    assert run("store", "a", "2").stdout == "Replaced a: 1 character.\n"
    assert run("get", "a").stdout == "2\n"


def test_json_is_one_object_a_line() -> None:
    run("store", "a", "one two")
    run("store", "b", "two")
    first, second = map(json.loads, run("list", "--json").stdout.splitlines())
    assert (first["key"], first["characters"], second["key"]) == ("a", 7, "b")
    assert first["modified"] > 1e9
    assert json.loads(run("get", "a", "--json").stdout)["text"] == "one two"
    found = [json.loads(line) for line in run("search", "one", "--json").stdout.splitlines()]
    assert [each["key"] for each in found] == ["a"]
    assert 0 < found[0]["score"] <= 1


def test_an_empty_memory_is_a_sentence(workspace: Path) -> None:
    for words in (["list"], ["search", "x"]):
        result = run(*words)
        assert result.exit_code == 0
        assert result.stdout.count("\n") == 1
        assert result.stdout.startswith("Nothing")
    assert run("list", "--json").stdout == ""
    assert not workspace.exists()


def test_a_key_that_is_not_there_is_told_with_the_nearest() -> None:
    run("store", "shopping", "x")
    assert "got 'shoping' (did you mean 'shopping'?)" in said("get", "shoping")
    assert said("get", "zzz").endswith("got 'zzz'\n")


def test_a_key_cannot_leave_the_folder(workspace: Path) -> None:
    run("store", "../../evil", "x")
    assert run("get", "../../evil").stdout == "x\n"
    assert {path.parent for path in workspace.rglob("*.md")} == {workspace / "memory/files"}
    assert "key must be a non-blank string" in said("store", " ", "x")


def test_what_the_cortex_keeps_is_read_but_not_overwritten(workspace: Path) -> None:
    file = workspace / "memory/files/cortex-beliefs.md"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    assert run("get", "cortex-beliefs").stdout == "{}\n"
    assert "key must not begin with cortex-" in said("store", "cortex-beliefs", "x")
    assert file.read_text() == "{}"


def test_notes_stand_apart_from_what_the_cortex_keeps(workspace: Path) -> None:
    file = workspace / "memory/files/cortex-beliefs.md"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    alone = run("list").stdout.splitlines()
    assert alone[0] == "Kept by the cortex (`prefrontal cortex status`):"
    run("store", "shopping", "eggs")
    lines = run("list").stdout.splitlines()
    words = [line.split()[0] for line in lines]
    assert words == ["key", "shopping", "Kept", "key", "cortex-beliefs"]
    listed = [json.loads(line) for line in run("list", "--json").stdout.splitlines()]
    assert {each["key"]: each["owner"] for each in listed} == {
        "cortex-beliefs": "cortex",
        "shopping": "you",
    }


def test_what_the_session_keeps_is_no_note(workspace: Path) -> None:
    file = workspace / "memory/files/session-channels.md"
    file.parent.mkdir(parents=True)
    file.write_text('{"ann": ["web", "ann", "Ann"]}')
    run("store", "shopping", "eggs for ann")
    words = [line.split()[0] for line in run("list").stdout.splitlines()]
    assert words == ["key", "shopping", "Kept", "key", "session-channels"]
    listed = [json.loads(line) for line in run("list", "--json").stdout.splitlines()]
    assert [each["owner"] for each in listed] == ["session", "you"]
    for words in (["store", "session-channels", "x"], ["delete", "session-channels"]):
        assert "key must not begin with session-channels" in said(*words)
    (file.parent / "cortex-history.md").write_text("[ann]")
    found = [json.loads(line) for line in run("search", "ann", "--json").stdout.splitlines()]
    assert [each["key"] for each in found] == ["shopping"]


def test_nothing_that_is_remembered_can_move_the_cursor() -> None:
    evil = "\x1b[2J\x07\u202e"
    run("store", f"k{evil}", f"eggs{evil}")
    for words in (["list"], ["search", "eggs"], ["search", evil]):
        assert not any(character in run(*words).stdout for character in "\x1b\x07\u202e"), words


@pytest.mark.parametrize("columns", [30, 40, 80, 120])
def test_in_a_terminal_a_line_fits_its_width(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run("store", "shopping", "Flour " * 100)
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", str(columns)), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    for words in (["list"], ["search", "flour"]):
        line = click.unstyle(run(*words).stdout).splitlines()[1].rstrip()
        assert line.startswith("shopping  ")
        assert line.endswith("…")
        assert cell_len(line) == columns


def test_the_file_of_settings_names_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PREFRONTAL_HOME")
    (tmp_path / "prefrontal.yml").write_text("workspace: of-the-file\n")
    run("store", "a", "1")
    assert (tmp_path / "of-the-file/memory/files/a.md").read_text() == "1"
    run("store", "a", "2", "--workspace", "told")
    assert (tmp_path / "told/memory/files/a.md").read_text() == "2"
    (tmp_path / "prefrontal.yml").write_text("workspac: x\n")
    assert "did you mean 'workspace'" in said("list")
