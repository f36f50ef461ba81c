"""How many of a thing, in words."""

from __future__ import annotations

import pytest

from prefrontal.plural import many, noun


@pytest.mark.parametrize(
    ("count", "words", "expected"),
    [
        (0, ("wake",), "0 wakes"),
        (1, ("wake",), "1 wake"),
        (1200, ("held back window",), "1,200 held back windows"),
        (3, ("delivery",), "3 deliveries"),
        (2, ("day",), "2 days"),
        (2, ("line of one", "lines of some"), "2 lines of some"),
        (1, ("line of one", "lines of some"), "1 line of one"),
    ],
)
def test_a_number_has_its_noun(count: int, words: tuple[str, ...], expected: str) -> None:
    assert many(count, *words) == expected


def test_one_less_is_one() -> None:
    assert [noun(count, "wake-up") for count in (-2, -1, 1)] == ["wake-ups", "wake-up", "wake-up"]
