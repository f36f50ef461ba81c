"""Average, recurrent cell and synaptic hold keep a rule as their formulas say."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from prefrontal.control import LateralPFCAnalog, LateralPFCConfig
from prefrontal.control.layers import layer_tensors
from prefrontal.control.rule.rule_persistence import RulePersistence, averaged, held_in_synapses

KINDS = ("ema", "gru", "gru_gate_input", "synaptic_hold")


def drawn(*shape: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def way(kind: Any, **options: Any) -> RulePersistence:
    config = LateralPFCConfig(persistence=kind, **options)
    return RulePersistence(config, generator=torch.Generator().manual_seed(0)).double()


def opposed() -> tuple[Tensor, Tensor]:
    """A held rule and the source of a distractor: 1.053 as long, at a cosine of -0.80 to it."""
    held, across = torch.zeros(2, 1, 16, dtype=torch.float64).unbind()
    held[0, 0] = across[0, 1] = 1.0
    return held, 1.053 * (-0.7996 * held + math.sqrt(1 - 0.7996**2) * across)


@pytest.mark.parametrize(("gate", "cosine"), [(0.05, 0.9994), (0.3, 0.953), (1.0, -0.41)])
def test_twenty_distractors_turn_an_average_by_as_much_as_its_gate_lets_in(
    gate: float, cosine: float
) -> None:
    held, source = opposed()
    rule: Tensor = held
    for _ in range(20):
        rule, _ = way("ema")(rule, source, gate, 0.05 * gate)
    found = cosine_similarity(held, rule).item()
    assert found == pytest.approx(cosine, abs={0.05: 1e-4, 0.3: 1e-3, 1.0: 1e-2}[gate])


@pytest.mark.parametrize(("pulses", "ratio"), [(1, 0.050), (20, 0.076)])
def test_pulses_at_a_gate_of_a_twentieth_move_the_rule_as_much_less_as_theory_says(
    pulses: int, ratio: float
) -> None:
    config = LateralPFCConfig(use_lateral_pfc_analog=True)
    moved = {}
    for gate in (1.0, 0.05):
        module = LateralPFCAnalog(config, generator=torch.Generator().manual_seed(0)).double()
        for _ in range(pulses):
            module.update(drawn(32), drawn(32, seed=2), gate)
        moved[gate] = module.rule_state.norm().item()
    theory = (1 - 0.9975**pulses) / (1 - 0.95**pulses)
    assert moved[0.05] / moved[1.0] == pytest.approx(theory, rel=1e-9)
    assert theory == pytest.approx(ratio, abs=5e-4)


def test_a_gated_recurrent_cell_is_frozen_to_the_bit_by_a_shut_gate_and_open_at_one() -> None:
    rule, source = drawn(1, 16), drawn(1, 16, seed=2)
    gru = way("gru")
    assert gru.cell is not None
    assert torch.equal(gru(rule, source, 0.0, 0.0)[0], rule)
    ones = torch.ones(1, 1, dtype=torch.float64)
    proposed = gru.cell(torch.cat([source, ones], 1), rule)
    torch.testing.assert_close(gru(rule, source, 1.0, 0.05)[0], proposed)
    half = gru.cell(torch.cat([source, ones / 2], 1), rule)
    torch.testing.assert_close(gru(rule, source, 0.5, 0.025)[0], (rule + half) / 2)


def test_a_gate_that_is_only_an_input_does_not_freeze() -> None:
    rule, source = drawn(1, 16), drawn(1, 16, seed=2)
    cell = way("gru_gate_input")
    shut, opened = (cell(rule, source, gate, 0.0)[0] for gate in (0.0, 1.0))
    assert not torch.equal(shut, rule) and not torch.equal(shut, opened)


def test_only_recurrent_ways_have_parameters_and_they_are_drawn_after_the_others() -> None:
    counts = {kind: sum(it.numel() for it in way(kind).parameters()) for kind in KINDS}
    gru = 3 * 16 * (17 + 16 + 2)
    assert counts == {"ema": 0, "gru": gru, "gru_gate_input": gru, "synaptic_hold": 0}
    made = [
        LateralPFCAnalog(
            LateralPFCConfig(use_lateral_pfc_analog=True, persistence=kind),
            generator=torch.Generator().manual_seed(1),
        )
        for kind in ("ema", "gru")
    ]
    first, second = (layer_tensors(it.rule_bias_head)[0] for it in made)
    assert torch.equal(first, second)


def test_a_synaptic_hold_follows_its_two_equations() -> None:
    rule, active, source = drawn(1, 16), drawn(1, 16, seed=2), drawn(1, 16, seed=3)
    trace, activity = held_in_synapses(rule, active, source, 0.4, 0.02, 3.0, 500.0)
    wanted = (1 - 1 / 3) * active + 0.4 * source
    torch.testing.assert_close(activity, wanted)
    torch.testing.assert_close(trace, rule + 0.02 * (wanted - rule) - rule / 500)


def test_a_held_trace_outlives_its_activity_and_fades_with_its_time_constant() -> None:
    hold, source = way("synaptic_hold"), drawn(1, 16)
    rule, activity = torch.zeros_like(source), torch.zeros_like(source)
    for _ in range(10):
        rule, activity = hold(rule, source, 1.0, 0.05, activity)
    written = rule
    for _ in range(346):
        rule, activity = hold(rule, drawn(1, 16, seed=5), 0.0, 0.0, activity)
    assert activity.abs().max() < 1e-12 and rule.abs().max() > 0.05
    torch.testing.assert_close(rule, written * (1 - 1 / 500) ** 346)
    assert (rule.norm() / written.norm()).item() == pytest.approx(0.5, abs=1e-3)
    assert cosine_similarity(rule, source).item() > 0.999


def test_a_ping_wakes_the_activity_with_what_the_trace_holds_and_refreshes_it() -> None:
    config = LateralPFCConfig(use_lateral_pfc_analog=True, persistence="synaptic_hold")
    module = LateralPFCAnalog(config, generator=torch.Generator().manual_seed(0))
    rule = drawn(1, 16).float()
    module.set_rule_state(rule)
    module.ping(2.0)
    assert module.rule_activity is not None
    torch.testing.assert_close(module.rule_activity, 2 * rule)
    module.ping(-1.0)
    torch.testing.assert_close(module.rule_activity, rule)
    module.ping()
    with torch.no_grad():  # a source of nothing, so that only the ping is written
        for parameter in (*module.delta_proj.parameters(), *module.world_proj.parameters()):
            parameter.zero_()
    module.update(torch.zeros(32), torch.zeros(32))
    torch.testing.assert_close(module.rule_state, rule * (1 + 0.05 * (4 / 3 - 1) - 1 / 500))
    module.reset()
    assert module.rule_activity is not None and module.rule_activity.abs().sum() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_gates_differ_by_row_and_a_shut_one_lets_nothing_in(kind: Any) -> None:
    rules, sources = drawn(3, 16), drawn(3, 16, seed=2)
    gates = torch.tensor([[1.0], [0.3], [0.0]], dtype=torch.float64)
    found, _ = way(kind)(rules, sources, gates, 0.05 * gates)
    for i, gate in enumerate((1.0, 0.3, 0.0)):
        row, _ = way(kind)(rules[i : i + 1], sources[i : i + 1], gate, 0.05 * gate)
        torch.testing.assert_close(found[i : i + 1], row)
    nowhere = torch.full_like(sources, math.inf)
    if kind in ("ema", "synaptic_hold"):
        assert way(kind)(rules, nowhere, gates, 0.05 * gates)[0][2].isfinite().all()


@pytest.mark.parametrize("kind", KINDS)
def test_one_rule_follows_the_mean_of_its_rows(kind: Any) -> None:
    config = LateralPFCConfig(use_lateral_pfc_analog=True, persistence=kind)
    rows, mean = (
        LateralPFCAnalog(config, generator=torch.Generator().manual_seed(0)).double()
        for _ in range(2)
    )
    z_delta, z_world = drawn(5, 32), drawn(5, 32, seed=2)
    rows.update(z_delta, z_world, 0.5)
    mean.update(z_delta.mean(dim=0), z_world.mean(dim=0), 0.5)
    assert rows.rule_state.shape == (1, 16)
    torch.testing.assert_close(rows.rule_state, mean.rule_state)


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_can_be_trained_through_time_though_the_module_never_does(kind: Any) -> None:
    hold, source = way(kind), drawn(1, 16).requires_grad_()
    rule, activity = drawn(1, 16, seed=2), None
    for _ in range(4):
        rule, activity = hold(rule, source, 0.7, 0.035, activity)
    rule.square().sum().backward()
    assert source.grad is not None and source.grad.abs().sum() > 0
    assert all(it.grad is not None for it in hold.parameters())
    config = LateralPFCConfig(use_lateral_pfc_analog=True, persistence=kind)
    module = LateralPFCAnalog(config, generator=torch.Generator().manual_seed(0))
    module.update(torch.ones(32), torch.ones(32), 0.5)
    assert not module.rule_state.requires_grad and module.rule_state.abs().sum() > 0


def test_an_average_with_no_step_ignores_even_what_is_not_finite() -> None:
    rule, nowhere = drawn(2, 16), torch.full((2, 16), math.nan, dtype=torch.float64)
    assert torch.equal(averaged(rule, nowhere, 0.0), rule)
    assert torch.equal(averaged(rule, nowhere, torch.zeros(2, 1)), rule)
