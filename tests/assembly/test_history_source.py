"""The source of an adopted repository hands each commit on once, whenever it comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.history_source import HistoryPlace, HistorySource
from prefrontal.replay.presets.labeller import Labeller
from prefrontal.replay.presets.presets import parse_preset

from ..replay import repositories

no_set_up, git, repository, commit, move_during = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
    repositories.move_during,
)


def look(source: HistorySource, keys: list[str]) -> None:
    """One look; the keys of the windows it hands on are added."""

    def take(window: Any) -> bool:
        keys.append(window.key)
        return True

    source._poller.outlet.push = take
    source._poller.call()
    assert source.status()["last_error"] == ""


def judged_up_to(repository: Path, commit: str) -> HistorySource:
    """The source of a repository whose first commit, of second 1,000, was judged."""
    labeller = Labeller(parse_preset("path:news/**"))
    place = HistoryPlace("refs/heads/main", (commit,), 1_000.0, labeller)
    return HistorySource("mine", repository, place)


@pytest.mark.parametrize("word", ["rev-parse --verify", "log"])
def test_a_commit_that_comes_while_git_is_read_is_handed_on_once(
    repository: Path, commit: Callable[..., str], git: repositories.Git,
    move_during: Callable[[Path, str, str], None], word: str, tmp_path: Path,
) -> None:  # fmt: skip
    first = commit("first", {"a.txt": "1"}, at=1_000)
    source = judged_up_to(repository, first)
    keys: list[str] = []
    look(source, keys)
    assert keys == []
    second = commit("second", {"b.txt": "1"}, at=2_000)
    third = commit("third", {"c.txt": "1", "news/c.txt": "1"}, at=3_000)
    git(repository, "update-ref", "refs/heads/main", second)
    move_during(repository, word, third)
    look(source, keys)
    assert (tmp_path / "moved").is_dir()
    look(source, keys)
    look(source, keys)
    assert keys == [second, third]


def test_a_history_that_was_rewritten_goes_on_after_the_last_moment_that_was_judged(
    repository: Path, commit: Callable[..., str], git: repositories.Git,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    first = commit("first", {"a.txt": "1"}, at=1_000)
    source = judged_up_to(repository, first)
    keys: list[str] = []
    look(source, keys)
    git(repository, "checkout", "--quiet", "--orphan", "rewritten")
    commit("first, again", {"a.txt": "1"}, at=900)
    commit("second, again", {"b.txt": "1"}, at=1_000)
    new = commit("third", {"c.txt": "1"}, at=2_000)
    git(repository, "branch", "--force", "main", "rewritten")
    look(source, keys)
    assert keys == [new]
    assert "holds no commit that was judged before" in caplog.text
    later = commit("fourth", {"d.txt": "1"}, at=3_000)
    git(repository, "branch", "--force", "main", "rewritten")
    look(source, keys)
    assert keys == [new, later]


def test_a_history_whose_last_commits_were_undone_is_not_told_again(
    repository: Path, commit: Callable[..., str], git: repositories.Git
) -> None:
    first = commit("first", {"a.txt": "1"}, at=1_000)
    second = commit("second", {"b.txt": "1"}, at=2_000)
    labeller = Labeller(parse_preset("path:news/**"))
    place = HistoryPlace("refs/heads/main", (first, "0" * 40, second), 2_000.0, labeller)
    source = HistorySource("mine", repository, place)
    git(repository, "reset", "--quiet", "--hard", first)
    other = commit("other", {"c.txt": "1"}, at=1_500)
    keys: list[str] = []
    look(source, keys)
    assert keys == [other]
