"""How far questions got with the durable sinks, in words."""

from __future__ import annotations

import pytest

from prefrontal.cli.decisions.deliveries import standing_line
from prefrontal.decisions.deliveries import GIVEN_UP, PENDING, SinkProgress


@pytest.mark.parametrize(
    ("state", "count", "words"),
    [
        (PENDING, 1, "1 question is pending"),
        (PENDING, 1200, "1,200 questions are pending"),
        (GIVEN_UP, 1, "1 question was given up within 7 days"),
        (GIVEN_UP, 2, "2 questions were given up within 7 days"),
    ],
)
def test_so_many_questions_have_their_words(state: str, count: int, words: str) -> None:
    assert standing_line(SinkProgress("post example.org", state, count, "")) == (
        f"post example.org: {words}"
    )
