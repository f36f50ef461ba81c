"""Thresholds that a person asked for."""

from __future__ import annotations

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.threshold_wishes import (
    THRESHOLDS,
    parse_thresholds,
    read_thresholds,
    wish_threshold,
)
from prefrontal.errors import InputError


def test_a_wish_stands_until_it_is_taken_back() -> None:
    with DecisionLog() as log:
        assert read_thresholds(log) == {}
        wish_threshold(log, "a", 0.25)
        wish_threshold(log, "b", 1)
        assert read_thresholds(log) == {"a": 0.25, "b": 1.0}
        wish_threshold(log, "a", None)
        wish_threshold(log, "never said", None)
        assert read_thresholds(log) == {"b": 1.0}


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_another_threshold_is_refused(threshold: float) -> None:
    with DecisionLog() as log:
        with pytest.raises(InputError, match="threshold must be a number from 0 to 1"):
            wish_threshold(log, "a", threshold)
        with pytest.raises(InputError, match="module_id must not be empty"):
            wish_threshold(log, "", 0.5)
        assert log.load_state(THRESHOLDS) is None


@pytest.mark.parametrize("content", [b"", b"[", b"[1]", b"\xff", b"3", b"[" * 100_000])
def test_a_damaged_row_says_nothing(content: bytes) -> None:
    assert parse_thresholds(content) == {}


def test_damaged_values_are_left_out_each_alone() -> None:
    content = b'{"a": 0.5, "b": "0.5", "c": 2, "d": NaN, "e": true, "f": null, "g": 1}'
    assert parse_thresholds(content) == {"a": 0.5, "g": 1.0}
