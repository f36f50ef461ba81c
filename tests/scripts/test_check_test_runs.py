"""Two runs of the tests together ran every test, and the check finds what they missed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "check_test_runs.py"
TESTS = """
import pytest

@pytest.mark.parametrize("case", ["one", pytest.param("two", marks=pytest.mark.exhaustive)])
def test_case(case): ...

def test_skipped(): pytest.skip("not here")

@pytest.fixture(autouse=True)
def half_a_pair(request):  # which no encoding of bytes has
    request.addfinalizer(lambda: request.node.add_report_section("call", "log", chr(0xD800)))
"""
PROPERTY = """
from pathlib import Path
from hypothesis import given, settings, strategies

@given(strategies.integers())
@settings(max_examples=100, database=None)
def test_property(number):
    with Path(__file__).with_name("examples").open("a") as file:
        file.write("x")
"""
SETTINGS = "[pytest]\nmarkers = exhaustive\naddopts = --import-mode=importlib\n"


def check(*records: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, records)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def record(path: Path, ran: list[str], collected: str = "abc") -> Path:
    path.write_text(json.dumps({"collected": list(collected), "ran": ran}))
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "workers", [[], ["-p", "xdist", "-n", "2"]], ids=["one process", "two workers"]
)
def test_what_ran_is_recorded_with_what_was_collected(tmp_path: Path, workers: list[str]) -> None:
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "test_x.py").write_text(TESTS)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    paths = [tmp_path / "build" / "quick.json", tmp_path / "build" / "exhaustive.json"]
    for path, marker in zip(paths, ["not exhaustive", "exhaustive"], strict=True):
        words = ["-q", "-m", marker, "--record", str(path), *workers]
        command = [sys.executable, "-m", "pytest", *words]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    first, second = (json.loads(path.read_text()) for path in paths)
    every = ["test_x.py::test_case[one]", "test_x.py::test_case[two]", "test_x.py::test_skipped"]
    assert sorted(first["collected"]) == sorted(second["collected"]) == every
    assert sorted(first["ran"]) == [every[0], every[2]]
    assert second["ran"] == [every[1]]
    assert check(*paths).returncode == 0


@pytest.mark.exhaustive
def test_a_property_is_tried_with_an_eighth_of_its_examples_and_then_with_all(
    tmp_path: Path,
) -> None:
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "test_x.py").write_text(PROPERTY)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for marker, expected in (("not exhaustive", 12), ("exhaustive", 112)):
        command = [sys.executable, "-m", "pytest", "-q", "-m", marker]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        assert len((tmp_path / "examples").read_text()) == expected


def test_runs_that_ran_every_test_pass(tmp_path: Path) -> None:
    result = check(record(tmp_path / "x", ["a"]), record(tmp_path / "y", ["c", "b"]))
    assert result.returncode == 0, result.stderr
    assert f"every test ran in one of 2 runs: 1 in {tmp_path}/x, 2 in {tmp_path}/y" in result.stdout


@pytest.mark.parametrize(
    ("ran", "collected", "complaint"),
    [
        ("b", "abc", "no run has c"),
        ("abc", "abc", "more than one run has a"),
        ("bc", "bc", "collected other tests than the rest: a"),
    ],
)
def test_what_is_missing_or_doubled_is_told(
    tmp_path: Path, ran: str, collected: str, complaint: str
) -> None:
    result = check(record(tmp_path / "x", ["a"]), record(tmp_path / "y", list(ran), collected))
    assert result.returncode == 1
    assert complaint in result.stderr


def test_runs_without_a_test_do_not_pass(tmp_path: Path) -> None:
    assert check(record(tmp_path / "x", [], "")).returncode == 1
