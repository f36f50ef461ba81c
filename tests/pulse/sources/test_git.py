from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.pulse.sources.git import TEXT, GitSource

from ...replay import repositories
from .receiver import PATIENCE_S, Receiver, facts

no_set_up, git, repository, commit, move_during = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
    repositories.move_during,
)
Git = repositories.Git
Commit = Callable[..., str]


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def source(repository: Path, commit: Commit) -> GitSource:
    """A source over a repository with one commit, asked by hand."""
    commit("first", {"a.txt": "1"})
    return GitSource(repository)


def ask(source: GitSource, receiver: Receiver) -> list[tuple[str, str]]:
    source._poller.outlet.push = receiver
    source._poller.call()
    assert source.status()["last_error"] == ""
    return facts(receiver.rest())


def test_new_commits_are_events_and_those_already_there_are_not(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    assert ask(source, receiver) == []
    sha = commit("second\n\nwith a body", {"a.txt": "2", "sub/ü x.md": "new"})
    source._poller.call()
    changed, created = receiver.rest()
    assert (changed.source, changed.delta_type) == ("git", "modified")
    assert created.location == str(repository / "sub" / "ü x.md")
    assert created.features == {
        "commit": sha,
        "actor": "Jane Doe",
        "text": "second",
        "repository": str(repository),
        "branch": "main",
        "path": "sub/ü x.md",
        "extension": ".md",
    }
    assert ask(source, receiver) == []
    git(repository, "mv", "sub/ü x.md", "moved.md")
    commit("third", {"a.txt": None})
    commit("fourth", {"b.txt": "4"})
    source._poller.call()
    events = receiver.rest()
    assert facts(events) == [("deleted", "a.txt"), ("renamed", "moved.md"), ("created", "b.txt")]
    assert events[1].features["old_location"] == str(repository / "sub" / "ü x.md")
    assert events[1].features["old_path"] == "sub/ü x.md"
    assert source.status()["commits"] == 3


def test_events_name_the_repository_and_the_branch_that_head_is_on(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    ask(source, receiver)
    git(repository, "checkout", "-q", "-b", "release/2")
    commit("on a branch", {"a.txt": "2"})
    source._poller.call()
    [event] = receiver.rest()
    assert (event.features["repository"], event.features["branch"]) == (
        str(repository),
        "release/2",
    )
    git(repository, "checkout", "-q", "--detach")
    commit("on none", {"a.txt": "3"})
    source._poller.call()
    [event] = receiver.rest()
    assert "branch" not in event.features


def test_a_commit_has_one_time_and_what_is_no_utf_8_is_replaced_in_its_path(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit
) -> None:
    ask(source, receiver)
    name = os.fsdecode(b"caf\xe9.py")
    commit("second", {name: "1", "a.txt": "2"})
    source._poller.call()
    text, code = receiver.rest()
    assert text.timestamp == code.timestamp
    assert code.features["path"] == "caf\ufffd.py"
    assert code.location == str(repository / name)


def test_a_merged_request_is_told_with_its_title(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    ask(source, receiver)
    git(repository, "checkout", "-q", "-b", "side")
    commit("side\n\nwith a body", {"side.txt": "1"})
    git(repository, "checkout", "-q", "main")
    text = "Merge pull request #7 from ada/side\n\nAdd dates\n\nMore of it."
    git(repository, "merge", "-q", "--no-ff", "-m", text, "side")
    source._poller.call()
    [event] = receiver.rest()
    assert event.features["text"] == "Merge pull request #7 from ada/side: Add dates"
    commit("word " * 10_000, {"a.txt": "2"})
    source._poller.call()
    [event] = receiver.rest()
    assert len(str(event.features["text"])) == TEXT


def test_a_submodule_that_moves_is_an_event_whatever_git_is_set_to_ignore(
    source: GitSource, repository: Path, receiver: Receiver, git: Git
) -> None:
    ask(source, receiver)
    place = f"160000,{'1' * 40},part"
    git(repository, "update-index", "--add", "--cacheinfo", place)
    git(repository, "commit", "-q", "-m", "Move the part")
    git(repository, "config", "diff.ignoreSubmodules", "all")
    assert ask(source, receiver) == [("created", "part")]


def test_switching_branches_is_no_event_and_a_merge_is_one_change(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit("side", {"side.txt": "1"})
    git(repository, "checkout", "-q", "main")
    assert ask(source, receiver) == []
    git(repository, "checkout", "-q", "side")
    assert ask(source, receiver) == []
    git(repository, "checkout", "-q", "main")
    assert ask(source, receiver) == []
    commit("main", {"main.txt": "1"})
    git(repository, "merge", "-q", "--no-ff", "-m", "bring side in", "side")
    events = ask(source, receiver)
    assert events == [("created", "main.txt"), ("created", "side.txt")]


def test_an_amended_commit_is_new_and_a_thrown_away_one_does_no_harm(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    ask(source, receiver)
    commit("second", {"b.txt": "1"})
    assert ask(source, receiver) == [("created", "b.txt")]
    git(repository, "commit", "-q", "--amend", "-m", "better")
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "-q", "--prune=now")
    assert ask(source, receiver) == [("created", "b.txt")]


@pytest.mark.parametrize("word", ["for-each-ref", "rev-parse", "rev-list", "log"])
def test_a_commit_that_comes_while_git_is_read_is_told_once(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git,
    move_during: Callable[[Path, str, str], None], word: str, tmp_path: Path,
) -> None:  # fmt: skip
    assert ask(source, receiver) == []
    commit("second", {"b.txt": "1"})
    third = commit("third", {"c.txt": "1"})
    git(repository, "update-ref", "refs/heads/main", "HEAD~1")
    move_during(repository, word, third)
    told = ask(source, receiver)
    assert (tmp_path / "moved").is_dir()
    assert told + ask(source, receiver) == [("created", "b.txt"), ("created", "c.txt")]
    assert ask(source, receiver) == []


def test_the_state_goes_on_where_it_ended(
    repository: Path, tmp_path: Path, receiver: Receiver, commit: Commit
) -> None:
    state = tmp_path / "git.json"
    commit("first", {"a.txt": "1"})
    assert ask(GitSource(repository, state_path=state), receiver) == []
    commit("while nothing ran", {"b.txt": "1"})
    assert ask(GitSource(repository, state_path=state), receiver) == [("created", "b.txt")]
    assert ask(GitSource(repository, state_path=state), receiver) == []
    assert ask(GitSource(repository), receiver) == []
    state.write_text("no JSON")
    assert ask(GitSource(repository, state_path=state), receiver) == []


def test_the_first_commit_of_an_empty_repository_is_an_event(
    repository: Path, receiver: Receiver, commit: Commit
) -> None:
    source = GitSource(repository)
    assert ask(source, receiver) == []
    commit("first", {"a.txt": "1"})
    assert ask(source, receiver) == [("created", "a.txt")]


@pytest.mark.parametrize("word", ["--verify", "--short"])
def test_a_head_that_cannot_be_read_once_is_asked_for_again(
    word: str,
    source: GitSource,
    repository: Path,
    receiver: Receiver,
    commit: Commit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ask(source, receiver) == []
    commit("second", {"a.txt": "2"})
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    failed = tmp_path / "failed"
    wrapper.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *{word}*) [ -e {failed} ] || {{ : > {failed}; exit 128; }};; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=":")
    source._poller.outlet.push = receiver
    source._poller.call()
    assert failed.exists()
    assert "could not read" in str(source.status()["last_error"])
    source._poller.call()
    [event] = receiver.rest()
    assert (event.features["text"], event.features["branch"]) == ("second", "main")


def test_worktrees_and_bare_repositories_are_read(
    repository: Path, tmp_path: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    commit("first", {"a.txt": "1"})
    tree, bare = tmp_path / "tree", tmp_path / "bare.git"
    git(repository, "worktree", "add", "-q", "-b", "work", str(tree))
    git(repository, "clone", "-q", "--bare", str(repository), str(bare))
    sources = [GitSource(tree), GitSource(bare)]
    assert [ask(source, receiver) for source in sources] == [[], []]
    (tree / "b.txt").write_text("1")
    git(tree, "add", "b.txt")
    git(tree, "commit", "-q", "-m", "second")
    git(tree, "push", "-q", str(bare), "HEAD:main")
    assert [ask(source, receiver) for source in sources] == [[("created", "b.txt")]] * 2


def test_it_polls_on_its_own_thread_and_nothing_after_start_is_missed(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit
) -> None:
    quick = GitSource(repository / ".", interval_s=0.02)
    quick.start(receiver)
    commit("second", {"b.txt": "1"})
    assert facts(receiver.take()) == [("created", "b.txt")]
    commit("third", {"c.txt": "1"})
    assert facts(receiver.take()) == [("created", "c.txt")]
    quick.stop(PATIENCE_S)
    quick.stop(PATIENCE_S)
    assert quick.status()["running"] is False


@pytest.fixture
def nowhere(tmp_path: Path, no_set_up: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "plain"
    folder.mkdir()
    return folder


def test_no_repository_is_an_error_until_there_is_one(
    nowhere: Path, receiver: Receiver, git: Git, caplog: pytest.LogCaptureFixture
) -> None:
    source = GitSource(nowhere)
    for _ in range(3):
        source._poller.call()
    assert "must be inside a git repository" in str(source.status()["last_error"])
    assert caplog.text.count("must be inside a git repository") == 1
    git(nowhere, "init", "-q")
    source._poller.call()
    assert source.status()["errors"] == 3


def test_nothing_of_the_repositorys_set_up_is_executed(
    source: GitSource, repository: Path, receiver: Receiver, commit: Commit, git: Git
) -> None:
    ask(source, receiver)
    commit("second", {"a.txt": "2"})
    trap = repository.parent / "trap"
    marker = repository.parent / "executed"
    trap.write_text(f"#!/bin/sh\necho ran >> {marker}\ncat\n")
    trap.chmod(0o755)
    (repository / ".git" / "info" / "attributes").write_text("* diff=trap\n")
    for name in ("core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv"):
        git(repository, "config", name, str(trap))
    git(repository, "config", "log.showSignature", "true")
    assert ask(source, receiver) == [("modified", "a.txt")]
    assert not marker.exists()
