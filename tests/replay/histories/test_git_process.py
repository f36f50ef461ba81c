from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.replay.histories import git_process
from prefrontal.replay.histories.git_history import GitHistory

from .. import repositories

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)

Git = repositories.Git


@pytest.fixture
def history(repository: Path, commit: Callable[..., str], git: Git) -> Path:
    text = "".join(f"line {number}\n" for number in range(30))
    commit("one", {"b.txt": text, "sub/a.txt": "1", "été": "1"})
    git(repository, "checkout", "--quiet", "-b", "side")
    commit("two", {"b.txt": None, "moved.txt": text + "x\n"})
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--no-ff", "-m", "three", "side")
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},module")
    (repository / "module").mkdir()
    commit("four", {"sub/a.txt": "2", "été": "2"})
    return repository


def sign(repository: Path, git: Git) -> None:
    """Put a signature, such as it is, on the newest commit."""
    head, _, message = git(repository, "cat-file", "commit", "HEAD").partition("\n\n")
    seal = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    raw = f"{head}\n{seal}\n\n{message}\n".encode()
    signed = git(repository, "hash-object", "-t", "commit", "-w", "--stdin", data=raw)
    git(repository, "update-ref", "refs/heads/main", signed)


def test_nothing_in_the_set_up_changes_what_is_read_and_nothing_is_executed(
    history: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(history, git)
    expected = list(GitHistory(history))
    assert [len(window.events) for window in expected] == [3, 1, 3]
    marker = tmp_path / "executed"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho ran >> {marker}\ncat\n")
    trap.chmod(0o755)
    (tmp_path / "order").write_text("sub/*\n")
    (history / ".git" / "info" / "attributes").write_text("*.txt diff=trap filter=trap\n")
    for name, value in {
        "alias.log": f"!{trap}",
        "color.ui": "always",
        "core.fsmonitor": str(trap),
        "core.pager": str(trap),
        "core.quotePath": "true",
        "diff.external": str(trap),
        "diff.ignoreSubmodules": "all",
        "diff.noprefix": "true",
        "diff.orderFile": str(tmp_path / "order"),
        "diff.relative": "true",
        "diff.renameLimit": "1",
        "diff.renames": "false",
        "diff.trap.command": str(trap),
        "diff.trap.textconv": str(trap),
        "filter.trap.smudge": str(trap),
        "gpg.program": str(trap),
        "i18n.logOutputEncoding": "latin-1",
        "log.date": "relative",
        "log.decorate": "full",
        "log.diffMerges": "off",
        "log.follow": "true",
        "log.showRoot": "false",
        "log.showSignature": "true",
        "notes.displayRef": "refs/notes/*",
        "pager.log": "true",
    }.items():
        git(history, "config", name, value)
    git(history, "notes", "add", "-m", "a note", "HEAD")
    for name, value in {
        "GIT_DIR": str(tmp_path),
        "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_INDEX_FILE": str(tmp_path / "none"),
        "GIT_PAGER": str(trap),
        "GIT_TRACE": "1",
        "LANG": "de_DE.UTF-8",
        "PAGER": str(trap),
    }.items():
        monkeypatch.setenv(name, value)
    for path in (history, history / "sub"):
        assert list(GitHistory(path)) == expected
    assert not marker.exists()


def test_trust_given_in_the_environment_still_counts(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "from the environment")
    assert git_process.ask(str(history), "config", "user.name") == "from the environment"


def test_a_no_is_none_for_a_question_and_an_error_for_a_demand(history: Path) -> None:
    question = ("rev-parse", "--verify", "--quiet", "none")
    assert git_process.ask(str(history), *question) is None
    with pytest.raises(SourceError, match=r"git could not read '.*': exit code 1"):
        git_process.tell(str(history), *question)


def test_a_chatty_git_is_never_waited_for(history: Path) -> None:
    # Its complaints, one for each name, are longer than any pipe holds.
    words = [f"{number:01000}" for number in range(300)]
    with pytest.raises(SourceError, match=r"git could not read '.*': error: pathspec '0000"):
        git_process.tell(str(history), "ls-files", "--error-unmatch", *words)
