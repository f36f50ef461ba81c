from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.plans.plan import plan_document
from prefrontal.routing.ranking.coverage import Share
from prefrontal.routing.ranking.decide import decide, shown
from prefrontal.routing.ranking.precedence import micro
from prefrontal.routing.types import Candidate, RouteDecision, SubIntent
from prefrontal.settings.routing import Ranker

from ..decide_cases import TWO, A, B
from ..sample_tools import a_plan, candidate, parsed

SCORES = st.sampled_from([0.0, 0.1, 0.5499, 0.55, 0.5999, 0.6, 0.66, 0.9, 1.0]) | st.floats(0, 1)
PATHS = [f"{place}/x/{name}.py" for place in ("domains/d", "shared_tools") for name in "abc"]


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[Candidate], list[SubIntent]]:
    """Candidates at some of PATHS, and as many clauses as they have scores for."""
    count = draw(st.integers(0, 4))
    scores = st.tuples(*[SCORES] * count)
    paths = draw(st.lists(st.sampled_from(PATHS), unique=True))
    ranked = [
        candidate(path, draw(SCORES), draw(scores), draw(SCORES), runnable=draw(st.booleans()))
        for path in paths
    ]
    return ranked, [SubIntent(f"clause {number}", "") for number in range(count)]


def decided(ranked: list[Candidate], clauses: list[SubIntent]) -> RouteDecision:
    return decide("route-007", parsed(), ranked, clauses, Ranker(), a_plan)


@given(rankings(), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(
    given: tuple[list[Candidate], list[SubIntent]], chance: random.Random
) -> None:
    ranked, clauses = given
    mixed = list(ranked)
    chance.shuffle(mixed)
    assert decided(mixed, clauses) == decided(ranked, clauses)


@given(rankings())
def test_every_decision_keeps_its_promises(
    given: tuple[list[Candidate], list[SubIntent]],
) -> None:
    ranked, clauses = given
    found = decided(ranked, clauses)
    assert found.route_id == "route-007" and found.reason.endswith(".")
    assert (found.policy == "generate") == (found.selected == [])
    assert (found.policy == "compose") == (found.plan is not None)
    least = {"select": 600_000, "compose": 550_000, "generate": 0}[found.policy]
    assert all(micro(spec.score) >= least for spec in found.selected)
    if found.policy == "compose":
        assert len({spec.path for spec in found.selected}) > 1
    if found.policy == "generate":
        good = [one for one in ranked if micro(one.score) >= 600_000]
        names = {one.tool.name for one in ranked if one.tool.runnable and not one.tool.shared}
        assert all(one.tool.shared and one.tool.name in names for one in good)


@given(SCORES, SCORES)
def test_a_higher_score_never_loses_the_selection(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if decided([candidate(A, low)], []).policy == "select":
        assert decided([candidate(A, high)], []).policy == "select"


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_score_outside_0_to_1_is_refused(score: float) -> None:
    with pytest.raises(InputError, match="score must be from 0 to 1"):
        decided([candidate(A, score)], [])


def test_a_candidate_needs_a_score_for_each_of_several_clauses() -> None:
    with pytest.raises(InputError, match=r"a\.py must have 2 clauses.*got \(0\.7,\)"):
        decided([candidate(A, 0.5, (0.7,))], list(TWO))


def test_one_clause_needs_no_score_of_its_own() -> None:
    assert decided([candidate(A, 0.7)], [TWO[0]]).policy == "select"


def test_the_reason_of_a_selection_has_the_figures() -> None:
    found = decided([candidate(A, 0.7425), candidate(B, 0.6)], [])
    assert found.reason == "a.py::run has 0.7425, at least tau 0.60."


def test_the_reason_of_a_composition_names_steps_and_clauses() -> None:
    ranked = [candidate(A, 0.66, (0.7, 0.3)), candidate(B, 0.63, (0.2, 0.69))]
    found = decided(ranked, list(TWO))
    assert found.reason == (
        "2 steps of at least 0.55 cover 2 of 2 clauses: "
        "a.py::run 0.70 for 'do a', b.py::run 0.69 for 'do b'."
    )
    parts = [Share(one, (place,), 0) for place, one in enumerate(ranked)]
    assert found.plan == plan_document(a_plan(parts))


def test_the_reason_for_generating_names_the_three_nearest() -> None:
    ranked = [candidate(f"domains/d/x/{name}.py", 0.5) for name in "dbca"]
    assert decided(ranked, []).reason == (
        "no tool for domain=analysis action=summarise reaches tau 0.60; "
        "nearest: a.py::run 0.50, b.py::run 0.50, c.py::run 0.50."
    )


def test_an_unknown_place_is_shown_as_a_question_mark() -> None:
    nowhere = parsed(domain=None, action=None)
    found = decide("r", nowhere, [], [], Ranker(), a_plan)
    assert found.reason == "there is no tool for domain=? action=?."


@pytest.mark.parametrize(
    ("score", "text"),
    [(0, "0.00"), (600_000, "0.60"), (599_900, "0.5999"), (1, "0.000001"), (1_000_000, "1.00")],
)
def test_figures_are_exact_and_have_two_decimals_at_least(score: int, text: str) -> None:
    assert shown(score) == text
