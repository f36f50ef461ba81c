"""The info score: from counts and days alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.ledger import LedgerPlugin, Peer, compute_info_score
from prefrontal.ledger.info_score import score_of

DAY_S = 86_400.0


def peer(interactions: int, days: float) -> Peer:
    first = 1_700_000_000.0
    last = first + days * DAY_S
    return Peer("alice", "Alice", "http", first, last, interactions, interactions, 0)


@pytest.mark.parametrize(
    ("interactions", "days", "score"),
    [
        (0, 0, 0),
        (0, 900, 0),
        (1, 0, 1),
        (2, 0.9, 1),
        (3, 0, 2),
        (4, 0, 3),
        (5, 6, 3),
        (23, 30, 7),
        (6, 6.9, 3),
        (6, 7, 4),
        (15, 27, 5),
        (16, 30, 6),
        (30, 89, 7),
        (31, 30, 7),
        (50, 179, 8),
        (51, 180, 9),
        (76, 180, 10),
        (100, 365, 10),
        (100_000, 36_500, 10),
    ],
)
def test_the_table_of_counts_and_days_holds(interactions: int, days: float, score: int) -> None:
    assert compute_info_score(peer(interactions, days)) == score


@pytest.mark.parametrize(
    ("interactions", "days", "score"),
    [(6, 21, 5), (6, 15, 4), (100, 1, 3), (2, 200, 1), (60, 200, 9)],
)
def test_the_published_examples_come_out(interactions: int, days: float, score: int) -> None:
    assert compute_info_score(peer(interactions, days)) == score


def test_more_messages_or_more_days_never_lower_the_score() -> None:
    rows = [[score_of(n, days) for days in range(450)] for n in range(130)]
    for before, after in pairwise(rows):
        assert all(a <= b for a, b in zip(before, after, strict=True))
    for row in rows:
        assert row == sorted(row)


def test_neither_a_burst_nor_a_long_wait_reaches_the_upper_half() -> None:
    assert max(score_of(n, 6.99) for n in range(1000)) == 3
    assert max(score_of(5, days) for days in range(5000)) == 3


@settings(deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 10**5), st.integers(0, 100))
def test_every_score_is_a_whole_number_from_0_to_10(n: int, days: float, assessed: int) -> None:
    score = compute_info_score(peer(n, days), assessed)
    assert type(score) is int
    assert 0 <= score <= 10
    assert (score == 0) == (n == 0)


@pytest.mark.parametrize(("assessments", "score"), [(0, 9), (9, 9), (10, 10), (500, 10)])
def test_ten_assessments_lift_nine_to_ten(assessments: int, score: int) -> None:
    assert compute_info_score(peer(60, 200), assessments) == score


@pytest.mark.parametrize("score", range(9))
def test_assessments_lift_nothing_below_nine(score: int) -> None:
    for n in range(60):
        for days in (0, 1, 8, 29, 91, 150):
            if score_of(n, days) == score:
                assert compute_info_score(peer(n, days), 10_000) == score


def test_days_that_went_back_count_as_none() -> None:
    assert compute_info_score(peer(200, -5)) == 3


def test_the_plugin_offers_the_same_function() -> None:
    assert LedgerPlugin.compute_info_score is compute_info_score
    assert LedgerPlugin().compute_info_score(peer(6, 21), 3) == 5
