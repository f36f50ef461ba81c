from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.place_names import place_spans, places_in, with_places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("copy a.csv to b.csv, then read b.csv.", ("a.csv", "b.csv")),
        ("load 'my-data.json' and \"x.csv\"", ("my-data.json", "x.csv")),
        ("fetch https://example.org/a?b=c.", ("https://example.org/a?b=c",)),
        ("list ~/notes, /srv/x, ./here and ../there", ("~/notes", "/srv/x", "./here", "../there")),
        ("read main.py", ("main.py",)),
        ("find todos in src/app.py and docs/", ("src/app.py", "docs/")),
        ("ask mail.example.com", ("mail.example.com",)),
    ],
)
def test_a_text_names_files_paths_and_addresses(text: str, places: tuple[str, ...]) -> None:
    assert places_in(text) == places


@pytest.mark.parametrize(
    "text",
    [
        "3.14 and v1.2",
        "the U.S. at 5 p.m., e.g. now",
        "Mr. Smith vs. nobody",
        "this and/or that",
        "cut 3.5mm of v1.2b for node.js",
        "",
    ],
)
def test_other_words_with_marks_are_no_places(text: str) -> None:
    assert places_in(text) == ()


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("put data.zip beside a.zip", [(4, 12), (20, 25)]),
        ("open 'a.zip', then data.zip and a.zip.", [(6, 11), (19, 27), (32, 37)]),
        ("list docs/ in my/docs/", [(5, 10), (14, 22)]),
    ],
)
def test_a_place_that_ends_another_has_its_own_span(
    text: str, spans: list[tuple[int, int]]
) -> None:
    assert list(place_spans(text)) == spans


def test_each_place_is_replaced_where_it_stands() -> None:
    assert with_places("data.zip, a.zip, data.zip", str.upper) == "DATA.ZIP, A.ZIP, DATA.ZIP"
    assert with_places("put data.zip beside a.zip", lambda _: "x") == "put x beside x"


@given(st.text() | st.text("a./~ :'\"e1"))
def test_any_text_names_places_that_are_in_it(text: str) -> None:
    assert all(place in text for place in places_in(text))
