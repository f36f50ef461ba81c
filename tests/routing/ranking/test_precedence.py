from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.ranking.precedence import micro, shadowed, tie_key, tie_rule
from prefrontal.routing.types import Candidate

from ..sample_tools import candidate, harm

A, B = "domains/d/x/a.py", "domains/d/x/b.py"
PAIRS = [
    ("called by name", candidate(A, 0.9), replace(candidate(B, 0.8), by_name=True)),
    ("score", candidate(A, 0.7), candidate(B, 0.8)),
    ("domain over shared", candidate("shared_tools/x/a.py", 0.7), candidate(B, 0.7)),
    ("history", candidate(A, 0.7, history=0.5), candidate(B, 0.7, history=0.6)),
    ("depth", candidate("domains/d/x/y/a.py", 0.7), candidate(B, 0.7)),
    ("harm", candidate(A, 0.7), candidate(B, 0.7, manifest=harm("none"))),
    ("file name", candidate(B, 0.7), candidate("domains/d/y/a.py", 0.7)),
    ("path", candidate("domains/d/y/a.py", 0.7), candidate(A, 0.7)),
]


@pytest.mark.parametrize(("rule", "behind", "first"), PAIRS)
def test_the_rule_that_decides_is_named(rule: str, behind: Candidate, first: Candidate) -> None:
    assert tie_key(first) < tie_key(behind)
    assert tie_rule(first, behind) == tie_rule(behind, first) == rule


def test_earlier_rules_go_before_later_ones() -> None:
    shared = candidate("shared_tools/a.py", 0.7, history=0.9, manifest=harm("none"))
    deep = candidate("domains/d/x/y/z/b.py", 0.7, history=0.1, manifest=harm("delete"))
    assert tie_key(deep) < tie_key(shared)


def test_a_candidate_ties_only_with_itself() -> None:
    assert tie_rule(candidate(A, 0.7), candidate(A, 0.7)) == "none"
    same_file = candidate("mcp/git.json", 0.7)
    names = [candidate("mcp/git.json", 0.7), same_file]
    assert len({tie_key(one) for one in names}) == 1


def test_harm_may_be_left_out_of_the_order() -> None:
    deleting, harmless = candidate(A, 0.7, manifest=harm("delete")), candidate(B, 0.7)
    assert tie_rule(deleting, harmless) == "harm"
    assert tie_rule(deleting, harmless, harmless_first=False) == "file name"
    assert tie_key(deleting, harmless_first=False) < tie_key(harmless, harmless_first=False)


@given(st.lists(st.sampled_from([pair[place] for pair in PAIRS for place in (1, 2)])))
def test_the_order_is_total(many: list[Candidate]) -> None:
    for one, other in itertools.combinations(many, 2):
        same = one.tool.relative == other.tool.relative
        assert (tie_key(one) != tie_key(other)) or same


@given(st.floats(0, 1))
def test_a_score_is_rounded_to_the_nearest_millionth(score: float) -> None:
    assert abs(micro(score) - score * 1e6) <= 0.5
    assert micro(micro(score) / 1e6) == micro(score)


@pytest.mark.parametrize("score", [-1e-9, 1 + 1e-9, float("nan"), float("-inf")])
def test_what_is_no_score_has_no_millionths(score: float) -> None:
    with pytest.raises(InputError, match="score must be from 0 to 1, got"):
        micro(score)


def test_a_shared_tool_with_the_name_of_a_domain_tool_is_left_out_with_a_warning() -> None:
    shared, own = candidate("shared_tools/x/a.py", 0.9), candidate(A, 0.1)
    kept, warnings = shadowed([shared, own])
    assert kept == (own,)
    assert warnings == (f"shared_tools/x/a.py is shadowed by {A}; chosen: {A}",)


def test_nothing_else_is_left_out() -> None:
    many = [
        candidate("shared_tools/x/a.py", 0.9),
        candidate(A, 0.8, runnable=False),
        candidate(B, 0.7),
        candidate("domains/e/x/b.py", 0.6),
    ]
    assert shadowed(many) == (tuple(many), ())


def test_without_candidates_there_is_nothing_to_shadow() -> None:
    assert shadowed([]) == ((), ())
