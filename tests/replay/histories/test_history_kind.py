"""A folder that somebody names: a repository, or what an agent kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prefrontal.replay.histories.history_kind import is_of_git, top_level

from ..agent_sessions import claude_home, openclaw_home


def project(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def test_the_top_is_found_from_any_folder_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = project(tmp_path / "project")
    (top / "src" / "deep").mkdir(parents=True)
    for folder in (top, top / "src", top / "src" / "deep"):
        assert top_level(folder) == top
    monkeypatch.chdir(top / "src")
    assert top_level() == top
    assert top_level("../..") is None


def test_a_work_tree_elsewhere_and_a_bare_repository_are_repositories(tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text("gitdir: /elsewhere\n")
    assert top_level(linked) == linked
    bare = tmp_path / "bare.git"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    assert top_level(bare) is None
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    assert top_level(bare) == bare


def test_a_project_with_sessions_among_its_files_is_a_project(tmp_path: Path) -> None:
    top = project(tmp_path / "project")
    [session, *_] = claude_home(top / "fixtures").rglob("*.jsonl")
    (top / "data").mkdir()
    shutil.copy(session, top / "data")
    assert is_of_git(top)
    assert not is_of_git(top / "data")
    assert is_of_git(top / ".git")
    assert not is_of_git(top / "fixtures")
    (top / "empty").mkdir()
    assert is_of_git(top / "empty")
    assert not is_of_git(tmp_path)
    assert not is_of_git(tmp_path / "missing")


@pytest.mark.parametrize("make", [openclaw_home, claude_home])
def test_a_tool_s_home_is_its_sessions_even_under_version_control(
    make: type[Path], tmp_path: Path
) -> None:
    home = make(tmp_path / "home")
    project(home)
    assert not is_of_git(home)
    [session, *_] = home.rglob("*.jsonl")
    assert not is_of_git(session)
    assert not is_of_git(session.parent)


def test_a_folder_that_is_gone_is_in_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert top_level() is None
