"""Stored values are checked by the types of their fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from prefrontal.cortex.field_checks import checked, checks_of, complete_rows


@dataclass
class Row:
    name: str
    count: int = 0
    at: float | None = None
    notes: tuple[str, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)


@dataclass
class Bill:
    price: Decimal


def test_each_field_is_checked_by_its_type_and_a_wrong_one_is_ignored() -> None:
    raw: dict[str, Any] = {"name": 5, "count": 3.0, "at": None, "notes": ["a"], "more": 1}
    assert checked(raw, checks_of(Row)) == {"count": 3, "at": None, "notes": ("a",)}
    assert checked({"at": float("inf"), "count": True}, checks_of(Row)) == {}


def test_entries_of_a_mapping_are_checked_one_by_one() -> None:
    shares = {"shares": {"a": 1, "b": "x", "c": None}}
    assert checked(shares, checks_of(Row)) == {"shares": {"a": 1.0}}
    assert checked({"shares": [1]}, checks_of(Row)) == {}


def test_a_special_check_takes_the_place_of_the_type() -> None:
    assert checked({"name": 5}, checks_of(Row, name=str)) == {"name": "5"}


def test_a_row_that_lacks_a_field_is_no_row() -> None:
    rows = [{"price": "1"}, {}, 3, {"price": 2}]
    assert complete_rows(rows, checks_of(Bill, price=str)) == [{"price": "1"}, {"price": "2"}]


def test_a_type_without_a_check_is_refused_when_the_module_is_loaded() -> None:
    with pytest.raises(KeyError, match="Decimal"):
        checks_of(Bill)
