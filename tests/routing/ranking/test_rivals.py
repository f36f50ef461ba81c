"""Which tools a prompt may mean just as well as the best one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.ranking.rivals import rivals
from prefrontal.routing.types import Candidate
from prefrontal.settings.routing import Ranker

from ..sample_tools import candidate

A, B, C = "domains/d/x/a.py", "domains/d/x/b.py", "domains/d/x/c.py"


def ranked(first: float, second: float, third: float = 0.0) -> list[Candidate]:
    scores = zip((A, B, C), (first, second, third), strict=True)
    return [candidate(path, score) for path, score in scores]


def names(candidates: list[Candidate]) -> list[str]:
    return [one.tool.name for one in rivals(candidates, Ranker())]


@pytest.mark.parametrize(
    ("scores", "rival"),
    [
        ((0.70, 0.65), True),  # the other reaches tau
        ((0.70, 0.30), False),
        ((0.50, 0.45), True),  # 0.04 apart in the weighted sum
        ((0.50, 0.43), False),  # 0.056 apart
        ((0.799999, 0.79), True),
        ((0.80, 0.59), False),  # sure enough
        ((0.90, 0.70), True),  # sure, but the other one is, too
        ((0.90, 0.60), False),  # 0.24 apart: well ahead
        ((0.30, 0.30), True),
        ((0.299999, 0.29), False),  # nothing fits
    ],
)
def test_a_rival_is_near_a_tool_that_is_not_sure(scores: tuple[float, float], rival: bool) -> None:
    assert names(ranked(*scores)) == (["a", "b"] if rival else [])


def test_all_that_are_near_are_rivals_best_first() -> None:
    assert names(ranked(0.5, 0.49, 0.48)) == ["a", "b", "c"]


def test_a_tool_called_by_name_or_accepted_for_such_a_prompt_has_no_rival() -> None:
    best, *others = ranked(0.7, 0.7)
    assert not rivals([replace(best, by_name=True), *others], Ranker())
    assert not rivals([replace(best, familiar=True), *others], Ranker())


def test_a_shared_copy_of_a_tool_is_no_rival() -> None:
    copy = candidate("shared_tools/x/a.py", 0.7)
    assert not rivals([candidate(A, 0.7), copy], Ranker())


def test_no_tools_are_no_rivals() -> None:
    assert rivals([], Ranker()) == ()
