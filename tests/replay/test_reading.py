"""The curve is read straight between its points, forwards and backwards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.replay.reading import read_curve, recall_at, share_at
from prefrontal.replay.result import ReplayResult

from .sample_results import empty_result, nothing_relevant, sample_result, tiny_result

CURVE = ((0.0, 0.0), (0.2, 0.5), (0.4, 0.5), (0.4, 0.9), (1.0, 1.0))


@pytest.mark.parametrize(
    ("recall", "share"),
    [(0.0, 0.0), (0.25, 0.1), (0.5, 0.2), (0.7, 0.4), (0.9, 0.4), (0.95, 0.7), (1.0, 1.0)],
)
def test_the_smallest_share_that_reaches_a_recall_is_read(recall: float, share: float) -> None:
    assert share_at(CURVE, recall) == pytest.approx(share)


def test_an_empty_curve_has_no_answer() -> None:
    assert share_at((), 0.9) is None


@given(st.floats(0, 1), st.sampled_from([CURVE, sample_result().curve, tiny_result().curve]))
def test_reading_back_what_was_read_gives_at_least_the_recall(
    recall: float, curve: tuple[tuple[float, float], ...]
) -> None:
    share = share_at(curve, recall)
    assert share is not None
    assert recall_at(curve, share) >= recall - 1e-9


def test_a_reading_agrees_with_the_figures_worked_out_by_hand() -> None:
    base = sample_result()
    result = replace(base, windows=1000, relevant=200, days=500.0, curve=CURVE)
    reading = read_curve(result, 0.5)
    assert reading is not None
    assert reading.share_woken == pytest.approx(0.2)
    assert reading.wakes_per_day == pytest.approx(0.4)
    assert reading.tokens_per_day == pytest.approx(0.4 * 100_675)
    assert reading.tokens_per_useful_wake == pytest.approx(200 / 100 * 100_675)
    assert reading.times_fewer == pytest.approx(48 / 0.4)
    [every] = [each.wakes_per_day for each in base.policies if each.name == "on_change"]
    assert reading.share_fewer == pytest.approx(1 - 0.4 / every)


def test_recall_zero_wakes_nobody_and_has_no_price() -> None:
    reading = read_curve(sample_result(), 0.0)
    assert reading is not None
    assert reading.wakes_per_day == 0
    assert reading.tokens_per_useful_wake is None
    assert reading.times_fewer is None


@pytest.mark.parametrize(
    "result",
    [nothing_relevant(), empty_result(), replace(tiny_result(), days=0.0)],
    ids=["nothing relevant", "no windows", "no time"],
)
def test_without_curve_or_time_there_is_nothing_to_read(result: ReplayResult) -> None:
    assert read_curve(result, 0.9) is None
