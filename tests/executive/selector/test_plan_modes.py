from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from prefrontal.control.choice.salience_config import MODES, WRITE_WEIGHTS
from prefrontal.executive.selector.features import projected
from prefrontal.executive.selector.selection import PlanSelector

from .plan_cases import (
    ACTING,
    CAREFUL,
    CONTEXT,
    OFFLINE,
    PLANNING,
    PLANS,
    REPLAY,
    RISKY,
    changed,
    expecting_harm,
    frozen,
    taught,
    under,
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_a_choice_moves_the_rule_as_far_as_the_gate_of_the_mode_is_open(mode: str) -> None:
    selector = taught()
    selector.enter(mode)
    network = selector.network
    before = network.lateral_pfc.get_rule_state()
    selector.select(CONTEXT, PLANS)
    z_world = network.contexts(projected("context", [CONTEXT], 64))
    now = torch.cat([z_world, torch.zeros(1, 16)], dim=1)
    source = network.lateral_pfc.source(network.lately, now).detach()
    step = 0.05 * WRITE_WEIGHTS["sd_033a"][mode]
    moved = network.lateral_pfc.get_rule_state() - before
    torch.testing.assert_close(moved, step * (source - before), atol=1e-6, rtol=1e-3)
    assert float(moved.norm()) > 1e-3


@pytest.mark.exhaustive
def test_a_choice_writes_nothing_but_the_rule_and_while_awake_the_scales() -> None:
    for mode in MODES:
        selector = taught()
        selector.enter(mode)
        before = frozen(selector)
        selector.select(CONTEXT, PLANS)
        written = changed(before, frozen(selector))
        allowed = {"network.lateral_pfc.rule_state"}
        if mode in (ACTING, PLANNING):
            awake = under(written, "network.contexts.", "network.plans.", "network.selections")
            assert awake
            allowed |= awake
        assert written == allowed


@pytest.mark.parametrize("mode", [PLANNING, REPLAY])
def test_what_is_imagined_or_replayed_is_no_experience(mode: str) -> None:
    selector = taught()
    selector.enter(mode)
    before = frozen(selector)
    selector.learn(CONTEXT, CAREFUL, harm=0.0, goal=1.0)
    written = changed(before, frozen(selector))
    assert not under(written, "experience.", "network.lately", "network.outcomes")
    assert not under(written, "network.guessing", "network.e3.running_variance", "network.average")
    assert under(written, "network.e3.harm_eval_head", "network.lateral_pfc.rule_bias_head")


@pytest.mark.parametrize(("mode", "step"), [(ACTING, 0.3), (OFFLINE, 0.09)])
def test_what_went_well_lately_moves_toward_the_kind_of_plan_by_its_worth(
    mode: str, step: float
) -> None:
    selector = taught()
    selector.enter(mode)
    network = selector.network
    before = network.lately.clone()
    selector.learn(CONTEXT, CAREFUL, harm=0.25, goal=1.0)
    kind = network.plans(projected("plan", [CAREFUL], 16))
    torch.testing.assert_close(network.lately, before + step * (0.75 * kind - before))


def test_a_slot_of_the_context_memory_is_written_only_while_acting() -> None:
    for mode in MODES:
        selector = taught()
        selector.enter(mode)
        counts: Any = selector.network.cue.context_memory.slot_write_counts
        before = int(counts.sum())
        selector.learn(CONTEXT, CAREFUL, harm=0.0, goal=1.0)
        assert int(counts.sum()) == before + (mode == ACTING)


@pytest.mark.exhaustive
def test_heads_learn_by_the_gate_of_the_mode() -> None:
    moved = {}
    for mode in MODES:
        selector = taught(40)
        selector.enter(mode)
        head: Any = selector.network.e3.harm_eval_head
        weight: torch.Tensor = head[0].weight
        before = weight.detach().clone()
        selector._learn(1)
        moved[mode] = float((weight.detach() - before).norm())
    for mode in MODES:
        expected = WRITE_WEIGHTS["e3_policy"][mode] * moved[ACTING]
        assert moved[mode] == pytest.approx(expected, rel=0.02)


def test_consolidation_comes_only_offline_and_only_after_something_new() -> None:
    selector = taught()
    selector.enter(ACTING)
    selector.learn(CONTEXT, CAREFUL, harm=0.0, goal=1.0)
    for mode, works in ((PLANNING, False), (REPLAY, False), (OFFLINE, True), (OFFLINE, False)):
        before = frozen(selector)
        selector.enter(mode)
        written = changed(before, frozen(selector))
        assert bool(written) == works
        assert not under(written, "experience.", "network.outcomes", "network.lateral_pfc.rule_st")
    selector.enter(ACTING)
    before = frozen(selector)
    selector.enter(OFFLINE)
    assert changed(before, frozen(selector)) == set()


def test_what_is_tried_has_no_more_side_effects_than_the_first_plan() -> None:
    selector = expecting_harm(probing=100.0, temperature=50.0)
    picks = [selector.select(CONTEXT, PLANS) for _ in range(30)]
    assert {it.index for it in picks if it.probing} <= {0, 1}
    assert any(it.probing for it in picks)
    swapped = [selector.select(CONTEXT, (CAREFUL, RISKY)) for _ in range(10)]
    assert not any(it.probing and it.index for it in swapped)


def test_trying_is_rationed() -> None:
    selector = expecting_harm(probing=0.5)
    picks = [selector.select(CONTEXT, PLANS) for _ in range(100)]
    assert 0 < sum(it.probing for it in picks) <= 0.5 * math.sqrt(160) + 1
    selector = expecting_harm(probing=100.0)
    selector.enter(REPLAY)
    assert not any(selector.select(CONTEXT, PLANS).probing for _ in range(20))


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="mode must be one of external_task, .*, got 'asleep'"):
        PlanSelector().enter("asleep")
