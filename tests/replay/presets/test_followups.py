from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.replay.histories.git_history import Commit, GitHistory
from prefrontal.replay.presets.followups import HORIZON_S, FollowupPreset, follows, names_of
from prefrontal.types import SignalEvent, Window

from .. import repositories

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)

SHA = "0123456789abcdef0123456789abcdef01234567"
DAY = 86_400.0


def change(text: str, at: float, key: str = "f" * 40, body: str = "") -> Commit:
    event = SignalEvent("filesystem", "a", "modified", 1.0, at, {"actor": "", "text": text})
    return Commit(key, at, (event,), "", text, None, None, body, 1)


def labels(*windows: Window) -> list[tuple[bool | None, float | None]]:
    return [(each.relevant, each.known_at) for each in FollowupPreset().apply(iter(windows))]


@pytest.mark.parametrize(
    ("earlier", "text", "body"),
    [
        ("Add x", "undo", f"This reverts commit {SHA}."),
        ("Add x", "undo", f"This reverts commit {SHA}, reversing\nchanges made to {'e' * 40}."),
        ("Add x", "repair", f'Why.\n\nFixes: {SHA[:12]} ("Add x")\nSigned-off-by: J <j>\n'),
        ("Add x", "repair", f"fixes commit {SHA[:12].upper()}"),
        ("Add x", 'Revert "Add x"', ""),
        ("Add x", 'Revert "add X" (#13)', ""),
        ("Add x (#12)", 'Revert "Add x (#12)" (#13)', ""),
        ("Add x (#12)", "Back out x", "Reverts bo/thing#12\n"),
        ("Add x (#12)", "Back out x", "Reverts #12"),
        ("Add x", "fixup! Add x", ""),
        ("Add x", "squash! Add x", ""),
        ("Add x", "fixup! fixup! Add x", ""),
        ("Add x", "amend! Add x", ""),
        ("Merge pull request #12 from bo/x: Add x", 'Revert "Add x"', ""),
        (
            "Merge pull request #12 from bo/x: Add x",
            "Merge pull request #13 from al/revert-12-x: Undo",
            "",
        ),
        (
            "Merge pull request #12 from bo/x: Add x",
            'Merge pull request #13 from al/other: Revert "Add x"',
            "",
        ),
    ],
)
def test_a_change_is_relevant_when_a_later_one_reverts_or_fixes_it(
    earlier: str, text: str, body: str
) -> None:
    windows = change(earlier, 0.0, SHA), change("else", 1.0), change(text, DAY, "d" * 40, body)
    assert labels(*windows) == [(True, DAY), (False, 1 + HORIZON_S), (False, DAY + HORIZON_S)]


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Fix the bug", "Fixes: #12"),
        ("Revert Add x", "It reverts nothing by name"),
        ("undo", "This reverts commit 012345"),
        ("undo", f"This reverts commit {SHA[:8]}00"),
        ('Revert "Add xyz"', ""),
        ("fixup! something", ""),
        ("Add x", ""),
    ],
)
def test_a_message_that_names_no_earlier_change_labels_none(text: str, body: str) -> None:
    windows = change("Add x", 0.0, SHA), change(text, DAY, "d" * 40, body)
    assert [relevant for relevant, _ in labels(*windows)] == [False, False]


def test_of_several_changes_with_one_subject_the_latest_is_meant() -> None:
    windows = change("Bump", 0.0, "a" * 40), change("Bump", 1.0), change('Revert "Bump"', 2.0)
    assert [relevant for relevant, _ in labels(*windows)] == [False, True, False]


def test_a_subject_used_again_is_still_known_when_its_first_change_is_done_with() -> None:
    windows = change("Bump", 0.0), change("Bump", 20 * DAY), change('Revert "Bump"', 40 * DAY)
    assert [relevant for relevant, _ in labels(*windows)] == [False, True, False]


def test_a_hash_decides_between_changes_that_begin_alike() -> None:
    other = SHA[:7] + "f" * 33
    windows = change("a", 0.0, SHA), change("b", 1.0, other), change("c", 2.0, "d" * 40)
    follower = change("undo", 3.0, "e" * 40, f"This reverts commit {SHA[:9]}")
    assert [relevant for relevant, _ in labels(*windows, follower)] == [True, False, False, False]


def test_the_line_of_a_file_is_called_by_its_text_alone() -> None:
    assert names_of("abcdef0.jsonl:1", "Add x") == ("title:add x",)
    assert names_of(SHA, "Add x (#12)") == ("title:add x", "sha:0123456", "request:12")


def test_what_comes_after_the_horizon_no_longer_counts() -> None:
    late = change("Add x", 0.0), change('Revert "Add x"', HORIZON_S + 1)
    in_time = change("Add x", 0.0), change('Revert "Add x"', HORIZON_S)
    assert labels(*late)[0] == (False, HORIZON_S)
    assert labels(*in_time)[0] == (True, HORIZON_S)


def test_a_label_is_known_from_the_first_follow_up() -> None:
    windows = change("Add x", 0.0), change("fixup! Add x", 5.0), change('Revert "Add x"', 9.0)
    assert labels(*windows)[0] == (True, 5.0)


def test_the_windows_come_out_as_they_went_in_but_for_the_label() -> None:
    given = [change(f"change {number}", number * DAY, f"{number:040}") for number in range(90)]
    seen = list(FollowupPreset().apply(iter(given)))
    assert [(each.key, each.time, each.events, each.text) for each in seen] == [
        (each.key, each.time, each.events, each.text) for each in given
    ]
    assert all(type(each) is Window for each in seen)


@pytest.mark.exhaustive
def test_no_more_than_one_horizon_is_held() -> None:
    def endless() -> Iterator[Window]:
        for number in range(30_000):
            yield change(f"change {number}", number * DAY / 10, f"{number:040}")

    tracemalloc.start()
    try:
        assert sum(1 for _ in FollowupPreset().apply(endless())) == 30_000
        assert tracemalloc.get_traced_memory()[1] < 2e6
    finally:
        tracemalloc.stop()


def test_git_itself_writes_messages_that_are_understood(
    repository: Path, commit: Callable[..., str], git: Callable[..., str]
) -> None:
    commit("start", {"a": "1"}, at=1)
    commit("second (#7)", {"a": "2"}, at=2)
    git(repository, "revert", "--no-edit", "HEAD", at=3)
    git(repository, "revert", "--no-edit", "HEAD", at=4)
    (repository / "a").write_text("9")
    git(repository, "commit", "--quiet", "--all", "--fixup=HEAD~3", at=5)
    history = list(FollowupPreset().apply(GitHistory(repository)))
    assert [each.relevant for each in history] == [True, True, True, False, False]
    assert [each.known_at for each in history[:3]] == [5.0, 3.0, 4.0]


@given(st.text(), st.text() | st.from_regex(r"(This reverts commit|Fixes:) [0-9a-f]{5,50}"))
def test_any_message_can_be_searched_for_what_it_follows(text: str, body: str) -> None:
    for name in follows(text, body):
        assert name.partition(":")[0] in ("sha", "request", "title")
