"""Figures are said as people say them, and never round to more than is true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.replay.report.plain_figures import (
    PARTS,
    fraction,
    how_often,
    usd,
    usd_a_month,
    wait,
    waits,
    wake_ups,
)


@pytest.mark.parametrize(
    ("per_day", "words"),
    [(None, "–"), (0.0, "never"), (48.0, "48 a day"), (1440.0, "1,440 a day"), (9.96, "10 a day"),
     (9.94, "9.9 a day"), (3.0, "3 a day"), (1.23, "1.2 a day"), (1.0, "one a day"),
     (0.81, "one a day"), (0.68, "one every 1.5 days"), (0.47, "one every 2 days"),
     (0.4, "one every 2.5 days"), (0.125, "one every 8 days"), (0.12, "one every 8 days"),
     (1 / 59, "one every 59 days"), (1 / 61, "one every 2 months"),
     (1 / 365, "one every 12 months"),
     (1 / 1000, "one every 3 years")],
)  # fmt: skip
def test_a_rate_is_so_many_a_day_or_one_in_so_many(per_day: float | None, words: str) -> None:
    assert how_often(per_day) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [(-0.1, "none of the wake-ups"), (0.0, "none of the wake-ups"),
     (0.03, "almost none of the wake-ups"), (0.10, "1 of 10 wake-ups"),
     (0.25, "a quarter of the wake-ups"), (0.333, "a third of the wake-ups"),
     (0.37, "nearly 2 of 5 wake-ups"), (0.43, "more than 2 of 5 wake-ups"),
     (0.5, "half the wake-ups"),
     (0.53, "more than half the wake-ups"), (0.61, "3 of 5 wake-ups"),
     (0.64, "nearly 2 of 3 wake-ups"),
     (0.76, "3 of 4 wake-ups"), (0.95, "19 of 20 wake-ups"), (0.999, "999 of 1,000 wake-ups"),
     (1.0, "all wake-ups")],
)  # fmt: skip
def test_a_share_is_a_fraction_with_few_parts(share: float, words: str) -> None:
    assert wake_ups(share) == words


@given(st.floats(0.05, 0.92))
def test_nearly_and_more_than_are_on_the_right_side(share: float) -> None:
    words = fraction(share)
    part = next(part for part, name in PARTS if words.endswith(name))
    if words.startswith("nearly"):
        assert share < part
    elif words.startswith("more than"):
        assert share > part
    else:
        assert abs(share - part) <= 0.0151


@pytest.mark.parametrize(
    ("amount", "words"),
    [(None, "–"), (0.0, "$0.00"), (0.001, "under $0.01"), (4.283, "$4.28"), (99.99, "$99.99"),
     (434.9, "$435"), (12_345.6, "$12,346")],
)  # fmt: skip
def test_money_stands_as_on_a_bill(amount: float | None, words: str) -> None:
    assert usd(amount) == words


def test_a_month_of_heartbeats_costs_what_it_costs() -> None:
    assert usd_a_month(48, 100_675, 3.0) == pytest.approx(48 * 30 * 100_675 * 3 / 1e6)


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(None, "–"), (0.0, "at once"), (0.4, "under 1 min"), (14.88, "15 min"), (119.0, "119 min"),
     (180.0, "3 h")],
)  # fmt: skip
def test_a_delay_is_at_once_or_so_long(minutes: float | None, words: str) -> None:
    assert wait(minutes) == words


@pytest.mark.parametrize(
    ("middle", "late", "words"),
    [(None, None, "–"), (0.0, 0.0, "at once"), (15.2, None, "15 min"), (15.2, 27.4, "15–27 min"),
     (15.2, 15.4, "15 min"), (0.0, 12.0, "at once, 12 min"), (0.4, 12.0, "under 1 min, 12 min"),
     (40.0, 600.0, "0.7–10 h"), (2.0, 600.0, "2 min, 10 h"), (180.0, 600.0, "3–10 h")],
)  # fmt: skip
def test_a_delay_is_its_median_and_where_nine_of_ten_are(
    middle: float | None, late: float | None, words: str
) -> None:
    assert waits(middle, late) == words
