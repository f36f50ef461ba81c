"""Repositories that somebody else prepared: nothing of them is executed, and none holds us up."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.git_access import check_files, git_complaint, small_text
from prefrontal.pulse.sources.git import GitSource
from prefrontal.replay.histories import git_patience
from prefrontal.replay.histories.git_history import GitHistory

from .exhaustive import first
from .pulse.sources.receiver import Receiver, facts
from .replay import repositories

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)
Git = repositories.Git
Commit = Callable[..., str]

PIPES = (
    *(".mailmap", ".gitattributes", ".git/HEAD", ".git/config", ".git/packed-refs"),
    *(".git/commondir", ".git/shallow", ".git/index", ".git/refs/heads/main"),
    *(".git/refs/heads/deep/er/one", ".git/info/attributes", ".git/info/grafts"),
    *(".git/objects/info/alternates", ".git/objects/info/commit-graph", ".git"),
)
EXECUTED = (
    *("alias.log", "alias.rev-parse", "core.alternateRefsCommand", "core.askPass", "core.editor"),
    *("core.fsmonitor", "core.gitProxy", "core.pager", "core.sshCommand", "credential.helper"),
    *("diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean"),
    *("filter.trap.process", "filter.trap.smudge", "gpg.program", "gpg.ssh.program", "pager.log"),
    *("remote.origin.uploadpack", "remote.origin.vcs", "trace2.eventTarget"),
    *("uploadpack.packObjectsHook", "submodule.inner.update", "interactive.diffFilter"),
)
HOOKS = ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman")


@pytest.fixture
def two_commits(repository: Path, commit: Commit) -> Path:
    commit("first", {"a.txt": "1"})
    commit("second", {"a.txt": "2", "b.txt": "1"})
    return repository


def put(place: Path, make: Callable[[Path], None]) -> None:
    if place.is_dir():
        place.rename(place.with_name("moved"))
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    make(place)


@pytest.mark.parametrize("name", first(4, PIPES))
def test_a_pipe_where_git_reads_a_file_is_one_sentence(two_commits: Path, name: str) -> None:
    check_files(str(two_commits))
    put(two_commits / name, os.mkfifo)
    with pytest.raises(SourceError, match="must hold plain files, got a pipe or a device") as error:
        list(GitHistory(two_commits))
    assert repr(str(two_commits / name)) in str(error.value)
    source = GitSource(two_commits)
    source._poller.outlet.push = Receiver()
    source._poller.call()
    assert "got a pipe or a device" in str(source.status()["last_error"])


def test_a_link_to_a_device_is_one_and_a_link_to_a_file_is_none(two_commits: Path) -> None:
    place = two_commits / ".git" / "info" / "attributes"
    put(place, lambda path: path.symlink_to("/dev/zero"))
    with pytest.raises(SourceError, match="got a pipe or a device"):
        check_files(str(two_commits / "sub"))
    put(place, lambda path: path.symlink_to(two_commits / "a.txt"))
    check_files(str(two_commits))


def test_work_trees_and_bare_repositories_are_looked_at_too(
    two_commits: Path, git: Git, tmp_path: Path
) -> None:
    git(two_commits, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", "--bare", str(two_commits), "bare")
    check_files(str(tmp_path / "tree"))
    check_files(str(tmp_path / "bare"))
    put(two_commits / ".git" / "packed-refs", os.mkfifo)
    put(tmp_path / "bare" / "HEAD", os.mkfifo)
    for folder in ("tree", "bare"):
        with pytest.raises(SourceError, match="got a pipe or a device"):
            check_files(str(tmp_path / folder))


def test_where_no_repository_is_git_tells_so(tmp_path: Path) -> None:
    check_files(str(tmp_path))
    check_files(str(tmp_path / "none"))


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "long").write_text("x" * 10_000)
    assert small_text(pipe) == ""
    assert small_text(Path("/dev/zero")) == ""
    assert small_text(tmp_path / "none") == ""
    assert small_text(tmp_path / "long") == "x" * 4096


def test_nothing_that_a_repository_names_is_executed(two_commits: Path, git: Git) -> None:
    before = list(GitHistory(two_commits))
    marker, trap = two_commits.parent / "executed", two_commits.parent / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\ncat\n')
    trap.chmod(0o755)
    (two_commits / ".git" / "info" / "attributes").write_text("* diff=trap filter=trap\n")
    (two_commits / ".gitmodules").write_text(
        f'[submodule "inner"]\npath = b.txt\nurl = ext::{trap}\nupdate = !{trap}\n'
    )
    for name in EXECUTED:
        git(two_commits, "config", name, f"!{trap}" if "alias" in name else str(trap))
    for name, value in {
        "log.showSignature": "true",
        "core.attributesFile": "/dev/zero",
        "diff.orderFile": "/dev/zero",
        "mailmap.file": "/dev/zero",
        "submodule.recurse": "true",
        "protocol.ext.allow": "always",
    }.items():
        git(two_commits, "config", name, value)
    for name in HOOKS:
        hook = two_commits / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.symlink_to(trap)
    marker.unlink(missing_ok=True)  # `git config` itself may have traced

    assert list(GitHistory(two_commits)) == before
    source, receiver = GitSource(two_commits), Receiver()
    source._poller.outlet.push = receiver
    source._poller.call()
    source._seen = set()
    source._signs = ()
    source._poller.call()
    assert source.status()["last_error"] == ""
    assert facts(receiver.rest())[-1] == ("created", "b.txt")
    assert not marker.exists()


def test_names_that_a_repository_chooses_stay_names(
    repository: Path, commit: Commit, git: Git
) -> None:
    evil = "--upload-pack=touch executed\n\x1b[31mred"
    commit("first", {evil: "1", "-rf": "1", "\u202egnp.exe": "1"})
    git(repository, "symbolic-ref", "HEAD", "refs/heads/--output=executed")
    commit("$(touch executed) `touch executed`", {evil: "2"})
    windows = list(GitHistory(repository))
    assert {event.location for event in windows[0].events} == {evil, "-rf", "\u202egnp.exe"}
    source, receiver = GitSource(repository), Receiver()
    source._poller.outlet.push = receiver
    source._poller.call()
    source._seen, source._signs = set(), ()
    source._poller.call()
    events = receiver.rest()
    assert events[-1].features["branch"] == "--output=executed"
    assert evil in {event.features["path"] for event in events}
    assert not (repository / "executed").exists()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Says one letter and sleeps on."""
    words = ["sh", "-c", "printf x; exec sleep 600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_git_that_waits_for_ever_is_ended(sleeper: subprocess.Popen[bytes]) -> None:
    assert sleeper.stdout is not None
    assert sleeper.stdout.read(1) == b"x"
    with git_patience.Patience(sleeper, 0.12) as patience:
        assert sleeper.wait(60) == -9
    assert patience.is_over
    assert "got nothing from it for 60 s" in git_patience.stuck("folder", 60)


def test_output_that_nobody_has_read_is_no_silence(sleeper: subprocess.Popen[bytes]) -> None:
    assert sleeper.stdout is not None
    sleeper.stdout.peek(1)  # type: ignore[attr-defined] # a BufferedReader, which now holds it
    assert not git_patience._waits(sleeper)
    with subprocess.Popen(["sh", "-c", "printf x"], stdout=subprocess.PIPE) as talker:
        talker.wait(60)
        assert git_patience._waits(talker)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("", "git could not read 'x y': exit code 128"),
        ("warning: w\nhint: h\nfatal: bad\nmore\n", "git could not read 'x y': fatal: bad"),
        ("warning: only this\n", "git could not read 'x y': warning: only this"),
        ("fatal: \x1b[31mred\n", "git could not read 'x y': fatal: ?[31mred"),
        (
            "fatal: not a git repository (or any of the parent directories): .git\n",
            "path must be inside a git repository, got 'x y'",
        ),
        (
            (
                "fatal: detected dubious ownership in repository at '/a b'\nTo add an exception,"
                " call:\n\n\tgit config --global --add safe.directory '/a b'\n"
            ),
            (
                "repository must belong to you or be trusted by git, got 'x y' of another owner;"
                " if you trust it, run: git config --global --add safe.directory '/a b'"
            ),
        ),
    ],
)
def test_the_complaint_of_git_becomes_one_sentence(said: str, sentence: str) -> None:
    assert git_complaint("x y", said, 128) == sentence


def test_a_folder_with_what_cannot_be_seen_is_named_as_bash_reads_it() -> None:
    sentence = git_complaint("/a\u034fb", "fatal: detected dubious ownership in repository", 128)
    assert sentence.endswith(r"git config --global --add safe.directory $'/a\xcd\x8fb'")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_watched_repository_of_another_owner_is_named_with_the_way_out(two_commits: Path) -> None:
    for path in (two_commits, two_commits / ".git"):
        os.chown(path, 12_345, 12_345)
    source = GitSource(two_commits)
    source._poller.outlet.push = Receiver()
    source._poller.call()
    error = str(source.status()["last_error"])
    assert error.endswith(f"run: git config --global --add safe.directory {two_commits}")
