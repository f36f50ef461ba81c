"""A live log says what other settings would have done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.decisions.log import Decision, new_id
from prefrontal.decisions.payloads import FoldedWindow, WakePayload
from prefrontal.replay.log_replay import replay_log
from prefrontal.types import Reason


def record(
    score: float,
    reason: Reason = Reason.WOKE,
    label: float | None = None,
    *,
    module: str = "m",
    time: float = 0.0,
    propensity: float = 1.0,
) -> Decision:
    acted = reason in (Reason.WOKE, Reason.AUDIT)
    question = "?" if acted else None
    return Decision(
        new_id(), time, module, acted, reason, score, 0.6, question, propensity, (),
        WakePayload(), label=label, labelled_at=None if label is None else time,
    )  # fmt: skip


def test_the_same_settings_give_the_same_wakes() -> None:
    log = [record(0.7), record(0.5, Reason.BELOW_THRESHOLD), record(0.9, module="other")]
    outcomes = replay_log(log, None, lambda *_: None)
    assert [(each.module, each.woke, each.would_wake) for each in outcomes] == [
        ("m", 1, 1),
        ("other", 1, 1),
    ]


@pytest.mark.parametrize(("threshold", "wakes"), [(0.0, 3), (0.65, 2), (0.7, 2), (0.95, 0)])
def test_another_threshold_wakes_for_other_windows(threshold: float, wakes: int) -> None:
    log = [record(0.7), record(0.9), record(0.5, Reason.BELOW_THRESHOLD)]
    (outcome,) = replay_log(log, threshold, lambda *_: None)
    assert outcome.would_wake == wakes


def test_labels_say_what_would_have_been_caught_missed_and_wasted() -> None:
    log = [
        record(0.7, label=1.0),
        record(0.9, label=0.0),
        record(0.61, label=1.0),
        record(0.2, Reason.AUDIT, label=1.0, propensity=0.02),
        record(0.8),
    ]
    (outcome,) = replay_log(log, 0.65, lambda *_: None)
    assert (outcome.caught, outcome.wasted, outcome.missed) == (1.0, 1.0, 51.0)
    assert outcome.recall == pytest.approx(1 / 52)


def test_a_policy_holds_back_with_its_reason() -> None:
    log = [record(0.7, time=float(second)) for second in range(10)]
    (outcome,) = replay_log(log, None, lambda each: None if each.time % 5 == 0 else "cooldown")
    assert outcome.would_wake == 2
    assert outcome.held_back == {"cooldown": 8}


def test_an_empty_log_has_no_modules_and_unlabelled_ones_no_recall() -> None:
    assert replay_log([], None, lambda *_: None) == []
    (outcome,) = replay_log([record(0.7)], None, lambda *_: None)
    assert outcome.recall is None


def held(score: float, reason: Reason, label: float | None = None) -> Decision:
    return replace(record(score, reason, label), payload=WakePayload(waits=True))


def late(*windows: Decision, label: float | None = None) -> Decision:
    """Asked about the strongest of these when their hold ended."""
    strongest = max(windows, key=lambda each: each.score)
    folded = tuple(FoldedWindow(each.id, each.time, each.reason) for each in windows)
    question = record(strongest.score, label=label)
    return replace(question, payload=WakePayload(late=True, folded=folded))


def test_what_a_burst_gathered_is_one_wake_up_and_each_window_counts_once() -> None:
    burst = [held(score, Reason.GROUPED) for score in (0.65, 0.8, 0.7)]
    log = [*burst, late(*burst, label=1.0), record(0.9)]
    (outcome,) = replay_log(log, None, lambda *_: None)
    assert (outcome.woke, outcome.would_wake, outcome.caught) == (2, 2, 1.0)
    (outcome,) = replay_log(log, 0.75, lambda *_: None)
    assert (outcome.would_wake, outcome.caught) == (2, 1.0)
    (outcome,) = replay_log(log, 0.85, lambda *_: None)
    assert (outcome.would_wake, outcome.caught, outcome.missed) == (1, 0.0, 1.0)


def test_what_a_policy_held_back_counts_when_it_came_and_not_again() -> None:
    waiting = [held(0.8, Reason.COOLDOWN, 1.0), held(0.7, Reason.COOLDOWN, 0.0)]
    log = [record(0.9, label=0.0), *waiting, late(*waiting)]
    (outcome,) = replay_log(log, None, lambda *_: None)
    assert (outcome.woke, outcome.would_wake) == (2, 3)
    assert (outcome.caught, outcome.missed, outcome.wasted) == (1.0, 0.0, 2.0)


def test_an_answer_to_a_late_question_is_of_the_window_that_it_is_about() -> None:
    waiting = [held(0.8, Reason.COOLDOWN), held(0.7, Reason.COOLDOWN)]
    log = [*waiting, late(*waiting, label=1.0)]
    (outcome,) = replay_log(log, 0.75, lambda *_: None)
    assert (outcome.would_wake, outcome.caught, outcome.missed) == (1, 1.0, 0.0)
    waiting[0] = replace(waiting[0], label=0.0)
    (outcome,) = replay_log([*waiting, late(*waiting, label=1.0)], 0.75, lambda *_: None)
    assert (outcome.caught, outcome.wasted) == (0.0, 1.0)


def test_what_was_gathered_and_never_asked_keeps_its_label() -> None:
    log = [held(0.8, Reason.GROUPED, 1.0)]
    (outcome,) = replay_log(log, None, lambda *_: None)
    assert (outcome.would_wake, outcome.caught) == (0, 1.0)
