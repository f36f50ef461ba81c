"""Labels by fixes that come one by one are those of a replay, in the order in which it learns."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import SourceError
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.replay.presets.fix_labeller import FixLabeller
from prefrontal.replay.presets.fixed_later import (
    FIX_HORIZON_S,
    MOST_FIXED_FILES,
    FixedLaterPreset,
    blamed_by,
    is_fix,
)
from prefrontal.types import Window

from .. import repositories
from .test_labeller import DAY, Diary, as_a_replay_learns, change

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
Import = Callable[[Sequence[repositories.Change]], Path]
Blame = dict[str, list[str]]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Window], Blame]:
    """Changes, and whom each fix blames."""
    at, changes, blames = 0.0, list[Window](), Blame()
    for number in range(draw(st.integers(1, 40))):
        at += draw(st.sampled_from([0.0, 1.0, 3 * DAY, FIX_HORIZON_S / 2, FIX_HORIZON_S, 1e8]))
        fixes = draw(st.booleans())
        changes.append(change(number, at, f"{'Fix' if fixes else 'Add'} {number}"))
        if fixes and number:
            owners = draw(st.lists(st.integers(0, number - 1), max_size=3))
            blames[changes[-1].key] = [changes[each].key for each in owners]
    return changes, blames


def read(changes: Sequence[Window], blames: Blame) -> FixedLaterPreset:
    """The preset that knows when the first fix of each change came, the plain way."""
    times = {each.key: each.time for each in changes}
    fixes: dict[str, float] = {}
    for window in changes:
        for key in blames.get(window.key, ()):
            if window.time - times[key] <= FIX_HORIZON_S:
                fixes.setdefault(key, window.time)
    return FixedLaterPreset(fixes)


def as_they_come(
    labeller: FixLabeller, changes: Sequence[Window], blames: Blame, kept_every: int
) -> Diary:
    diary: Diary = []
    for number, window in enumerate(changes):
        if kept_every and number % kept_every == 0 and labeller.preset.fixes is None:
            labeller = FixLabeller.from_dict(json.loads(json.dumps(labeller.to_dict())))
        found = labeller.take(window, lambda key: blames.get(key, ()))
        diary += [("label", key, relevant) for key, relevant in found.due]
        assert found.window is not None and found.window.relevant is None
        diary.append(("decide", found.window.key, None))
    return diary


@given(histories(), st.integers(0, 5))
def test_fixes_are_told_in_the_order_of_a_replay(
    history: tuple[list[Window], Blame], kept_every: int
) -> None:
    changes, blames = history
    preset = read(changes, blames)
    expected = as_a_replay_learns(preset, changes)
    live = FixLabeller(FixedLaterPreset())
    assert as_they_come(live, changes, blames, kept_every) == expected
    assert as_they_come(FixLabeller(preset), changes, {}, 0) == expected


def test_a_change_whose_blame_failed_comes_again() -> None:
    labeller = FixLabeller(FixedLaterPreset())
    labeller.take(change(1, 1.0, "Add"))

    def fail(key: str) -> list[str]:
        raise SourceError("git is gone")

    before = labeller.to_dict()
    with pytest.raises(SourceError):
        labeller.take(change(2, 2.0, "Fix"), fail)
    assert labeller.to_dict() == before
    assert list(labeller.waiting()) == [f"{1:040x}"]


def test_what_was_adopted_before_the_gate_saw_sizes_goes_on_without() -> None:
    state = FixLabeller(FixedLaterPreset()).to_dict()
    before = {name: value for name, value in state.items() if name != "sized"}
    seen = []
    for raw in (state, before, FixLabeller.from_dict(before).to_dict()):
        labelled = FixLabeller.from_dict(raw).take(change(1, 1.0, "Add"), size=lambda _: 5)
        assert labelled.window is not None
        features = labelled.window.events[0].features
        seen.append([name for name in features if name.startswith("source_lines_")])
    assert seen == [["source_lines_1", "source_lines_4"], [], []]


def made(count: int) -> list[repositories.Change]:
    """Files that are written, fixed, moved and deleted by lines."""
    chance, files = random.Random(3), dict[str, list[str]]()
    changes: list[repositories.Change] = []
    for number in range(count):
        written: dict[str, str | None] = {}
        for name in chance.sample(["a", "b", "dir/ä b", "tests/test_c"], chance.randrange(1, 3)):
            lines = files.setdefault(f"{name}.py", [])
            at = chance.randrange(len(lines) + 1)
            lines[at : at + chance.randrange(3)] = [f"value_{number} = {at}"] * chance.randrange(3)
            written[f"{name}.py"] = "".join(f"{line}\n" for line in lines)
        if number % 9 == 5 and "a.py" in files:
            moved = f"moved_{number}.py"
            written |= {"a.py": None, moved: "".join(f"{line}\n" for line in files.pop("a.py"))}
        text = f"{chance.choice(['Fix', 'Add'])} {number}"
        changes.append((1_600_000_000 + number * 1000, text, written))
    return changes


@pytest.mark.exhaustive
def test_one_fix_blames_whom_a_pass_over_the_history_blames(import_history: Import) -> None:
    folder = import_history(made(150))
    changes = list(GitHistory(folder))
    preset = FixedLaterPreset().read(GitHistory(folder), len(changes), lambda *_: None)
    times = {each.key: each.time for each in changes}
    first: dict[str, float] = {}
    for window in filter(is_fix, changes):
        for key in blamed_by(str(folder), window.key):
            first.setdefault(key, times[window.key])
    assert first == preset.fixes
    assert len(first) > 10


def test_a_sweep_and_what_is_no_fix_of_sources_blame_nobody(
    import_history: Import, git: repositories.Git
) -> None:
    many: dict[str, str | None] = {f"f{n}.py": "a = 1\n" for n in range(MOST_FIXED_FILES + 1)}
    folder = import_history(
        [
            (1_600_000_000, "Begin", many | {"README.md": "one\n"}),
            (1_600_001_000, "Fix all", dict.fromkeys(many, "a = 2\n")),
            (1_600_002_000, "Fix words", {"README.md": "two\n"}),
        ]
    )
    for revision in ("main", "main~1", "main~2"):
        assert blamed_by(str(folder), git(folder, "rev-parse", revision)) == set()
