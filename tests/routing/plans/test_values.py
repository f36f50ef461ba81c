from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.plans.values import folders_of, values_of

from ..sample_tools import arg

COLUMN = [arg("rows: list[dict[str, str]]"), arg("column: str")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum column price", "price"),
        ("sum the column named 'price'", "price"),
        ("sum the price column", "price"),
        ("sort the rows of a.csv by price", "price"),
        ("a chart of price", "price"),
        ("sort the prices by column price", "price"),
        ("sort by the name column descending", "name"),
        ("sort the rows by column name", "name"),
        ("Sum Column Unit_Price.", "Unit_Price"),
    ],
)
def test_a_word_beside_an_arguments_name_is_its_value(text: str, value: str) -> None:
    assert values_of(COLUMN, text) == {"column": value}
    assert values_of([arg("column_name")], text) == {"column_name": value}


@pytest.mark.parametrize(
    "text", ["sum column", "sum the column", "sort by a column", "sum it", "", "column of it"]
)
def test_where_nothing_stands_beside_it_no_value_is_named(text: str) -> None:
    assert values_of(COLUMN, text) == {}


def test_the_only_number_is_for_the_only_amount() -> None:
    assert values_of([arg("text: str"), arg("count: int")], "take the first 5") == {"count": "5"}
    assert values_of([arg("low: int"), arg("high: int")], "between 5") == {}
    assert values_of([arg("count: int")], "from 2 to 5") == {}
    assert values_of([arg("name: str")], "the first 5") == {}


def test_what_is_handed_over_or_is_a_place_or_may_be_left_out_has_no_value() -> None:
    args = [arg("text: str"), arg("path: str"), arg("rows"), arg("day: list[str]"), arg("day = ''")]
    assert values_of(args, "count the text words, path a.csv, rows b, day monday") == {}


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("zip the folder src", "src"),
        ("list the docs directory", "docs"),
        ("zip the folder src recursively", "src"),
        ("zip the whole folder src", "src"),
        ("list the src folder recursively", "src"),
        ("list the files in the folder recursively", ""),
        ("list the folder sorted", ""),
        ("zip the folder then mail it", ""),
        ("zip the larger folder", ""),
        ("zip the whole folder", ""),
        ("list the extracted folder", ""),
        ("zip the same folder", ""),
        ("zip the old folder again", ""),
        ("print the directory tree", ""),
        ("show the folder size", ""),
        ("list the folder contents", ""),
        ("make a directory listing", ""),
    ],
)
def test_a_folder_is_named_by_no_word_that_says_how_or_which(text: str, folder: str) -> None:
    assert folders_of([arg("folder: str")], text) == ({"folder": folder} if folder else {})


def test_two_arguments_of_one_thing_have_no_value_told_apart() -> None:
    args = [arg("from_currency: str"), arg("to_currency: str")]
    assert values_of(args, "convert currency eur") == {}


@given(st.text() | st.text("a column.'"))
def test_any_text_names_values_that_are_in_it(text: str) -> None:
    assert all(value in text for value in values_of(COLUMN, text).values())
