"""Which start of a work is killed."""

from __future__ import annotations

import pytest

from kills import Span


@pytest.mark.parametrize(("act", "number"), [(1, 0), (4, 0), (5, 1), (9, 1), (10, 2), (99, 2)])
def test_an_act_belongs_to_the_start_that_began_before_it(act: int, number: int) -> None:
    assert Span((0.0, 4.0, 9.0), 12.0).start_of(act) == number


def test_a_start_lasts_until_the_next_begins() -> None:
    span = Span((0.5, 4.0), 12.0)
    assert [span.of(0), span.of(1)] == [(0.5, 4.0), (4.0, 12.0)]
