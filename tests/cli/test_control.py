"""`prefrontal control experiment`: pages, records, figures, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prefrontal import cli
from prefrontal.control import experiments
from prefrontal.control.experiments.record import ExperimentRecord, measure, seed_result, summarise

from ..exhaustive import first

pytest.importorskip("torch")


class Sample(ModuleType):
    """An experiment whose seeds come to `values`; NaN is void, and 9 is interrupted."""

    NAME = "writing"
    TITLE = "X5 Write-path association"
    CRITERION = "Depth is at least 0.45."

    def __init__(self, values: Sequence[float]) -> None:
        super().__init__("sample")
        self.values = values
        self.seen: list[tuple[list[int], str]] = []

    def run(
        self, seeds: Sequence[int], *, profile: str, report: Callable[[str], None]
    ) -> ExperimentRecord:
        self.seen.append((list(seeds), profile))
        results = []
        for seed in seeds:
            report(f"seed {seed}: measuring")
            value = self.values[seed]
            if value == 9:
                raise KeyboardInterrupt
            void = "labels: 99 % above" if value != value else ""
            results.append(
                seed_result(seed, [measure("depth", value, "at least", 0.45)], void=void)
            )
        return summarise(self.NAME, self.TITLE, profile, self.CRITERION, results)

    def draw(self, record: ExperimentRecord, figure: Any) -> None:
        figure.subplots(1, 1).plot([it.seed for it in record.seeds])


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sample]:
    def use(*values: float) -> Sample:
        module = Sample(values)
        monkeypatch.setattr(experiments, "import_module", lambda *_: module)
        return module

    return use


def run(*words: str | int | Path) -> Result:
    return CliRunner().invoke(cli.main, ["control", *map(str, words)])


def test_an_experiment_prints_its_verdict_and_leaves_record_and_figure(
    sampled: Callable[..., Sample], tmp_path: Path
) -> None:
    module = sampled(0.5, 0.6)
    result = run(
        "experiment", "writing", "--seeds", 2, "--out", tmp_path / "new", "--profile", "seed"
    )
    assert result.exit_code == 0, result.output
    assert module.seen == [([0, 1], "seed")]
    assert result.stdout.startswith("X5 Write-path association  pass  2 of 2 seeds, profile seed, ")
    assert "Depth is at least 0.45." in result.stdout
    line = next(it for it in result.stdout.splitlines() if it.strip().startswith("depth"))
    assert line.split() == [
        "depth",
        "0.55",
        "0.5",
        "to",
        "0.6",
        "at",
        "least",
        "0.45",
        "2",
        "of",
        "2",
    ]
    record = json.loads((tmp_path / "new" / "writing.json").read_text())
    assert record["verdict"] == "pass"
    assert record["measured"] == {"depth": 0.55}
    assert (tmp_path / "new" / "writing.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("values", "verdict", "code"),
    first(1, [((0.1, 0.6), "fail", 3), ((float("nan"), 0.6), "void", 0), ((0.5, 0.6), "pass", 0)]),
)
def test_the_exit_code_tells_a_failure_and_a_void_run_is_none(
    sampled: Callable[..., Sample],
    tmp_path: Path,
    values: tuple[float, ...],
    verdict: str,
    code: int,
) -> None:
    sampled(*values)
    result = run("experiment", "writing", "--seeds", 2, "--out", tmp_path)
    assert result.exit_code == code
    assert f"X5 Write-path association  {verdict}" in result.stdout
    assert ("seed 0 is void: labels: 99 % above" in result.stdout) == (verdict == "void")


@pytest.mark.exhaustive
def test_json_is_one_object_a_line(sampled: Callable[..., Sample], tmp_path: Path) -> None:
    sampled(0.5)
    result = run("experiment", "all", "--seeds", 1, "--out", tmp_path, "--json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(records) == 11
    assert {it["verdict"] for it in records} == {"pass"}
    assert len(list(tmp_path.glob("*.json"))) == 11


@pytest.mark.exhaustive
def test_all_ends_with_an_overview(sampled: Callable[..., Sample], tmp_path: Path) -> None:
    sampled(0.5)
    result = run("experiment", "all", "--seeds", 1, "--out", tmp_path)
    assert result.stdout.count("Depth is at least 0.45.") == 11
    assert "seeds passed" in result.stdout


def test_an_interrupt_is_a_sentence_and_keeps_what_was_done(
    sampled: Callable[..., Sample], tmp_path: Path
) -> None:
    sampled(0.5, 9)
    result = run("experiment", "writing", "--seeds", 2, "--out", tmp_path)
    assert result.exit_code == 130
    assert "Interrupted after 0 of 1 experiments" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("experiment", "writng"), "NAME must be all or one of anticipation, "),
        (("experiment", "writing", "--seeds", "0"), "--seeds must lie between 1 and 100, got 0"),
        (("experiment", "writing", "--out", "file"), "--out must be a folder, got 'file'"),
        (("diagnose", "missing.pt"), "CHECKPOINT must be a file, got 'missing.pt'"),
        (("diagnose", "file", "--steps", "0"), "--steps must lie between 1 and 100000, got 0"),
        (("diagnose", "file", "--seed", "-1"), "--seed must be at least 0, got -1"),
        (("diagnose", "file"), "path must be a checkpoint"),
    ],
)
def test_a_slip_is_a_sentence(
    words: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    result = run(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_that_cannot_be_written_to_is_told_before_the_work(
    sampled: Callable[..., Sample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sampled(0.5)
    monkeypatch.setattr("os.access", lambda _, mode: mode == os.R_OK)
    result = run("experiment", "writing", "--seeds", 1, "--out", tmp_path)
    assert result.exit_code == 2
    assert "--out must be a folder that can be written to, got " in result.stderr
    assert module.seen == []


def test_without_torch_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None; import importlib.util;"
        " importlib.util.find_spec = lambda *_: None;"
        " from prefrontal.cli import main; main(['control', 'experiment', 'writing'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert result.returncode == 2
    assert result.stderr == "Error: this command needs torch: pip install 'prefrontal[control]'\n"


def test_without_matplotlib_the_record_is_written_all_the_same(
    sampled: Callable[..., Sample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled(0.5)
    real = find_spec
    monkeypatch.setattr(
        "prefrontal.cli.control.find_spec",
        lambda name: None if name == "matplotlib" else real(name),
    )
    result = run("experiment", "writing", "--seeds", 1, "--out", tmp_path)
    assert result.exit_code == 0
    assert "No figure: it needs matplotlib" in result.stderr
    assert [it.name for it in tmp_path.iterdir()] == ["writing.json"]


def test_the_help_names_every_experiment() -> None:
    text = run("experiment", "--help").stdout
    for name, (_, number, line) in experiments.EXPERIMENTS.items():
        assert f"{name:<14}{number}" in text
        assert line in text


def test_an_experiment_is_known_by_its_number(
    sampled: Callable[..., Sample], tmp_path: Path
) -> None:
    sampled(0.5)
    for name in ("X10", "x10"):
        result = run("experiment", name, "--seeds", 1, "--out", tmp_path, "--json")
        assert result.exit_code == 0, result.output
        assert (tmp_path / "gambling.json").exists()
    assert "X1 to X11, got 'X12'" in run("experiment", "X12", "--out", tmp_path).stderr


@pytest.mark.exhaustive
def test_weights_of_the_reference_become_an_agent(tmp_path: Path) -> None:
    import torch

    from prefrontal.control.agent.checkpoint import load

    weights = {
        "query_proj.weight": torch.ones(128, 64),
        "query_proj.bias": torch.zeros(128),
        "memory": torch.zeros(16, 128),
        "colour": torch.zeros(2),
    }
    torch.save(weights, tmp_path / "weights.pt")
    result = run("import", tmp_path / "weights.pt", "--out", tmp_path / "agent.pt")
    assert result.exit_code == 0, result.output
    assert "agent.pt: 3 weights of " in result.output
    assert "Left out, no place here: colour" in result.output
    assert "Not in the file: body_obs_encoder.linear.bias" in result.output
    agent = load(tmp_path / "agent.pt")
    assert bool((agent.e1.context_memory.query_proj.weight == 1).all())
    shown = run("import", tmp_path / "weights.pt", "--out", tmp_path / "agent.pt", "--json")
    assert json.loads(shown.stdout)["left_out"] == ["colour"]
    assert run("diagnose", tmp_path / "agent.pt", "--steps", 20).exit_code == 0


def test_weights_that_are_none_are_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "nothing.pt"
    assert f"FILE must be a file, got '{path}'" in run("import", path).stderr
    path.write_text("no weights")
    result = run("import", path, "--out", tmp_path / "agent.pt")
    assert result.exit_code == 2 and "path must hold saved weights, got " in result.stderr
    assert not (tmp_path / "agent.pt").exists()
