"""The search for the longest history, on folders made for it."""

from __future__ import annotations

import importlib.util
import subprocess
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
