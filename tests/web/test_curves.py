"""What another threshold would have done is what a replay of the log says."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest

from prefrontal.assembly.replay_gate import policy_admission
from prefrontal.decisions.labels import TOLD
from prefrontal.decisions.pages import LogRow
from prefrontal.replay.log_replay import replay_log
from prefrontal.settings import PolicySettings
from prefrontal.web.curves import preview, preview_words, threshold_curve

from .dash_samples import NOON

SCORES = (0.0, 0.29, 0.57, 0.58, 0.6, 0.7, 0.7000001, 0.999, 1.0, math.nan)


def row(number: int, score: float, reason: str = "woke", label: float | None = None) -> LogRow:
    propensity = 0.02 if reason == "audit" else 1.0
    time = NOON + 600.0 * number
    return LogRow(
        number, f"id{number}", time, "wake", "m", reason in ("woke", "audit"), reason,
        score, 0.6, True, propensity, label,
    )  # fmt: skip


def drawn(seed: int = 3, refusals: bool = True) -> list[LogRow]:
    draw = Random(seed)
    rows = []
    for number in range(400):
        score = draw.choice(SCORES) if draw.random() < 0.2 else draw.random()
        reason = "woke" if score >= 0.6 else draw.choice(["below_threshold", "audit"])
        if reason == "below_threshold" and not refusals:
            continue
        label = draw.choice([None, 0.0, 1.0]) if reason != "below_threshold" else None
        rows.append(row(number, score, reason, label))
    return rows


def test_a_clock_that_was_ahead_makes_no_time_longer() -> None:
    rows = [row(0, 0.9), row(144, 0.9), row(99_999, 0.9)]
    assert threshold_curve(rows, rows[1].time).days == 1.0
    assert threshold_curve(rows[2:], NOON).days == 1 / 24
    assert threshold_curve(rows, rows[2].time).days > 600


def test_each_point_of_the_curve_is_a_replay_at_that_threshold() -> None:
    rows = drawn()
    curve = threshold_curve(rows)
    assert curve.recall is not None
    assert len(curve.wakes) == len(curve.recall) == 101
    assert not curve.sampled
    for step in range(101):
        [found] = replay_log((each.as_record() for each in rows), step / 100, lambda *_: None)
        assert math.isclose(curve.wakes[step] * curve.days, found.would_wake)
        assert found.recall is not None
        assert math.isclose(curve.recall[step], found.recall)


def with_holds(seed: int) -> list[LogRow]:
    """As drawn; of what was gathered or held back later questions tell."""
    draw = Random(seed)
    rows: list[LogRow] = []
    waiting: list[int] = []
    for each in drawn(seed):
        if waiting and each.reason != "below_threshold" and draw.random() < 0.3:
            number, is_late = each.seq, each.reason == "woke" and draw.random() < 0.5
            for at in waiting:
                rows[at] = replace(rows[at], told_by=number)
            score = max(rows[at].score for at in waiting) if is_late else each.score
            rows.append(replace(each, score=score, is_late=is_late))
            waiting.clear()
        elif each.reason == "woke" and draw.random() < 0.5:
            reason = draw.choice(["grouped", "cooldown"])
            held = replace(each, acted=False, reason=reason, is_told=True)
            waiting.append(len(rows))
            rows.append(held)
        else:
            rows.append(each)
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_what_a_question_tells_of_counts_in_the_curve_as_in_a_replay(seed: int) -> None:
    rows = with_holds(seed)
    curve = threshold_curve(rows)
    assert curve.recall is not None
    for step in range(0, 101, 5):
        found = preview(rows, step / 100, PolicySettings())
        assert math.isclose(curve.wakes[step] * curve.days, found.would_wake)
        assert found.recall is not None
        assert math.isclose(curve.recall[step], found.recall)


def test_what_was_held_back_counts_once() -> None:
    scores = enumerate((0.7, 0.75, 0.8))
    gathered = [replace(row(at, score, "grouped"), told_by=3) for at, score in scores]
    burst = [*gathered, replace(row(3, 0.8, label=1.0), is_late=True)]
    held = [replace(row(at, 0.9, "cooldown", 1.0), told_by=7) for at in (5, 6)]
    rows = [*burst, row(4, 0.65), *held, replace(row(7, 0.9, label=1.0), is_late=True, source=TOLD)]
    rows = [replace(each, is_told=each.told_by is not None) for each in rows]
    rows.append(row(8, 0.2, "below_threshold"))
    curve = threshold_curve(rows)
    assert (curve.windows, curve.labelled) == (7, 3)
    assert [round(curve.wakes[at] * curve.days) for at in (60, 70, 85, 91)] == [4, 3, 2, 0]
    assert curve.recall is not None
    assert [round(curve.recall[at], 3) for at in (60, 85, 91)] == [1.0, 0.667, 0.0]
    found = preview(rows, 0.7, PolicySettings())
    assert (found.woke, found.would_wake, found.caught) == (3, 3, 3.0)


def test_audits_stand_for_the_windows_that_are_not_in_the_log() -> None:
    rows = drawn(refusals=False)
    curve = threshold_curve(rows)
    assert curve.sampled
    expected = sum(1 / each.propensity for each in rows if each.score >= 0)
    assert math.isclose(curve.wakes[0] * curve.days, expected)
    wakes = sum(each.reason == "woke" for each in rows if each.score >= 0.6)
    assert math.isclose(curve.wakes[60] * curve.days, wakes)


def test_without_a_relevant_label_there_is_no_recall() -> None:
    assert threshold_curve([row(0, 0.9), row(1, 0.8, label=0.0)]).recall is None
    empty = threshold_curve([])
    assert (empty.recall, empty.windows, empty.wakes[0]) == (None, 0, 0.0)


def test_a_preview_is_a_replay_under_the_policy_of_the_settings() -> None:
    rows = drawn()
    policy = PolicySettings(cooldown_s=3600.0)
    found = preview(rows, 0.4, policy)
    [expected] = replay_log((r.as_record() for r in rows), 0.4, policy_admission(policy))
    assert found == expected
    assert found.held_back["cooldown"] > 0
    words = preview_words(found, threshold_curve(rows).days)
    assert f"it would have woken {found.would_wake} times instead of {found.woke}" in words
    assert f"{found.held_back['cooldown']} cooldown held back" in words
