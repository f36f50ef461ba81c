"""How sure a share is: exact intervals against published values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.pulse.recall import RecallPromise, share_interval

# hits, trials, confidence, low, high: scipy.stats.beta.ppf, Clopper and Pearson's definition.
KNOWN = [
    (9, 10, 0.9, 0.605837, 0.994884),
    (0, 10, 0.9, 0.000000, 0.258866),
    (10, 10, 0.9, 0.741134, 1.000000),
    (5, 10, 0.95, 0.187086, 0.812914),
    (1, 1, 0.9, 0.050000, 1.000000),
    (0, 1, 0.9, 0.000000, 0.950000),
    (1, 2, 0.5, 0.133975, 0.866025),
    (180, 200, 0.9, 0.858011, 0.932739),
    (190, 200, 0.99, 0.896038, 0.981165),
    (1, 1000, 0.9, 0.000051, 0.004735),
    (50_000, 100_000, 0.9, 0.497394, 0.502606),
    (99_990, 100_000, 0.9, 0.999830, 0.999946),
]


@pytest.mark.parametrize(("hits", "trials", "confidence", "low", "high"), KNOWN)
def test_the_interval_has_the_known_ends(
    hits: int, trials: int, confidence: float, low: float, high: float
) -> None:
    assert share_interval(hits, trials, confidence) == pytest.approx((low, high), abs=1e-6)


def test_nothing_is_known_without_trials() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)
    assert RecallPromise(0.9).interval() == (0.0, 1.0)


@given(st.integers(1, 5_000), st.data(), st.floats(0.01, 0.99))
@settings(deadline=None)
def test_an_interval_holds_its_share_and_mirrors_the_misses(
    trials: int, data: st.DataObject, confidence: float
) -> None:
    hits = data.draw(st.integers(0, trials))
    low, high = share_interval(hits, trials, confidence)
    assert 0 <= low <= hits / trials <= high <= 1
    mirrored = share_interval(trials - hits, trials, confidence)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
    wider = share_interval(hits, trials, confidence + 0.005)
    assert wider[0] <= low
    assert wider[1] >= high


@pytest.mark.parametrize(("hits", "trials"), [(-1, 5), (6, 5), (1, 0), (-1, -1)])
def test_more_hits_than_trials_are_refused(hits: int, trials: int) -> None:
    with pytest.raises(ValueError, match=r"^hits must be from 0 to trials "):
        share_interval(hits, trials)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1, 2, math.nan])
def test_a_confidence_outside_0_to_1_is_refused(confidence: Any) -> None:
    complaint = r"^confidence must be between 0 and 1, got "
    with pytest.raises(ValueError, match=complaint):
        share_interval(1, 2, confidence)
    with pytest.raises(ValueError, match=complaint):
        promised(5).interval(confidence)


def promised(positives: int, recall: float = 0.9) -> RecallPromise:
    promise = RecallPromise(recall, step=0)
    for number in range(positives):
        promise.observe(0.5 + (number * 37 % 100) / 1_000, relevant=True)
    return promise


@pytest.mark.parametrize(
    ("recall", "positives", "low", "high"),
    [(0.9, 9, 0.716871, 0.994317), (0.95, 19, 0.854131, 0.997304)],
)
def test_before_anything_was_decided_the_interval_follows_from_the_order_of_the_scores(
    recall: float, positives: int, low: float, high: float
) -> None:
    promise = promised(positives, recall)
    assert promise.interval() == pytest.approx((low, high), abs=1e-6)
    assert promise.sentence() == (
        f"From only {positives} relevant windows: recall {recall:g} was asked,"
        f" {low:.2f} to {high:.2f} is likely (90 % interval)."
    )


def test_later_the_interval_follows_from_what_was_caught_lately() -> None:
    promise = RecallPromise(0.9, memory=50, step=0)
    for number in range(300):
        caught = number < 150 or number % 5 != 0
        promise.observe(0.5, relevant=True, threshold=0.4 if caught else 0.6)
    assert promise.interval() == share_interval(40, 50)
    assert promise.sentence().startswith(
        "Of the last 50 relevant windows 40 were caught: recall 0.9"
    )


def test_where_nothing_may_be_missed_yet_the_recall_is_one() -> None:
    assert promised(8).interval() == (1.0, 1.0)
    assert promised(9).interval()[1] < 1.0
