"""What `prefrontal replay` replays: where one is, the sample, and a folder whose kind it sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.replay.sample import read_sample

from ...replay import repositories
from ...replay.agent_sessions import openclaw_home
from ...replay.repositories import Change
from ...replay.streams import history, write_lines
from ..commands import run, said

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)


def found(*words: str | Path) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def project(
    import_history: Callable[[Iterable[Change]], Path], git: Callable[..., str], tmp_path: Path
) -> Path:
    """A work tree of ninety changes, with a folder src in it."""

    def change(number: int) -> Change:
        files: dict[str, str | None] = {f"src/{number % 7}.c": str(number)}
        if number % 3 == 0:
            files |= {f"changelog/{number}.rst": "entry"}
        return 1_600_000_000 + 3600 * number, f"change {number}", files

    bare = import_history(map(change, range(90)))
    git(tmp_path, "clone", "--quiet", str(bare), "project")
    return tmp_path / "project"


@pytest.mark.parametrize("place", [".", "src"])
def test_without_arguments_the_repository_one_is_in_is_replayed(
    project: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(project / place)
    here = found()
    assert (here["source"], here["windows"], here["preset"]) == (
        *("project", 72, "path:changelog/**"),
    )
    assert found("--max", "50")["windows"] == 40


@pytest.mark.exhaustive
def test_a_module_run_by_its_name_does_the_same(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prefrontal", "replay", "--json"],
        cwd=project / "src",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["source"] == "project"


def test_outside_of_a_repository_one_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sentence = said(run())
    assert "prefrontal replay --sample" in sentence
    assert "prefrontal replay --git PATH" in sentence


@pytest.mark.parametrize("place", ["project", "project/src"])
def test_a_folder_of_a_repository_is_its_history(project: Path, place: str) -> None:
    named = found(project.parent / place)
    assert (named["source"], named["windows"]) == ("project", 72)


def test_sessions_within_a_repository_stay_sessions(project: Path) -> None:
    home = openclaw_home(project / "notes")
    assert found(home)["preset"] == "noop"
    assert found(project)["preset"] == "path:changelog/**"


def test_a_folder_of_neither_says_so(tmp_path: Path) -> None:
    assert said(run(tmp_path)).endswith("; no git repository holds it either")
    assert "git" not in said(run(tmp_path / "missing"))


@pytest.mark.exhaustive
def test_the_sample_is_replayed_without_git(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("git") is None
    sample, facts = found("--sample"), read_sample()
    assert (sample["source"], sample["preset"]) == (facts.name, facts.preset)
    assert sample["relevant"] > 100
    assert "git must be installed" in said(run("--git", "."))
    (tmp_path / ".git").mkdir()
    assert said(run()).startswith("git must be installed")
    assert "prefrontal replay --sample" in said(run())


@pytest.mark.exhaustive
def test_the_sample_takes_the_options_of_any_history(tmp_path: Path) -> None:
    whole = found("--sample")
    assert found("--sample", "--recall", "0.5")["share_woken"] < whole["share_woken"]
    assert found("--sample", "--features", "paths")["auc"] != whole["auc"]
    assert found("--sample", "--max", "1000")["windows"] == 800
    assert found("--sample", "--since", "2023-01-01", "--until", "2025-12-31")["days"] < 1100
    made = [tmp_path / name for name in ("r.html", "r.png", "r.json")]
    options = ("--report", made[0], "--png", made[1], "--save", made[2])
    assert found("--sample", *options)["source"] == whole["source"]
    assert all(path.stat().st_size > 1000 for path in made)
    compared = run("--compare", made[2], made[2])
    assert compared.exit_code == 0


@pytest.mark.exhaustive
def test_the_sample_stands_beside_another_history(tmp_path: Path) -> None:
    windows = write_lines(tmp_path / "windows.jsonl", history(0, 60))
    both = found("--sample", "--events", windows)["results"]
    assert [each["source"] for each in both] == [read_sample().name, "windows.jsonl"]
    assert said(run("--sample", "--events", windows, "--png", tmp_path / "x.png")).startswith(
        "--png must come with one history"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--relevant", "followup"), "relevant must not be given for the sample"),
        (("--all-commits",), "all-commits must come with a repository"),
        (("--log", "x"), "--log must come without PATH, --git, --events, --sample and --compare"),
        (("--compare", "a", "b"), "--compare must come without PATH, --git, --events and --sample"),
    ],
)
def test_what_does_not_go_with_the_sample_is_refused(
    words: tuple[str, ...], complaint: str
) -> None:
    assert said(run("--sample", *words)).startswith(complaint)


def test_the_sample_takes_less_than_two_seconds_from_a_cold_start() -> None:
    """The CPU time of a process, which a busy machine does not stretch as it does the clock."""
    program = (
        "import resource, sys; sys.argv = ['prefrontal', 'replay', '--sample', '--json'];"
        "from prefrontal.cli import main; main(standalone_mode=False);"
        "spent = resource.getrusage(resource.RUSAGE_SELF);"
        "print(spent.ru_utime + spent.ru_stime, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    assert float(done.stderr.split()[-1]) < 2.0
