"""`prefrontal route`: what each mode prints and keeps, and with which code it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner

from prefrontal import cli

from ...exhaustive import first
from ..routed import (
    COMPOSE,
    SUMMARIZE,
    UNKNOWN,
    confined,
    example,
    kept,
    log,
    phases,
    route,
    settings,
)

READING = ["parse", "discover", "rank", "compose"]
TRIED = ["validate"] * 4
KEPT = ["approve", "promote"]

MATRIX = {
    "--dry-run": (TRIED, []),
    "--non-interactive": (TRIED, KEPT),
    "--explain": (TRIED, KEPT),
    "--plan": ([], []),
}
"""Flag -> the phases of validation, those of promotion."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return example(tmp_path)


@confined
@pytest.mark.parametrize("flag", first(1, MATRIX))
def test_each_mode_validates_promotes_and_prints_what_its_row_says(
    flag: str, project: Path
) -> None:
    tried, promoted = MATRIX[flag]
    before = kept(project)
    result = route(project, COMPOSE, flag, data="y\n")
    assert result.exit_code == 0, result.output
    assert phases(project) == [*READING, *tried, *promoted, "end"]
    assert (kept(project) > before) == bool(promoted)
    lines = result.stdout.splitlines()
    if flag == "--plan":
        assert list(yaml.safe_load(result.stdout)) == ["plan", "io"]
        assert result.stderr == ""
        return
    assert lines[0].startswith("[PREFRONTAL] domain=analysis action=visualise (confidence=0.")
    assert ("  mypy: ok" in result.stdout) == (flag in {"--dry-run", "--explain"})
    assert ("  map: logistic" in result.stdout) == (flag == "--explain")
    assert ("promote → workflows/" in result.stdout) == bool(promoted)
    plan = result.stdout.partition("plan:\n")[2]
    assert bool(plan) == (flag == "--dry-run")
    assert yaml.safe_load(f"plan:\n{plan}")["plan"] is not None or not plan


def test_a_plan_may_be_had_as_json_and_explained_beside_it(project: Path) -> None:
    as_json = route(project, COMPOSE, "--plan", "--json")
    plan = json.loads(as_json.stdout)
    assert [step["id"] for step in plan["plan"]["steps"]] == ["s1", "s2"]
    explained = route(project, COMPOSE, "--plan", "--explain")
    assert yaml.safe_load(explained.stdout) == plan
    assert "score = map(0.4 name + 0.4 doc + 0.2 history)" in explained.stderr


@pytest.mark.parametrize(
    ("prompt", "notes"),
    [
        (COMPOSE, []),
        ("summarize a matrix, then juggle the oranges", ["nothing covers 'juggle the oranges'"]),
        ("count the words, then plot a matrix", ["s1 hands nothing on to another step"]),
    ],
)
def test_what_a_plan_leaves_open_is_said_beside_it(
    prompt: str, notes: list[str], project: Path
) -> None:
    for flags in ([], ["--json"]):
        result = route(project, prompt, "--plan", *flags)
        assert result.exit_code == 0
        assert result.stderr == "".join(f"[PREFRONTAL] {note}\n" for note in notes)
    explained = route(project, prompt, "--plan", "--explain").stderr
    assert all(explained.count(note) < 2 for note in notes)


def test_a_plan_says_which_file_is_whose(project: Path) -> None:
    for name, doc in (("load_csv", "Load a csv file."), ("list_columns", "List the columns.")):
        text = f'"""{doc}"""\n\n\ndef run(path: str) -> list[str]:\n    return [path]\n'
        folder = project / "workflows/domains/tables" / name.partition("_")[0]
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(text)
    prompt = "list the columns of a.csv and then load the csv file b.csv"
    result = route(project, prompt, "--plan")
    assert result.exit_code == 0
    assert "[PREFRONTAL] path: path for s1, path_2 for s2\n" in result.stderr
    assert "params: [path, path_2]" in result.stdout
    explained = route(project, prompt, "--plan", "--explain").stderr
    assert explained.count("path: path for s1, path_2 for s2") == 1
    same = route(project, prompt.replace("b.csv", "a.csv"), "--plan")
    assert "params: [path]" in same.stdout and "path for s1" not in same.stderr


def test_what_is_not_to_be_done_is_said_beside_a_plan(project: Path) -> None:
    prompt = "summarize a matrix, no plotting"
    said = "[PREFRONTAL] left out, since it is not to be done: no plotting\n"
    assert route(project, prompt, "--plan").stderr == said
    assert route(project, prompt, "--plan", "--explain").stderr.count(said) == 1
    assert said not in route(project, "summarize a matrix", "--plan").stderr


def test_why_a_plan_does_not_end_with_0_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFRONTAL_ROUTING__RANKER__THRESHOLD", "0.3")
    for name, doc in (("send_mail", "Send a mail."), ("print_mail", "Print a mail on paper.")):
        text = f'"""{doc}"""\n\n\ndef run() -> int:\n    return 1\n'
        (project / f"workflows/domains/text/count/{name}.py").write_text(text)
    result = route(project, "mail the report", "--plan")
    assert result.exit_code == 3
    assert result.stderr.endswith(": either may be meant.\n")
    assert result.stdout.startswith("plan:")


def test_a_plan_that_does_not_exist_prints_nothing_but_why(project: Path) -> None:
    result = route(project, UNKNOWN, "--plan")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("[PREFRONTAL] no tool for domain=")


@confined
@pytest.mark.parametrize("flags", first(1, [["--non-interactive"], ["--dry-run"]]))
def test_json_lines_are_the_log(flags: list[str], project: Path) -> None:
    result = route(project, SUMMARIZE, *flags, "--json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == log(project)
    assert result.stderr == ""


@confined
@pytest.mark.parametrize("prompt", first(1, [SUMMARIZE, COMPOSE]))
def test_an_old_run_is_told_again_exactly_as_it_was_explained(prompt: str, project: Path) -> None:
    live = route(project, prompt, "--explain", "--non-interactive")
    run_id = log(project)[0]["run_id"]
    again = route(project, "explain", run_id)
    assert again.stdout == live.stdout
    assert route(project, "explain", run_id[:-1]).stdout == live.stdout
    as_json = route(project, "explain", run_id, "--json")
    assert [json.loads(line) for line in as_json.stdout.splitlines()] == log(project)


def test_a_run_that_is_not_there_is_refused_with_the_latest(project: Path) -> None:
    none = route(project, "explain", "run-1")
    assert none.exit_code == 2
    assert "there is none yet" in none.stderr
    route(project, SUMMARIZE, "--plan")
    latest = log(project)[0]["run_id"]
    result = route(project, "explain", "route-001")
    assert result.exit_code == 2
    assert f"got 'route-001'; the latest is {latest}" in result.stderr


def test_a_torn_log_is_told_as_far_as_it_goes(project: Path) -> None:
    route(project, SUMMARIZE, "--plan")
    [path] = project.glob("logs/runs/*/steps.log")
    path.write_bytes(path.read_bytes()[:-20])
    result = route(project, "explain", path.parent.name)
    assert result.exit_code == 0
    assert "candidates: summarize_matrix(" in result.stdout
    assert "Warning: " in result.stderr


@pytest.mark.exhaustive
@confined
def test_the_exit_codes_that_a_person_sees(project: Path) -> None:
    assert route(project, SUMMARIZE, "--non-interactive").exit_code == 0
    assert route(project, SUMMARIZE, "--weights").exit_code == 2
    assert route(project, UNKNOWN, "--non-interactive").exit_code == 3
    assert route(project, SUMMARIZE, data="n\n").exit_code == 4


@confined
def test_a_tool_that_fails_ends_with_5_and_its_reason(project: Path) -> None:
    path = project / "workflows/domains/analysis/summarise/summarize_matrix.py"
    path.write_text(path.read_text().replace("widths.pop()", "width.pop()"))
    failed = route(project, SUMMARIZE, "--non-interactive")
    assert failed.exit_code == 5
    assert "validation FAILED: ruff failed: " in failed.stdout


def test_generated_code_ends_with_4_or_6(tmp_path: Path) -> None:
    project = example(tmp_path, model=True)
    waiting = route(project, UNKNOWN, "--non-interactive")
    assert waiting.exit_code == 4
    assert "generated code needs a person's approval; nearest misses: " in waiting.stdout
    refused = route(project, UNKNOWN, "--non-interactive", "--allow-generated")
    assert refused.exit_code == 6
    assert "REFUSED by the guardrails; see workflows/_tmp/" in refused.stdout
    assert "got 'urllib.request'" in refused.stdout


@pytest.mark.exhaustive
def test_a_sandbox_that_does_not_confine_ends_with_7(project: Path) -> None:
    settings(project, "sandbox: {level: none}")
    result = route(project, SUMMARIZE, "--non-interactive")
    assert result.exit_code == 7
    assert "confines too little to run a module in" in result.stdout
    weak = route(project, SUMMARIZE, "--non-interactive", "--allow-weak-sandbox")
    assert weak.exit_code == 7
    assert "not approved: the sandbox does not confine it" in weak.stdout


@pytest.mark.parametrize("flags", [["--dry-run"], ["--non-interactive"]])
def test_a_plan_stands_alone(flags: list[str], project: Path) -> None:
    result = route(project, SUMMARIZE, "--plan", *flags)
    assert result.exit_code == 2
    assert "--plan must stand alone" in result.stderr


@pytest.mark.parametrize("prompt", ["", "   ", "?!"])
def test_a_prompt_without_a_word_is_refused_with_a_sentence(prompt: str, project: Path) -> None:
    result = route(project, prompt)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: prompt must ")
    assert result.stdout == ""


def test_without_a_prompt_the_usage_is_shown(project: Path) -> None:
    result = route(project, "--plan")
    assert result.exit_code == 2
    assert "Missing argument 'PROMPT" in result.stderr


def test_a_prompt_may_begin_like_a_command_and_flags_may_stand_in_front(project: Path) -> None:
    assert route(project, "--plan", "summarize", "this", "matrix").exit_code == 0
    assert log(project)[0]["detail"]["prompt"] == "summarize this matrix"
    assert route(project, "tools that plot a matrix", "--plan").exit_code == 0


def test_no_folder_of_tools_is_a_sentence(tmp_path: Path) -> None:
    result = route(tmp_path, SUMMARIZE)
    assert result.exit_code == 2
    sentence = f"Error: {tmp_path / 'workflows'} is not a folder of tools: tools are Python files"
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_of_tools_has_no_nearest_miss(tmp_path: Path) -> None:
    (tmp_path / "workflows").mkdir()
    result = route(tmp_path, SUMMARIZE, "--non-interactive")
    assert result.exit_code == 3
    assert "[PREFRONTAL] candidates: none\n" in result.stdout
    assert result.stdout.endswith(
        "no tool fits and no model is configured to write one; there are no tools yet.\n"
    )


HIDDEN = "summarize \x1b[2J\x07 a \u202ematrix\u200b \x9b then plot it\u2066"


@pytest.mark.parametrize(
    "flags",
    first(1, [["--plan"], ["--plan", "--json"], ["--plan", "--explain"], ["--non-interactive"]]),
)
def test_control_characters_of_a_prompt_never_reach_the_terminal(
    flags: list[str], project: Path
) -> None:
    settings(project, "sandbox: {level: none}")
    result = route(project, HIDDEN, *flags)
    assert result.exit_code in {0, 7}
    assert result.output.replace("\n", "").isprintable()
    told = route(project, "explain", log(project)[0]["run_id"], "--json")
    assert told.output.replace("\n", "").isprintable()
    assert json.loads(told.stdout.splitlines()[0])["detail"]["prompt"] == HIDDEN


@confined
def test_switches_of_cache_and_hints_are_those_of_this_run(project: Path) -> None:
    facts = project / "workflows/_tmp/.cache/facts.json"
    route(project, SUMMARIZE, "--plan", "--no-cache")
    assert not facts.exists()
    route(project, SUMMARIZE, "--plan", "--cache")
    assert facts.exists()
    (project / "docs").mkdir()
    (project / "docs" / "matrix.md").write_text("# Matrix\n\nSummarize a matrix here.\n")
    route(project, SUMMARIZE, "--plan", "--rag")
    assert log(project)[0]["detail"]["rag_hits"] != []
    route(project, SUMMARIZE, "--plan", "--no-rag")
    assert log(project)[0]["detail"]["rag_hits"] == []


def test_help_names_every_flag_and_every_exit_code() -> None:
    text = CliRunner().invoke(cli.main, ["route", "--help"]).stdout
    for flag in ("--dry-run", "--non-interactive", "--explain", "--plan", "--json"):
        assert flag in text
    for flag in ("--cache / --no-cache", "--rag / --no-rag", "--allow-generated"):
        assert flag in text
    for code in ("2 a slip", "3 confidence", "4 a person", "5 validation", "6 the", "7 the"):
        assert code in " ".join(text.split())
