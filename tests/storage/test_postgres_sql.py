"""Our statements and values as PostgreSQL takes them, and back."""

from __future__ import annotations

import math

import pytest

from prefrontal.storage.database import TextBytes
from prefrontal.storage.postgres_sql import as_parameter, from_column, translated


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT ?", "SELECT $1"),
        ("SELECT ? WHERE a = ? AND b = ?", "SELECT $1 WHERE a = $2 AND b = $3"),
        ("SELECT ?2, ?1, ?", "SELECT $2, $1, $2"),
    ],
)
def test_parameters_have_numbers(ours: str, theirs: str) -> None:
    assert translated(ours) == theirs


def test_a_definition_has_the_types_of_the_server() -> None:
    table = translated("CREATE TABLE a (number INTEGER PRIMARY KEY, time REAL, body BLOB) STRICT")
    assert "REAL" not in table and "BLOB" not in table and "STRICT" not in table
    assert "double precision" in table and "bytea" in table


@pytest.mark.parametrize(
    "value",
    [
        None, 0, 2**62, 0.5, -math.inf, "", "plain", "with\x00null", "\x1amark", "in\x1aside",
        "\x1ae\x00\x1a0", "\x1ab00", b"\x00\xff",
    ],
)  # fmt: skip
def test_each_value_comes_back_as_it_was(value: object) -> None:
    stored = as_parameter(value)  # type: ignore[arg-type]
    assert "\x00" not in str(stored)
    assert from_column(stored) == value


def test_text_that_is_no_unicode_comes_back_as_its_bytes() -> None:
    assert from_column(as_parameter(TextBytes(b"\xff\x00"))) == b"\xff\x00"


def test_no_number_is_null_as_in_a_file() -> None:
    assert as_parameter(math.nan) is None
