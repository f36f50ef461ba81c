"""The area under the ROC curve and the recall curve against the slow and plain way."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.replay.curve import MOST_POINTS, area_under_roc, ranked, recall_curve

Scored = list[tuple[float, int]]

scored_windows = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1), st.integers(0, 1)),
    max_size=60,
)


def points_of(scored: Scored) -> list[tuple[int, int]]:
    return ranked([score for score, _ in scored], bytes(label for _, label in scored))


def slow_area(scored: Scored) -> float | None:
    """Every relevant window against every other one."""
    good = [score for score, label in scored if label]
    rest = [score for score, label in scored if not label]
    if not good or not rest:
        return None
    wins = sum((a > b) + (a == b) / 2 for a in good for b in rest)
    return wins / (len(good) * len(rest))


def recall_at(scored: Scored, threshold: float) -> tuple[float, float]:
    """(share woken, recall) when everything from `threshold` up wakes."""
    woken = [label for score, label in scored if score >= threshold]
    return len(woken) / len(scored), sum(woken) / sum(label for _, label in scored)


def random_windows(seed: int, count: int, decimals: int) -> Scored:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        label = int(rng.random() < 0.3)
        found.append(
            (round(min(1.0, max(0.0, rng.gauss(0.4 + 0.2 * label, 0.2))), decimals), label)
        )
    return found


@given(scored_windows)
@settings(deadline=None, max_examples=300)
def test_the_area_is_the_share_of_pairs_in_order_and_ties_count_half(scored: Scored) -> None:
    expected = slow_area(scored)
    area = area_under_roc(points_of(scored))
    assert area == (expected if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("scored", "area"),
    [
        ([(0.9, 1), (0.1, 0)], 1.0),
        ([(0.1, 1), (0.9, 0)], 0.0),
        ([(0.5, 1), (0.5, 0), (0.5, 1)], 0.5),
        ([(0.5, 1)], None),
        ([(0.5, 0)], None),
        ([], None),
    ],
)
def test_the_area_at_its_edges(scored: Scored, area: float | None) -> None:
    assert area_under_roc(points_of(scored)) == area


@given(scored_windows)
@settings(deadline=None, max_examples=200)
def test_ranked_counts_the_windows_at_or_above_each_score(scored: Scored) -> None:
    thresholds = sorted({score for score, _ in scored}, reverse=True)
    assert points_of(scored) == [
        (
            sum(score >= threshold for score, _ in scored),
            sum(label for score, label in scored if score >= threshold),
        )
        for threshold in thresholds
    ]


@given(scored_windows)
@settings(deadline=None, max_examples=200)
def test_the_curve_rises_from_nothing_to_everything_through_true_points(scored: Scored) -> None:
    curve = recall_curve(points_of(scored))
    if not any(label for _, label in scored):
        assert curve == ()
        return
    assert curve[0] == (0.0, 0.0)
    assert curve[-1] == (1.0, 1.0)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(curve))
    true = {recall_at(scored, score) for score, _ in scored}
    assert set(curve[1:-1]) <= true
    if len(true) < 50:
        assert set(curve[1:]) == true  # a short curve is kept whole


@pytest.mark.parametrize("decimals", [1, 3, 12])
@pytest.mark.parametrize("count", [1_000, 20_000])
def test_a_long_curve_is_thinned_to_points_that_lie_close(count: int, decimals: int) -> None:
    scored = random_windows(count, count, decimals)
    points = points_of(scored)
    curve = recall_curve(points)
    assert len(curve) <= MOST_POINTS
    windows, positives = points[-1]
    whole = [(woken / windows, caught / positives) for woken, caught in points]
    biggest = max(b[0] - a[0] + b[1] - a[1] for a, b in pairwise([(0.0, 0.0), *whole]))
    for a, b in pairwise(curve):
        assert b[0] - a[0] + b[1] - a[1] <= 2 / (MOST_POINTS - 2) + biggest + 1e-12


def test_the_worst_curve_keeps_within_the_most_points() -> None:
    for count in range(390, 420):
        zigzag = [(1 - number / count, number % 2) for number in range(count)]
        assert len(recall_curve(points_of(zigzag))) <= MOST_POINTS
