"""`prefrontal push`: should a reviewer look at what was pushed?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal import cli
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.cli.replay.push import decide
from prefrontal.replay.session import Request, replay_git

from ...installation.made_history import git, make_history


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("history")
    make_history(folder)
    return folder


def push(history: Path, *words: str) -> Result:
    usual = ["push", "--git", str(history), "--relevant", "path:changelog/**"]
    return CliRunner().invoke(cli.main, [*usual, *words])


def test_a_push_that_cannot_matter_needs_no_reviewer(history: Path) -> None:
    done = push(history, "--base", "HEAD~3")
    assert done.exit_code == 1
    assert done.stdout.startswith('no review: "Polish a page 23')
    assert done.stdout.endswith("0 of 3 commits would wake the reviewer.\n")


def test_one_commit_that_may_matter_is_enough_and_programs_see_each(history: Path) -> None:
    done = push(history, "--base", "HEAD~4", "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["run"], told["decided"]) == (0, True, True)
    assert [each["run"] for each in told["commits"]] == [True, False, False, False]
    assert told["commits"][-1]["commit"] == git(history, "rev-parse", "HEAD")
    assert told["commits"][0]["subject"] == "Mend the reader 236"
    for each in told["commits"]:
        assert each["run"] == (each["score"] >= each["threshold"])


def test_outputs_and_summary_of_a_step_say_the_same(
    history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert push(history, "--base", "HEAD~1", "--github").exit_code == 0
    outputs = dict(x.split("=", 1) for x in (tmp_path / "GITHUB_OUTPUT").read_text().splitlines())
    assert list(outputs) == ["run", "why", "score", "threshold"]
    assert outputs["run"] == "false"
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert summary.startswith("### Review: no\n") and "| Polish a page 239 |" in summary


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "the commit before the push is not known: name it with --base COMMIT"),
        (["--base", "nowhere"], "the commit before the push is not known, got 'nowhere'"),
        (["--base", "--all"], "the commit before the push is not known, got '--all'"),
        (["--base", "HEAD~1", "--recall", "2"], "recall must be above 0 and at most 1, got 2.0"),
    ],
)
def test_what_cannot_be_is_one_sentence(history: Path, words: list[str], reason: str) -> None:
    done = push(history, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert reason in done.stderr
    assert push(history, *words, "--github").exit_code == 0


def test_what_is_too_much_or_too_new_is_reviewed(history: Path) -> None:
    many = push(history, "--base", "HEAD~130")
    assert (many.exit_code, "130 commits" in many.stdout) == (0, True)
    assert push(history, "--base", "HEAD").stdout == "no review: The push brings no commit.\n"
    nothing = push(history, "--base", "HEAD~1", "--relevant", "path:nowhere/**")
    assert (nothing.exit_code, "every push is reviewed" in nothing.stdout) == (0, True)


@pytest.mark.parametrize(("upper", "decided"), [(0.95, True), (0.85, False)])
def test_a_promise_that_was_not_kept_is_no_ground_to_skip(
    history: Path, upper: float, decided: bool
) -> None:
    request = Request(relevant="path:changelog/**")
    result = replay_git(str(history), request, PulseGate())
    result = replace(result, got_recall=0.8, recall_interval=(0.7, upper))
    verdict = decide(result, {git(history, "rev-parse", "HEAD")})
    assert (verdict.run, verdict.is_decided) == (not decided, decided)
    assert ("every push is reviewed" in verdict.why) != decided
