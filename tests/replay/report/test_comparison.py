"""A comparison words each change and warns when the two are not alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.replay.report.comparison import caution, compare, comparison_sentence
from prefrontal.replay.result import ReplayResult

from ..sample_results import empty_result, nothing_relevant, sample_result

BASE = sample_result(windows=400)


def test_a_replay_compared_with_itself_changes_nothing() -> None:
    assert {each.change for each in compare(BASE, BASE)} == {"same"}
    assert caution(BASE, BASE) == ""
    assert comparison_sentence(BASE, BASE) == (
        "The second catches as much of what mattered and wakes as often."
    )


def test_what_one_of_them_lacks_has_no_change() -> None:
    rows = {each.name: each for each in compare(BASE, empty_result())}
    assert rows["AUC"].second == "–"
    assert rows["AUC"].change == "–"
    assert rows["windows woken at 90 %, in hindsight"].change == "–"


@pytest.mark.parametrize("other", [nothing_relevant(), empty_result()], ids=["none", "empty"])
def test_without_recall_the_two_cannot_be_weighed(other: ReplayResult) -> None:
    for pair in ((BASE, other), (other, BASE)):
        assert comparison_sentence(*pair).startswith("The two cannot be weighed")


def test_a_worse_second_is_called_worse() -> None:
    assert BASE.got_recall is not None
    worse = replace(BASE, got_recall=BASE.got_recall - 0.02, wakes_per_day=BASE.wakes_per_day * 1.5)
    assert comparison_sentence(BASE, worse) == (
        "The second catches 2.0 points less of what mattered and wakes 50 % more."
    )


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(BASE, preset="followup"), "when a later commit reverted or fixed it."),
        (replace(BASE, windows=401), "They cover different windows"),
        (replace(BASE, source="/other/pip"), "They were read from different places."),
    ],
)
def test_what_makes_two_replays_hard_to_compare_is_said(other: ReplayResult, words: str) -> None:
    assert words in caution(BASE, other)
