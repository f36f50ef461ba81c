"""Previews: one line, short, without secrets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.ledger.preview import cleaned, cut, preview_of

SECRET = "sk-" + "a1B2" * 8


def test_a_preview_is_the_beginning_on_one_line() -> None:
    assert preview_of("  Hello\nthere,\tAlice  ") == "Hello there, Alice"
    long = preview_of("word " * 100)
    assert len(long) <= 200
    assert long.startswith("word word")
    assert long.endswith("word…")


@settings(deadline=None)
@given(st.text(max_size=3000))
def test_any_text_becomes_at_most_200_visible_characters(text: str) -> None:
    preview = preview_of(text)
    assert len(preview) <= 200
    assert len(preview.splitlines()) <= 1
    preview.encode()


@pytest.mark.parametrize("filler", [0, 180, 190, 196, 199, 4000, 4050, 4090, 4095])
def test_no_part_of_a_secret_is_left_wherever_the_text_is_cut(filler: int) -> None:
    text = ("x" * filler)[:-1] + " " + SECRET + " and more"
    assert "a1B2" not in preview_of(text)


def test_what_shrinks_does_not_bring_half_a_secret_into_view() -> None:
    many = " ".join(["password: hunter2hunter2"] * 500)
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "QUJD" * 1000 + " sk-ab"
    assert "hunter" not in preview_of(many)
    assert preview_of(key) == "[redacted]"
    shrinking = "-----BEGIN EC PRIVATE KEY-----" + "A" * 4000 + "-----END EC PRIVATE KEY----- "
    for length in range(1, 40):
        text = shrinking + " " * (4096 - len(shrinking) - length) + SECRET + " tail" * 10
        assert "a1B2" not in cleaned(text, 200)


def test_a_long_text_without_blanks_is_kept_all_the_same() -> None:
    assert preview_of("See: " + "b" * 9000).startswith("See: bbb")


def test_a_text_of_many_megabytes_costs_little() -> None:
    assert preview_of("a b " * 5_000_000).startswith("a b a b")


def test_cutting_marks_what_is_missing() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
