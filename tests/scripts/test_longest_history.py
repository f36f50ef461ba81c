"""The search for the longest history, on folders made for it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import time
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "longest_history.py"


@pytest.fixture(scope="module")
def search() -> ModuleType:
    spec = importlib.util.spec_from_file_location("longest_history", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def repository(path: Path, commits: int) -> Path:
    path.mkdir(parents=True)
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    for number in range(commits):
        message = ["commit", "-q", "--allow-empty", "-m", str(number)]
        subprocess.run(["git", "-C", str(path), *identity, *message], check=True)
    return path


def test_the_longest_history_is_found_below_and_beside(tmp_path: Path, search: ModuleType) -> None:
    repository(tmp_path / "a", 1)
    expected = repository(tmp_path / "work" / "b", 3)
    repository(tmp_path / "work" / "b" / "inside", 2)
    assert search.longest([tmp_path], otherwise=tmp_path) == expected


def test_hidden_folders_caches_and_deep_folders_are_left_out(
    tmp_path: Path, search: ModuleType
) -> None:
    expected = repository(tmp_path / "a", 1)
    repository(tmp_path / ".tool", 2)
    repository(tmp_path / "node_modules" / "b", 2)
    repository(tmp_path / "1" / "2" / "3" / "4" / "5", 2)
    assert search.longest([tmp_path], otherwise=tmp_path) == expected


def test_among_equals_the_first_by_path_wins(tmp_path: Path, search: ModuleType) -> None:
    repository(tmp_path / "b", 1)
    expected = repository(tmp_path / "a", 1)
    assert search.longest([tmp_path / "b", tmp_path], otherwise=tmp_path) == expected


def test_without_any_history_the_given_repository_is_taken(
    tmp_path: Path, search: ModuleType
) -> None:
    repository(tmp_path / "empty", 0)
    assert search.longest([tmp_path], otherwise=Path("/here")) == Path("/here")
    assert search.longest([tmp_path / "nowhere"], otherwise=Path("/here")) == Path("/here")


def test_a_search_without_time_ends_at_once(tmp_path: Path, search: ModuleType) -> None:
    repository(tmp_path / "a", 1)
    assert search.longest([tmp_path], Path("/here"), time_limit_s=-1.0) == Path("/here")


def test_a_git_that_does_not_answer_costs_no_more_than_the_time_there_is(
    tmp_path: Path, search: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name / ".git").mkdir(parents=True)
    silent = tmp_path / "bin" / "git"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setenv("PATH", str(silent.parent), prepend=os.pathsep)
    started = time.monotonic()
    assert search.histories([tmp_path], 0.3) == []
    assert time.monotonic() - started < 40  # unbounded it were three minutes
    assert search.TIME_LIMIT_S <= 5


def test_each_history_is_told_as_it_is_found(tmp_path: Path, search: ModuleType) -> None:
    repository(tmp_path / "a", 2)
    repository(tmp_path / "b", 3)
    seen: list[Path] = []
    found = search.histories([tmp_path], step=lambda history: seen.append(history.path))
    assert seen == [tmp_path / "a", tmp_path / "b"]
    assert found == [(tmp_path / "b", 3), (tmp_path / "a", 2)]


def test_a_merge_counts_as_one_change(tmp_path: Path, search: ModuleType) -> None:
    folder = repository(tmp_path / "a", 2)
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false"]
    for words in (
        ["checkout", "-q", "-b", "topic"],
        *[["commit", "-q", "--allow-empty", "-m", f"t{number}"] for number in range(3)],
        ["checkout", "-q", "-"],
        ["merge", "-q", "--no-ff", "-m", "Merge", "topic"],
    ):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    assert search.histories([tmp_path]) == [(folder, 3)]
