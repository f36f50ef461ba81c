"""`prefrontal replay --sweep`: what it writes, prints and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from prefrontal import cli
from prefrontal.cli.sweeps.picture import differences, render_png
from prefrontal.cli.sweeps.sweep import results_folder
from prefrontal.cli.sweeps.views import VIEWS, mean
from ray_machines import RayMachines

from ...ray_extra import require_ray
from ...replay.streams import history, write_lines
from ..commands import run, said


def row(history: str, recall: float, seed: int, caught: float) -> dict[str, object]:
    return {
        "history": history, "recall": recall, "budget": None, "features": "all", "labels": "all",
        "seed": seed, "got_recall": caught, "share_woken": 0.5, "wakes_per_day": 2.0, "auc": 0.9,
    }  # fmt: skip


def test_what_says_how_runs_are_made_stands_in_the_file_alone() -> None:
    assert "--recall: its file says" in said(run("--sweep", "sweep.yml", "--recall", "0.8"))
    assert "without PATH" in said(run("somewhere", "--sweep", "sweep.yml"))
    assert said(run("--sample", "--jobs", "2")) == "--jobs, --ray and --out must come with --sweep"
    assert (
        said(run("--sample", "--ray", "auto")) == "--jobs, --ray and --out must come with --sweep"
    )
    words = ["cortex", "backtest", "--sweep", "sweep.yml", "--clamp", "3"]
    refusal = CliRunner().invoke(cli.main, words)
    assert "--sweep must come without --clamp" in refusal.stderr


def test_a_file_that_is_not_there_and_jobs_below_one_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in said(run("--sweep", tmp_path / "none.yml"))
    (tmp_path / "sweep.yml").write_text("histories: [sample]\nrecalls: [0.9]\n")
    words = said(run("--sweep", tmp_path / "sweep.yml", "--jobs", "0"))
    assert words == "--jobs must be a whole number from 1 to 256, got 0"


def test_results_lie_beside_the_file() -> None:
    assert results_folder("/some/where/sweep.yml") == Path("/some/where/sweep-results")


def test_runs_that_differ_by_the_seed_alone_are_one_line() -> None:
    view = VIEWS["histories"]
    rows = [row("a", 0.9, 0, 0.8), row("a", 0.9, 1, 0.9), row("a", 0.8, 0, 0.7)]
    first, second = view.groups(rows)
    assert (len(first), len(second)) == (2, 1)
    assert mean(first, "got_recall") == pytest.approx(0.85)
    caught = dict(view.columns)["Caught"]
    assert caught(first) == "85.0 % (80.0 to 90.0)"
    assert caught(second) == "70.0 %"


def test_points_are_named_by_what_tells_them_apart() -> None:
    names = ["clamp 1, cap none, timer 30", "clamp 2, cap none, timer 30"]
    assert differences(names) == ["clamp 1", "clamp 2"]
    assert differences(["80 %", "90 %"]) == ["80 %", "90 %"]
    assert differences(names[:1]) == names[:1]


@pytest.mark.exhaustive
def test_the_picture_of_the_same_rows_is_the_same() -> None:
    rows = [row(name, recall, 0, recall) for name in "abc" for recall in (0.8, 0.9)]
    picture = render_png(rows, VIEWS["histories"])
    assert picture.startswith(b"\x89PNG")
    assert picture == render_png(rows, VIEWS["histories"])


@pytest.fixture
def sweep_file(tmp_path: Path) -> Path:
    """Two short histories at two recalls: four runs."""
    for seed in (0, 1):
        write_lines(tmp_path / f"windows{seed}.jsonl", history(seed, 60))
    file = tmp_path / "sweep.yml"
    file.write_text("histories: [windows0.jsonl, windows1.jsonl]\nrecalls: [0.8, 0.9]\n")
    return file


def test_a_sweep_writes_its_table_and_its_picture_and_does_no_run_twice(sweep_file: Path) -> None:
    out = sweep_file.parent / "out"
    result = run("--sweep", sweep_file, "--jobs", "1", "--out", out, "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads((out / "table.json").read_text())
    assert rows == json.loads(result.stdout)
    assert [each["history"] for each in rows] == ["windows0.jsonl"] * 2 + ["windows1.jsonl"] * 2
    assert (out / "picture.png").read_bytes().startswith(b"\x89PNG")
    again = run("--sweep", sweep_file, "--jobs", "1", "--out", out)
    assert "4 runs were done before." in again.stderr
    assert "windows1.jsonl" in again.stdout


@pytest.mark.exhaustive
def test_all_that_is_written_is_the_same_on_one_worker_and_on_two(sweep_file: Path) -> None:
    printed = []
    for jobs in ("1", "2"):
        result = run(
            "--sweep", sweep_file, "--jobs", jobs, "--out", sweep_file.parent / jobs, "--json"
        )
        assert result.exit_code == 0, result.output
        printed.append(result.stdout)
    assert printed[0] == printed[1]
    for name in ("table.csv", "table.json", "picture.png"):
        one, two = (sweep_file.parent / jobs / name for jobs in ("1", "2"))
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.exhaustive
def test_all_that_is_written_is_the_same_on_a_ray_cluster(tmp_path: Path) -> None:
    require_ray()
    for seed in (0, 1):
        write_lines(tmp_path / f"windows{seed}.jsonl", history(seed, 60))
    windows = tmp_path / "sweep.yml"
    windows.write_text("histories: [windows0.jsonl, windows1.jsonl]\nrecalls: [0.8, 0.9]\n")
    rows = [f"rater{n},user{user},{-10 if user and n > 7 else 3},{n * 86_400}"
            for n in range(12) for user in range(2)]  # fmt: skip
    (tmp_path / "ratings.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "labels.csv").write_text("user0,1\nuser1,-1\n")
    ratings = tmp_path / "ratings.yml"
    ratings.write_text(
        "streams: [{ratings: ratings.csv, labels: labels.csv}]\nclamps: [1, 20]\nbatches: [1]\n"
    )
    with RayMachines() as machines:
        for command, file, address in (
            (["replay"], windows, machines.address),
            (["cortex", "backtest"], ratings, machines.client_address),
        ):
            printed = []
            for name, where in (("here", ["--jobs", "2"]), ("ray", ["--ray", address])):
                out = tmp_path / file.stem / name
                words = [*command, "--sweep", str(file), *where, "--out", str(out), "--json"]
                answer = subprocess.run(
                    [sys.executable, "-m", "prefrontal", *words], capture_output=True, check=False
                )
                assert answer.returncode == 0, answer.stderr.decode()
                printed.append(answer.stdout)
            assert len(json.loads(printed[0])) == (4 if file == windows else 2)
            assert printed[0] == printed[1]
            for name in ("table.csv", "table.json", "picture.png"):
                here, there = (tmp_path / file.stem / each / name for each in ("here", "ray"))
                assert here.read_bytes() == there.read_bytes()


def test_a_history_that_is_missing_is_named(tmp_path: Path) -> None:
    file = tmp_path / "sweep.yml"
    file.write_text("histories: [nowhere]\nrecalls: [0.9]\n")
    words = said(run("--sweep", file, "--jobs", "1"))
    assert words.startswith("history must be a repository, a file of recorded windows or")
    assert str(tmp_path / "nowhere") in words
