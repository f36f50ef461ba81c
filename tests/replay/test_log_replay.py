"""A live log says what other settings would have done."""

from __future__ import annotations

import pytest

from prefrontal.decisions.log import Decision, new_id
from prefrontal.decisions.payloads import WakePayload
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
