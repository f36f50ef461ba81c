from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.replay.histories.git_repository import Repository, has_commits, lack

from .. import repositories

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)

Git = repositories.Git
Commit = Callable[..., str]


def refusal(path: Path | str) -> str:
    with pytest.raises(SourceError) as refused:
        list(GitHistory(path))
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_bare_one_a_worktree_and_a_folder_inside_give_the_same_history(
    repository: Path, commit: Commit, git: Git, tmp_path: Path
) -> None:
    commit("one", {"a": "1", "deep/er/b": "1"})
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    git(repository, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
    expected = list(GitHistory(repository))
    assert len(expected) == 1
    for path in (
        repository / "deep" / "er",
        repository / ".git",
        tmp_path / "bare.git",
        tmp_path / "tree",
    ):
        history = GitHistory(path)
        assert list(history) == expected
        assert history.notes == []


@pytest.mark.parametrize("name", ["--output=x", "-p", "--", "a b", "line\nbreak", "été", "'"])
def test_a_path_that_looks_like_an_option_is_a_path(
    repository: Path, commit: Commit, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit("one", {"a": "1"})
    repository.rename(repository.with_name(name))
    monkeypatch.chdir(repository.parent)
    before = sorted(repository.parent.iterdir())
    assert len(list(GitHistory(name))) == 1
    assert sorted(repository.parent.iterdir()) == before


def test_a_shallow_clone_is_read_from_its_edge_and_says_so(
    repository: Path, commit: Commit, git: Git, tmp_path: Path
) -> None:
    for day in range(1, 6):
        commit(f"day {day}", {f"f{day}": "1"}, at=day * 86_400)
    git(tmp_path, "clone", "--quiet", "--depth=3", f"file://{repository}", "shallow")
    history = GitHistory(tmp_path / "shallow")
    # Of the commit at the edge nobody knows what it changed: git shows all files as created.
    assert [window.text for window in history] == ["day 4", "day 5"]
    assert history.notes == [
        "shallow clone: history before 1970-01-04 is not here;"
        " to get it, run: git fetch --unshallow"
    ]
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "edge")
    assert list(GitHistory(tmp_path / "edge")) == []


def test_a_partial_clone_is_read_without_asking_its_server(
    repository: Path, commit: Commit, git: Git, tmp_path: Path
) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    text = "".join(f"line {number}\n" for number in range(30))
    commit("one", {"a": text, "b": text})
    commit("two", {"a": None, "a2": text, "b": None, "b2": text + "more\n"})
    source = f"file://{repository}"
    words = ("clone", "--quiet", "--bare", "--filter=blob:none", source, "partial.git")
    git(tmp_path, *words)
    shutil.rmtree(repository)
    history = GitHistory(tmp_path / "partial.git")
    (_, window) = history
    assert [event.delta_type for event in window.events] == ["renamed", "deleted", "created"]
    assert history.notes == [
        "partial clone: only renames without a change of content are seen as renames"
    ]


@pytest.mark.parametrize("depth", [(), ("--depth=2",)])
def test_a_clone_without_its_folders_is_refused_with_the_command_that_gets_them(
    repository: Path, commit: Commit, git: Git, tmp_path: Path, depth: tuple[str, ...]
) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    for number in range(3):
        commit(f"number {number}", {"a": str(number), "deep/b": str(number)})
    clone = ("clone", "--quiet", *depth, "--filter=tree:0", f"file://{repository}", "treeless")
    git(tmp_path, *clone)  # with a work tree: the folders of HEAD alone are there
    treeless = tmp_path / "treeless"
    before = sorted(treeless.rglob("*"))
    away = repository.rename(tmp_path / "away")
    sentence = refusal(treeless)
    command = f"git -C {treeless} fetch --refetch --filter=blob:none"
    assert sentence == (
        f"repository must have the trees of its commits, got {str(treeless)!r}, a partial clone"
        f" without them; to get them without the files' contents, run: {command}"
    )
    assert sorted(treeless.rglob("*")) == before
    away.rename(repository)
    git(tmp_path, *command.split()[1:])
    assert len(list(GitHistory(treeless))) == (1 if depth else 3)


def test_a_folder_with_what_cannot_be_seen_is_named_as_bash_reads_it() -> None:
    whole = Repository("/a\u034fb", 0.0, frozenset(), partial=False, notes=())
    assert lack(whole).endswith(r"git -C $'/a\xcd\x8fb' fsck")


def test_a_file_that_is_missing_costs_no_more_than_renames(
    repository: Path, commit: Commit, git: Git
) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    commit("zero", {"c": "0"})
    commit("one", {"a": text, "b": text})
    commit("two", {"a": None, "a2": text + "more\n"})
    lost = git(repository, "rev-parse", "HEAD:a2")
    commit("three", {"c": "1"})
    whole = GitHistory(repository)
    assert [len(window.events) for window in whole] == [1, 2, 1, 1]
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    history = GitHistory(repository)
    for _ in range(2):
        assert [window.text for window in history] == ["zero", "one", "two", "three"]
        assert [len(window.events) for window in history] == [1, 2, 2, 1]
    assert history.notes == [
        "contents of files are missing in this clone: only renames without a change of content are"
        " seen as renames"
    ]


def test_a_folder_that_is_missing_is_told(repository: Path, commit: Commit, git: Git) -> None:
    commit("one", {"deep/a": "1"})
    commit("two", {"deep/a": "2"})
    lost = git(repository, "rev-parse", "HEAD:deep")
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    assert refusal(repository) == (
        f"repository must be whole, got {str(repository)!r} with objects missing; to see which,"
        f" run: git -C {repository} fsck"
    )


@pytest.fixture
def conflict(repository: Path, commit: Commit, git: Git) -> Path:
    """Two branches that changed the same line; `side` is checked out."""
    commit("one", {"a": "1"})
    git(repository, "checkout", "--quiet", "-b", "side")
    commit("two", {"a": "2"})
    git(repository, "checkout", "--quiet", "main")
    commit("three", {"a": "3"})
    git(repository, "checkout", "--quiet", "side")
    return repository


@pytest.mark.parametrize(
    ("words", "texts", "note"),
    [
        (["rebase", "main"], ["one", "three"], "a rebase is under way"),
        (["rebase", "--apply", "main"], ["one", "three"], "a rebase is under way"),
        (["merge", "main"], ["one", "two"], "a merge is under way"),
        (["cherry-pick", "main"], ["one", "two"], "a cherry-pick is under way"),
        (["revert", "main"], ["one", "two"], "a revert is under way"),
    ],
)
def test_work_left_in_the_middle_is_read_as_it_stands_and_noted(
    conflict: Path, git: Git, words: list[str], texts: list[str], note: str
) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        git(conflict, *words)
    history = GitHistory(conflict)
    assert [window.text for window in history] == texts
    assert history.notes == [f"{note}: this is the history of HEAD as it stands"]


def test_a_commit_checked_out_without_a_branch_is_read_and_noted(conflict: Path, git: Git) -> None:
    git(conflict, "checkout", "--quiet", "HEAD~1")
    history = GitHistory(conflict)
    assert [window.text for window in history] == ["one"]
    assert history.notes == ["no branch is checked out: this is the history of HEAD"]


def test_an_empty_repository_is_refused(repository: Path) -> None:
    assert (
        refusal(repository)
        == f"repository must have commits, got {str(repository)!r} without any; try"
        " `prefrontal replay --git ~/longer-project` or `prefrontal replay --sample`"
    )


def test_a_branch_without_commits_is_refused_and_another_named(
    repository: Path, commit: Commit, git: Git
) -> None:
    commit("one", {"a": "1"})
    git(repository, "checkout", "--quiet", "--orphan", "fresh")
    assert refusal(repository) == (
        "the branch checked out must have commits, got 'fresh' without any in"
        f" {str(repository)!r}; check out another, such as 'main'"
    )


def test_what_is_no_repository_is_refused(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("x")
    plain, file, none = (str(tmp_path / name) for name in ("plain", "file", "none"))
    assert refusal(plain) == f"path must be inside a git repository, got {plain!r}"
    assert refusal(file) == f"repository must be a folder, got {file!r}"
    assert refusal(none) == f"repository must exist, got {none!r}"
    assert refusal("zero\0byte") == "repository must exist, got 'zero\\x00byte'"


def test_whether_there_are_commits_is_not_said_where_git_cannot_say(
    repository: Path, commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert not has_commits(str(repository))
    commit("one", {"a": "1"})
    assert has_commits(str(repository))
    (repository / ".git" / "config").write_text("[core\n")
    with pytest.raises(SourceError, match="bad config"):
        has_commits(str(repository))


def test_a_machine_without_git_is_told_to_install_it(
    repository: Path, commit: Commit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commit("one", {"a": "1"})
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(repository) == "git must be installed and on the PATH, got no git to run"


@pytest.mark.parametrize("what", ["HEAD", "HEAD~1", "HEAD~1^{tree}"])
def test_a_damaged_object_is_refused_with_the_words_of_git(
    repository: Path, commit: Commit, git: Git, what: str
) -> None:
    for number in range(3):
        commit(f"commit {number}", {"a": str(number)})
    sha = git(repository, "rev-parse", what)
    damaged = repository / ".git" / "objects" / sha[:2] / sha[2:]
    damaged.chmod(0o600)
    damaged.write_bytes(b"no object")
    sentence = refusal(repository)
    assert sentence.startswith(f"git could not read {str(repository)!r}: ")
    assert "object" in sentence or "header" in sentence


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_owner_is_refused_with_the_way_out(
    repository: Path, commit: Commit
) -> None:
    commit("one", {"a": "1"})
    for path in (repository, repository / ".git"):
        os.chown(path, 12_345, 12_345)
    assert refusal(repository) == (
        "repository must belong to you or be trusted by git, got"
        f" {str(repository)!r} of another owner; if you trust it, run:"
        f" git config --global --add safe.directory {repository}"
    )
