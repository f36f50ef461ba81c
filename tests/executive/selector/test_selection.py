from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from typing import Any

import pytest
import torch

from plan_stream import played, stream
from prefrontal.control.choice.salience_config import MODES
from prefrontal.executive.selector.features import projected
from prefrontal.executive.selector.selection import PlanPick, PlanSelector

from .plan_cases import CONTEXT, PLANNING, PLANS, RISKY, changed, frozen, taught


def test_before_it_learned_anything_the_routers_order_stands() -> None:
    for plans in itertools.permutations(PLANS):
        pick = PlanSelector(seed=1).select(CONTEXT, plans)
        assert (pick.index, pick.committed) == (0, False)
        assert pick.scores[0] == min(pick.scores)
        assert (pick.harm_precision, pick.goal_precision) == (0.5, 0.5)


@pytest.mark.exhaustive
def test_outcomes_without_a_pattern_never_change_the_order() -> None:
    runs = [played(stream("ordered", 0, 150), it) for it in (None, PlanSelector(seed=0))]
    assert runs[0] == runs[1]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("length", "spared"), [(150, 0.05), (240, 0.1)])
def test_it_finds_the_situations_in_which_the_first_plan_does_harm(
    length: int, spared: float
) -> None:
    selectors = (None, PlanSelector(seed=0))
    router, selected = (played(stream("hidden", 0, length), it) for it in selectors)
    assert selected.late > router.late + 0.15
    assert selected.harmed < router.harmed - spared


@pytest.mark.exhaustive
def test_without_commitment_the_first_plan_is_picked_whatever_it_costs() -> None:
    selector = taught(200, probing=100.0)
    selector.enter(PLANNING)
    selector.network.trusted.fill_(False)
    picks = [selector.select(it.context, it.plans) for it in stream("hidden", 5, 30)]
    assert {(it.index, it.committed) for it in picks} == {(0, False)}
    assert any(min(it.scores) < it.scores[0] for it in picks)


@pytest.mark.exhaustive
def test_with_the_contexts_of_other_requests_the_gain_is_gone() -> None:
    runs = [played(stream("shuffled", 0, 200), it) for it in (None, PlanSelector(seed=0))]
    assert abs(runs[1].good - runs[0].good) < 0.02


@pytest.mark.exhaustive
def test_the_same_seed_and_the_same_calls_give_the_same_bits() -> None:
    picks: list[list[PlanPick]] = []
    for _ in range(2):
        selector = taught()
        picks.append([selector.select(it.context, it.plans) for it in stream("hidden", 4, 10)])
    assert picks[0] == picks[1]
    assert picks[0] != [PlanSelector(seed=4).select(CONTEXT, PLANS)] * 10


@pytest.mark.exhaustive
def test_the_number_of_torchs_threads_changes_no_bit_and_is_left_alone() -> None:
    picks, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            selector = taught(20)
            played(stream("hidden", 3, 30), selector)
            picks.append([selector.select(it.context, it.plans) for it in stream("hidden", 4, 5)])
            assert torch.get_num_threads() == threads
            with pytest.raises(ValueError, match="plans"):
                selector.select(CONTEXT, [])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert picks[0] == picks[1]


@pytest.mark.exhaustive
def test_torchs_own_random_numbers_are_left_alone() -> None:
    before = torch.get_rng_state()
    taught(30)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.exhaustive
def test_a_cost_is_the_score_that_e3_gives_the_plan_with_the_biases() -> None:
    selector = taught()
    network = selector.network
    pick = selector.select(CONTEXT, PLANS)
    z_world = network.contexts(projected("context", [CONTEXT], 64))
    z_plan = network.plans(projected("plan", PLANS, 16))
    candidates = network.candidates(z_world, z_plan)
    action_bias, precision = network.cue.extract_cue_context(z_world)
    bias = network.lateral_pfc.compute_bias(candidates.summaries("t1"))
    order = torch.tensor([0.0, 0.35 + 0.05 + 0.02, 0.35 + 0.1 + 0.04])
    network.e3.running_variance.zero_()  # e3 itself commits
    chosen = network.e3.select(
        candidates, terrain_weight=precision, score_bias=bias + order, action_bias=action_bias
    )
    torch.testing.assert_close(torch.tensor(pick.scores), chosen.scores.detach())
    assert precision[0].tolist() == [pick.harm_precision, pick.goal_precision]


@pytest.mark.exhaustive
def test_the_reasons_add_up_to_the_difference_in_cost() -> None:
    selector = taught()
    for it in stream("hidden", 5, 20):
        pick = selector.select(it.context, it.plans)
        other = 0 if pick.index else min((1, 2), key=pick.scores.__getitem__)
        difference = pick.scores[other] - pick.scores[pick.index]
        assert math.isclose(sum(amount for _, amount in pick.why), difference, abs_tol=1e-5)
        assert {name for name, _ in pick.why} == {
            *("foreseen harm", "foreseen use", "action bias", "rule", "order")
        }
    assert selector.select(CONTEXT, [RISKY]).why == ()


@pytest.mark.exhaustive
@pytest.mark.parametrize("length", [80, 200])
def test_where_harm_was_done_harm_counts_more_than_where_it_was_not(length: int) -> None:
    selector = taught(length)
    danger = [it for it in stream("hidden", 6, 80) if it.good == 1]
    safety = [it for it in stream("hidden", 6, 80) if it.good == 0]
    weights = [
        [selector.select(it.context, it.plans).harm_precision for it in found]
        for found in (danger, safety)
    ]
    assert sum(weights[0]) / len(danger) > sum(weights[1]) / len(safety) + 0.1


@pytest.mark.exhaustive
def test_the_cue_leans_between_plans_by_what_sets_them_apart() -> None:
    network = taught().network
    kinds = network.plans(projected("plan", PLANS, 16))
    candidates = network.candidates(torch.zeros(1, 64), kinds)
    objects = candidates.action_objects[:, 0, 0]
    torch.testing.assert_close(objects.sum(dim=0), torch.zeros(16), atol=1e-5, rtol=0)
    torch.testing.assert_close(objects[0] - objects[1], kinds[0] - kinds[1])
    assert candidates.world_states.shape == (3, 1, 2, 80)
    assert torch.equal(candidates.world_states[:, 0, 1, 64:], kinds)
    assert not candidates.world_states[:, 0, 0].any()


def test_the_rules_bias_in_learning_is_the_one_in_choosing() -> None:
    network = taught().network
    summaries = torch.randn(4, 80, generator=torch.Generator().manual_seed(0))
    rules = network.lateral_pfc.get_rule_state().expand(4, -1)
    torch.testing.assert_close(
        network.rule_biases(rules, summaries), network.lateral_pfc.compute_bias(summaries)
    )


@pytest.mark.exhaustive
def test_it_commits_below_the_guessing_error_and_lets_go_above_it() -> None:
    selector = taught(30)
    network = selector.network
    cases = ((False, 0.50, False), (False, 0.40, True), (True, 0.51, True), (True, 0.60, False))
    for trusted, variance, expected in cases:
        network.trusted.fill_(trusted)
        network.e3.running_variance.fill_(variance)
        network.guessing.fill_(0.5)
        network.average.fill_(-1.0)
        selector.learn(CONTEXT, RISKY, harm=1.0, goal=0.0)
        network_says = bool(network.trusted)
        assert network_says is expected, (trusted, variance)


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"plans": []}, ValueError, "plans must hold at least one plan, got none"),
    ({"context": {"trust": math.nan}}, ValueError, r"context\['trust'\] must be finite, got nan"),
    ({"plans": [{"score": math.inf}]}, ValueError, r"plan\['score'\] must be finite, got inf"),
    ({"context": {"trust": 10**400}}, ValueError, r"context\['trust'\] must be finite"),
    ({"context": {"trust": "high"}}, TypeError, r"context\['trust'\] must be a number, got 'high'"),
    ({"context": {3: 1.0}}, TypeError, "context must be named by text, got 3"),
]


@pytest.mark.parametrize(("told", "kind", "sentence"), BAD)
def test_what_is_no_number_is_refused_and_changes_nothing(
    told: dict[str, Any], kind: type[Exception], sentence: str
) -> None:
    selector = taught(20)
    before = frozen(selector)
    with pytest.raises(kind, match=sentence):
        selector.select(told.get("context", CONTEXT), told.get("plans", PLANS))
    assert changed(before, frozen(selector)) == set()


@pytest.mark.parametrize(
    ("harm", "kind"), [(1.5, ValueError), (math.nan, ValueError), ("1", TypeError)]
)
def test_an_outcome_outside_of_0_to_1_is_refused_and_changes_nothing(harm: Any, kind: Any) -> None:
    selector = taught(20)
    before = frozen(selector)
    with pytest.raises(kind, match="harm must be"):
        selector.learn(CONTEXT, RISKY, harm=harm, goal=0.0)
    assert changed(before, frozen(selector)) == set()


def test_the_largest_numbers_do_not_break_it() -> None:
    selector = PlanSelector()
    plans = [{"score": 1e308, "steps": -1e308}, {"score": -1e308}, {}]
    for mode in MODES:
        selector.enter(mode)
        pick = selector.select({"trust": 1e308}, plans)
        selector.learn({"trust": -1e308}, plans[0], harm=1.0, goal=0.0)
        assert all(map(math.isfinite, [*pick.scores, *pick.rule, *(it for _, it in pick.why)]))


def test_nothing_of_it_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, prefrontal.control, prefrontal.assembly\n"
        "print([it for it in sys.modules if it == 'torch' or 'executive.selector' in it])\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]\n"
