"""Labels that come one by one are those of a replay, in the order in which it learns them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.histories.git_history import Commit
from prefrontal.replay.presets.followups import HORIZON_S, FollowupPreset
from prefrontal.replay.presets.labeller import Labeller
from prefrontal.replay.presets.presets import Preset, parse_preset
from prefrontal.types import SignalEvent, Window

DAY = 86_400.0
Diary = list[tuple[str, str, bool | None]]


def change(
    number: int, at: float, text: str, paths: Sequence[str] = ("a",), body: str = ""
) -> Commit:
    shared = {"actor": "jane", "text": text}
    events = tuple(SignalEvent("filesystem", p, "modified", 1.0, at, shared) for p in paths)
    return Commit(f"{number:040x}", at, events, "jane", text, None, None, body, len(events))


def as_a_replay_learns(preset: Preset, changes: Iterable[Window]) -> Diary:
    """Decisions and labels in their order, the plain way: all labels first, learned when due."""
    diary: Diary = []
    waiting: list[tuple[float, int, str, bool]] = []
    for number, window in enumerate(preset.apply(changes)):
        while waiting and waiting[0][0] < window.time:
            *_, key, relevant = heappop(waiting)
            diary.append(("label", key, relevant))
        diary.append(("decide", window.key, None))
        if window.known_at is None:
            diary.append(("label", window.key, window.relevant))
        else:
            heappush(waiting, (window.known_at, number, window.key, bool(window.relevant)))
    return diary


def as_they_come(preset: Preset, changes: Iterable[Window], kept_every: int = 0) -> Diary:
    diary: Diary = []
    labeller = Labeller(preset)
    for number, window in enumerate(changes):
        if kept_every and number % kept_every == 0:
            labeller = Labeller.from_dict(json.loads(json.dumps(labeller.to_dict())))
        found = labeller.take(window)
        diary += [("label", key, relevant) for key, relevant in found.due]
        if found.window is not None:
            diary.append(("decide", found.window.key, None))
            if found.window.relevant is not None:
                diary.append(("label", found.window.key, found.window.relevant))
    return diary


@st.composite
def histories(draw: st.DrawFn) -> list[Commit]:
    at, changes = 0.0, []
    for number in range(draw(st.integers(1, 40))):
        at += draw(st.sampled_from([0.0, 0.0, 1.0, 3 * DAY, HORIZON_S / 2, HORIZON_S, 31 * DAY]))
        earlier = draw(st.integers(0, number))
        text, body = f"Add {number % 7}", ""
        match draw(st.integers(0, 5)):
            case 0:
                text = f'Revert "Add {earlier % 7}"'
            case 1:
                body = f"This reverts commit {earlier:040x}."
            case 2:
                text = f"fixup! Add {earlier % 7}"
        changes.append(change(number, at, text, body=body))
    return changes


@given(histories(), st.integers(0, 5))
def test_follow_ups_are_told_in_the_order_of_a_replay(
    changes: list[Commit], kept_every: int
) -> None:
    preset = FollowupPreset()
    assert as_they_come(preset, changes, kept_every) == as_a_replay_learns(preset, changes)


@pytest.mark.parametrize("relevant", ["path:news/**", "message:(?i)add 3"])
def test_what_a_change_says_itself_is_known_at_once(relevant: str) -> None:
    paths = [("src/a.py",), ("src/a.py", "news/1"), ("news/2",), ("src/b.py",)]
    changes = [change(n, float(n), f"Add {n}", paths[n % 4]) for n in range(8)]
    preset = parse_preset(relevant)
    assert as_they_come(preset, changes, 3) == as_a_replay_learns(preset, changes)


def test_a_change_of_which_the_preset_hides_all_is_no_window() -> None:
    labeller = Labeller(parse_preset("path:news/**"))
    assert labeller.take(change(1, 1.0, "x", ("news/1",))).window is None


def test_what_the_preset_hides_is_not_shown() -> None:
    found = Labeller(parse_preset("path:news/**")).take(change(1, 1.0, "x", ("a", "news/1")))
    assert found.window is not None
    assert [each.location for each in found.window.events] == ["a"]
    found = Labeller(parse_preset("message:x")).take(change(1, 1.0, "x"))
    assert found.window is not None
    assert found.window.events[0].features == {"actor": "jane"}


def test_a_follow_up_of_the_same_second_is_known_only_after_it() -> None:
    labeller = Labeller(FollowupPreset())
    labeller.take(change(1, 5.0, "Add x"))
    assert labeller.take(change(2, 5.0, 'Revert "Add x"')).due == ()
    assert list(labeller.waiting()) == [f"{1:040x}", f"{2:040x}"]
    assert labeller.take(change(3, 6.0, "else")).due == ((f"{1:040x}", True),)


@pytest.mark.parametrize("relevant", ["noop", "recorded"])
def test_a_preset_that_commits_cannot_answer_is_refused(relevant: str) -> None:
    with pytest.raises(InputError, match=f"that commits tell, got '{relevant}'"):
        Labeller(parse_preset(relevant))
