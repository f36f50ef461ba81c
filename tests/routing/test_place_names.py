from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.place_names import places_in


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


@given(st.text() | st.text("a./~ :'\"e1"))
def test_any_text_names_places_that_are_in_it(text: str) -> None:
    assert all(place in text for place in places_in(text))
