"""Nothing that comes later may change what was decided before."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.result import ReplayResult
from prefrontal.types import Window

from .streams import HOUR, history

COUNT = 140  # of which the last 112 are counted, so that the strip holds them all
FIRST = 28


def replayed(windows: list[Window], seed: int = 0) -> ReplayResult:
    question = Question("history", "recorded", total=len(windows), recall=0.8, seed=seed)
    return backtest(windows, PulseGate(), question)


def decisions(result: ReplayResult) -> list[tuple[str, float, float, bool]]:
    return [(each.key, each.score, each.threshold, each.woke) for each in result.strip]


def flipped(each: Window) -> Window:
    return replace(each, relevant=not each.relevant)


def test_the_last_label_changes_no_decision() -> None:
    windows = history(1, COUNT)
    before, after = replayed(windows), replayed([*windows[:-1], flipped(windows[-1])])
    assert decisions(before) == decisions(after)
    assert len(before.strip) == COUNT - FIRST
    assert before.relevant != after.relevant


@pytest.mark.parametrize("seed", range(6))
def test_other_labels_from_some_window_on_change_no_decision_up_to_it(seed: int) -> None:
    windows = history(seed, COUNT)
    at = random.Random(seed).randrange(FIRST, COUNT - 1)
    other = windows[:at] + [flipped(each) for each in windows[at:]]
    before, after = decisions(replayed(windows)), decisions(replayed(other))
    assert before[: at + 1 - FIRST] == after[: at + 1 - FIRST]
    assert before != after


@pytest.mark.parametrize("seed", range(6))
def test_another_future_changes_no_decision_before_it(seed: int) -> None:
    windows = history(seed, COUNT)
    at = random.Random(seed).randrange(FIRST, COUNT - 1)
    other = windows[:at] + history(seed + 100, COUNT)[at:]
    before, after = replayed(windows), replayed(other)
    assert decisions(before)[: at - FIRST] == decisions(after)[: at - FIRST]
    assert decisions(before) != decisions(after)
    assert before.policies[2].detail == after.policies[2].detail


@pytest.mark.parametrize("late", [3.0, 30.0])
def test_a_late_label_changes_nothing_before_it_is_known(late: float) -> None:
    windows = history(3, COUNT, late=late)
    at = 60
    other = [flipped(each) if number == at else each for number, each in enumerate(windows)]
    before, after = decisions(replayed(windows)), decisions(replayed(other))
    known = at + int(late) + 1 - FIRST  # an hour apart; its own second does not know it
    assert before[:known] == after[:known]
    assert before[known] != after[known]


def test_a_label_that_is_known_at_once_and_one_known_a_moment_later_teach_the_same() -> None:
    windows = history(4, COUNT)
    soon = [replace(each, known_at=each.time + HOUR / 2) for each in windows[FIRST:]]
    soon = windows[:FIRST] + soon  # the rule is found on what is known when the warm-up ends
    assert decisions(replayed(windows)) == decisions(replayed(soon))


def test_labels_never_known_teach_nothing() -> None:
    windows = [replace(each, known_at=each.time + 10_000 * HOUR) for each in history(5, COUNT)]
    result = replayed(windows)
    assert result.policy("rule") is None
    assert {(each.score, each.threshold) for each in result.strip} == {(0.5, 0.0)}


def test_the_seed_moves_chance_alone() -> None:
    one, two = replayed(history(6, COUNT), seed=1), replayed(history(6, COUNT), seed=2)
    assert one.policy("random") != two.policy("random")
    assert replace(one, policies=(), seconds=0.0) == replace(two, policies=(), seconds=0.0)
    assert [each for each in one.policies if each.name != "random"] == [
        each for each in two.policies if each.name != "random"
    ]


def test_the_same_history_gives_the_same_result() -> None:
    one, two = (replace(replayed(history(7, COUNT)), seconds=0.0) for _ in range(2))
    assert one == two
    assert {each.kind for each in one.strip} == {"caught", "wasted", "slept", "missed"}
