"""Which clauses the selected tools leave open."""

from __future__ import annotations

import pytest

from prefrontal.routing.ranking.coverage import in_turns, uncovered
from prefrontal.routing.types import Candidate

from ..sample_tools import tool

FIRST = Candidate(tool("domains/d/x/a.py"), 0.9, {}, (), (0.55, 0.1, 0.0))
SECOND = Candidate(tool("domains/d/x/b.py"), 0.9, {}, (), (0.9, 0.549999, 0.9))


@pytest.mark.parametrize(
    ("selected", "left"),
    [([FIRST], (1, 2)), ([SECOND], (1,)), ([FIRST, SECOND], (1,)), ([], (0, 1, 2))],
)
def test_a_clause_is_covered_by_a_selected_tool_that_reaches_the_floor(
    selected: list[Candidate], left: tuple[int, ...]
) -> None:
    specs = [one.tool.spec for one in selected]
    assert uncovered(specs, [FIRST, SECOND], 3, 550_000) == left


def test_one_clause_is_the_prompt_itself() -> None:
    assert uncovered([], [FIRST], 1, 550_000) == ()


def test_the_first_few_in_turns_cover_every_clause() -> None:
    whole = [0.6, 0.5, 0.4, 0.1]
    clauses = [(0.9, 0.0), (0.8, 0.0), (0.7, 0.0), (0.0, 0.9)]
    assert in_turns(whole, clauses) == [0, 1, 3, 2]  # 1.28, then 0.80 before 0.78, then 0.78
    assert in_turns(whole, [(0.9, 0.0), (0.8, 0.0), (0.7, 0.0), (0.0, 1.0)]) == [0, 3, 1, 2]


def test_with_one_clause_tools_stay_as_they_stand() -> None:
    assert in_turns([0.1, 0.9], [(), ()]) == [0, 1]
    assert in_turns([0.1, 0.9], [(0.1,), (0.9,)]) == [0, 1]
    assert in_turns([], []) == []


def test_equal_tools_stay_as_they_stand() -> None:
    assert in_turns([0.5] * 3, [(0.5, 0.5)] * 3) == [0, 1, 2]
