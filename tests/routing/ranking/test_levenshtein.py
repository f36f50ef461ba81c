from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal._core.routing import levenshtein

from ..twin_numbers import edits

word = st.text("abcé", max_size=32)


@given(word, word)
def test_it_is_the_distance_of_the_plain_table(first: str, second: str) -> None:
    assert levenshtein(first, second) == edits(first.encode(), second.encode())


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("a" * 64, "b" + "a" * 64, 1)],
)
def test_known_distances(first: str, second: str, distance: int) -> None:
    assert levenshtein(first, second) == distance


def test_a_first_word_of_more_than_64_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="first must be at most 64 bytes long, got 65"):
        levenshtein("a" * 65, "b")
