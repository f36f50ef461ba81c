"""The verdict says what a replay came to, and a promise is called kept only if it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.pulse.recall import share_interval
from prefrontal.replay.report.verdict import promise_kept, tells_what_matters, verdict
from prefrontal.replay.result import ReplayResult

from .. import made_histories
from ..sample_results import empty_result, nothing_relevant, sample_result, tiny_result

BASE = sample_result(windows=200)


def came_to(
    caught: int,
    relevant: int = 200,
    windows: int = 1000,
    woken: int = 400,
    asked: float = 0.9,
    auc: float | None = 0.9,
) -> ReplayResult:
    """A result with these counts and the exact interval that belongs to them."""
    base = BASE
    days = windows / 2
    every = replace(base.policies[1], wakes_per_day=2.0)
    return replace(
        base, windows=windows, relevant=relevant, asked_recall=asked, days=days, auc=auc,
        got_recall=caught / relevant, recall_interval=share_interval(caught, relevant),
        share_woken=woken / windows, wakes_per_day=woken / days,
        policies=tuple(every if each.name == "on_change" else each for each in base.policies),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (came_to(182), "worth_it"),
        (came_to(176), "worth_it"),  # .88, within 2 points
        (came_to(175), "promise_not_kept"),
        (came_to(168), "promise_not_kept"),  # .84
        (came_to(0, woken=300), "promise_not_kept"),
        (came_to(182, woken=801), "worth_little"),
        (came_to(194, woken=800), "worth_it"),
        (came_to(110, asked=0.5, woken=520), "worth_little"),  # chance would have caught it too
        (came_to(182, auc=0.53), "not_worth_it"),
        (came_to(182, auc=None), "not_worth_it"),
        (came_to(1000, relevant=1000, woken=1000, auc=None), "not_worth_it"),
        (came_to(200, woken=1000), "too_early"),
        (came_to(200, woken=981), "too_early"),
        (came_to(200, woken=1000, asked=1.0), "worth_little"),
        (came_to(18, relevant=20), "too_early"),
        (came_to(20, relevant=20), "worth_it"),
        (nothing_relevant(), "nothing_to_measure"),
        (empty_result(), "nothing_to_measure"),
        (tiny_result(), "too_early"),
        (made_histories.kept(), "worth_it"),
        (made_histories.missed(), "promise_not_kept"),
        (made_histories.by_lot(), "not_worth_it"),
        (made_histories.without_labels(), "nothing_to_measure"),
        (made_histories.tiny(), "too_early"),
    ],
)
def test_each_history_has_its_verdict(result: ReplayResult, kind: str) -> None:
    assert verdict(result).kind == kind


@pytest.mark.parametrize(
    ("recall", "wakes_per_day", "how"),
    [
        (0.91, 0.8, "as well"),
        (0.90, 0.8, "as well"),
        (0.90, 0.7, "as well"),
        (0.91, 0.7, "better"),
        (0.92, 0.8, "better"),
        (0.89, 0.8, None),
        (0.95, 0.81, None),
    ],
)
def test_a_rule_that_does_as_well_is_told(
    recall: float, wakes_per_day: float, how: str | None
) -> None:
    result = came_to(182)
    policies = [
        replace(each, recall=recall, wakes_per_day=wakes_per_day) if each.name == "rule" else each
        for each in result.policies
    ]
    told = verdict(replace(result, policies=tuple(policies)))
    assert (how is None) is ("rule" not in told.sentence)
    assert how is None or told.sentence.endswith(f". A one-line rule does {how} here.")
    assert told.kind == "worth_it"


@pytest.mark.parametrize("asked", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_it_is_green_only_if_the_promise_was_kept(asked: float) -> None:
    for caught in range(0, 201, 4):
        result = came_to(caught, asked=asked, woken=300)
        if verdict(result).tone == "good":
            assert caught / 200 >= asked - 0.02 - 1e-9, caught
            assert promise_kept(result), caught
        if caught / 200 < asked - 0.02 - 1e-9:
            assert verdict(result).kind == "promise_not_kept", caught


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (came_to(182), "Worth it: the gate caught 91 % of what mattered (90 % was asked), and "
                       "spared 3 of 5 wake-ups."),
        (came_to(177), "Worth it: the gate caught 88.5 % of what mattered, within 2 points of the "
                       "90 % asked, and spared 3 of 5 wake-ups."),
        (came_to(8999, relevant=10000, windows=50000, woken=20000),
         "Worth it: the gate caught 90 % of what mattered (90 % was asked), and spared 3 of 5 "
         "wake-ups."),
        (came_to(168), "Promise not kept: the gate caught 84 % of what mattered where 90 % was "
                       "asked. It spared 3 of 5 wake-ups."),
        (came_to(175), "Promise not kept: the gate caught 87.5 % of what mattered where 90 % was "
                       "asked (with 200 that mattered, chance alone may explain it). It spared "
                       "3 of 5 wake-ups."),
        (came_to(190, woken=900), "Worth little: the gate caught 95 % of what mattered (90 % was "
                                  "asked), but spared only 1 of 10 wake-ups."),
        (came_to(182, auc=0.5), "Not worth it: nothing here tells what matters. The gate woke on "
                                "40 % of the windows; chance does as well."),
        (came_to(1000, relevant=1000, woken=1000, auc=None),
         "Not worth it: everything here mattered, so there is nothing to sleep through."),
        (came_to(200, woken=1000), "Too early to tell: too little was known to promise 90 % and "
                                   "sleep, so everything woke."),
        (came_to(2, relevant=2), "Too early to tell: only 2 windows mattered after the warm-up, so "
                                 "what was caught could come out anywhere from 22 % to 100 %."),
        (nothing_relevant(), "Nothing to measure: none of 90 windows mattered (a window matters "
                             "when it touched changelog/*.rst)."),
        (empty_result(), "Nothing to measure: no window was left after the warm-up."),
    ],
)  # fmt: skip
def test_the_sentence_says_it_in_words(result: ReplayResult, sentence: str) -> None:
    assert verdict(result).sentence == sentence


def test_scores_tell_only_beyond_what_chance_does() -> None:
    assert tells_what_matters(came_to(182, auc=0.54))
    assert not tells_what_matters(came_to(182, auc=0.535))
    assert not tells_what_matters(came_to(18, relevant=20, windows=60, auc=0.62))
    assert not tells_what_matters(came_to(182, auc=0.2))
