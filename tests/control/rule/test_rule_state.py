"""RuleState moves its rule and biases candidates as the formulas say, in every form and bound."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.control import RuleState

from .. import state_twins as twins

PARAMETERS = twins.rule_parameters()


def rows(n: int, seed: int = 1, width: int = 32) -> twins.Floats:
    return np.random.default_rng(seed).standard_normal((n, width)).astype(np.float32)


def off(found: np.ndarray[Any, Any], wanted: twins.Doubles) -> float:
    """The largest difference, relative to the largest value."""
    return float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted)))


def held(seed: int = 2, **options: Any) -> RuleState:
    state = RuleState(PARAMETERS, **options)
    state.set_rule_state(rows(1, seed, 16)[0])
    return state


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    gate=st.floats(-1, 2),
    override=st.floats(-1, 2),
    eta=st.sampled_from([0.0, 0.05, 0.3]),
    pool=st.sampled_from([0.0, 0.5, -2.0]),
    batch=st.sampled_from([0, 1, 5]),
)
def test_an_update_is_within_1e_6_of_the_formula_in_double(
    seed: int, gate: float, override: float, eta: float, pool: float, batch: int
) -> None:
    options = {"update_eta": eta, "world_pool_weight": pool, "override_gain": 2.0}
    state = held(seed, **options)
    z_delta, z_world = rows(batch or 1, seed), rows(batch or 1, seed + 1)
    if not batch:
        z_delta, z_world = z_delta[0], z_world[0]
    rule = state.get_rule_state().astype(float)
    forced = 2.0 * min(max(override, 0.0), 1.0)
    wanted = twins.updated(
        PARAMETERS, rule, z_delta, z_world, gate, eta=eta, pool=pool, forced=forced
    )
    state.update(z_delta, z_world, gate, override)
    assert off(state.get_rule_state(), wanted) <= 1e-6


@pytest.mark.parametrize(("gate", "half_life"), [(1.0, 13.51), (0.3, 45.9), (0.05, 276.9)])
def test_the_rule_is_half_way_after_its_half_life(gate: float, half_life: float) -> None:
    assert abs(math.log(0.5) / math.log(1 - 0.05 * gate) - half_life) < 0.05
    state, z = held(), rows(1)[0]
    start = state.get_rule_state().astype(float)
    source = twins.updated(PARAMETERS, start, z, z, 1.0, eta=1.0)
    left = []
    for n in range(1, 301):
        state.update(z, z, gate)
        rule = state.get_rule_state()
        left.append(np.linalg.norm(rule - source) / np.linalg.norm(start - source))
        closed = source + (1 - 0.05 * gate) ** n * (start - source)
        assert off(rule, closed) <= 3e-5  # 300 roundings of the factor 1 - e in float32
    assert sum(each > 0.5 for each in left) == math.floor(half_life)


def test_a_shut_gate_holds_the_rule_to_the_bit_whatever_comes() -> None:
    state = held()
    before = state.get_rule_state()
    for gate in (0.0, -3.0):
        state.update(rows(1)[0], np.full(32, np.inf, np.float32), gate)
        assert np.array_equal(state.get_rule_state(), before)


def test_an_untold_gate_is_open() -> None:
    told, untold = held(), held()
    told.update(rows(1)[0], rows(1, 4)[0], 1.0)
    untold.update(rows(1)[0], rows(1, 4)[0])
    assert np.array_equal(told.get_rule_state(), untold.get_rule_state())


@pytest.mark.parametrize("k", [1, 7, 8, 32, 300])
@pytest.mark.parametrize("bound", ["clamp", "tanh"])
@pytest.mark.parametrize("form", ["per_candidate", "uniform", "gain"])
@pytest.mark.parametrize("centred", [False, True])
def test_a_bias_is_within_1e_6_of_the_formula_in_double(
    k: int, bound: Any, form: Any, centred: bool
) -> None:
    parameters = twins.rule_parameters(k, uniform=form == "uniform")
    scale = 0.25
    state = RuleState(
        parameters, bias_scale=scale, bias_bound=bound, form=form, centre_summaries=centred
    )
    state.set_rule_state(rows(1, 2, 16)[0])
    summaries = rows(k) * 2
    read = summaries - summaries.mean(axis=0, dtype=float) if centred and k > 1 else summaries
    rule = state.get_rule_state().astype(float)
    raw = twins.raw_bias(parameters, rule, read[:, :0] if form == "uniform" else read)
    wanted = np.clip(raw, -scale, scale) if bound == "clamp" else scale * np.tanh(raw / scale)
    biases = state.bias(summaries)
    assert biases.shape == (k,)
    if form == "gain":
        wanted += 1
    assert np.max(np.abs(biases - wanted)) <= 1e-6 * max(scale, np.max(np.abs(wanted)))
    out = np.full(k, np.nan, np.float32)
    state.bias_into(summaries, out)
    assert np.array_equal(out, biases)
    assert np.array_equal(state.bias(summaries[:1])[0], biases[0]) or (centred and k > 1)
    if k == 300:  # some are at the bound and some within it
        assert form == "uniform" or 0 < np.mean(np.abs(raw) > scale) < 1


def test_a_head_of_zeros_gives_exactly_nothing_and_a_uniform_bias_never_moves_the_argmin() -> None:
    frozen = PARAMETERS | {
        "rule_bias_head.2.weight": np.zeros((1, 32), np.float32),
        "rule_bias_head.2.bias": np.zeros(1, np.float32),
    }
    state = RuleState(frozen)
    state.set_rule_state(rows(1, 2, 16)[0])
    assert np.array_equal(state.bias(rows(8)), np.zeros(8))
    uniform = RuleState(twins.rule_parameters(uniform=True), form="uniform")
    scores = rows(1, 6, 32)[0]
    biases = uniform.bias(np.full((32, 32), np.nan, np.float32))  # which it does not read
    assert np.ptp(biases) == 0 and np.argmin(scores + biases) == np.argmin(scores)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1.0, 1e3, 1e30]))
def test_a_bias_stays_within_its_scale_and_keeps_to_its_candidate(seed: int, size: float) -> None:
    state, summaries = held(seed), rows(40, seed) * np.float32(size)
    biases = state.bias(summaries)
    assert np.all(np.abs(biases) <= np.float32(0.1))
    order = np.random.default_rng(seed).permutation(40)
    assert np.array_equal(state.bias(summaries[order]), biases[order])
    smooth = held(seed, bias_bound="tanh").bias(summaries)
    assert np.all(np.abs(smooth) <= np.float32(0.1))


def test_a_tick_is_an_update_and_a_bias_between_its_views() -> None:
    options: dict[str, Any] = {"override_gain": 1.0, "bias_scale": 10.0}
    told, ticked = held(**options), held(candidates=9, **options)
    z_delta, z_world, summaries = rows(1)[0], rows(1, 5)[0], rows(9, 6)
    ticked.z_delta[:], ticked.z_world[:], ticked.summaries[:] = z_delta, z_world, summaries
    for gate, override in ((1.0, 0.0), (0.3, 0.5), (0.0, 1.0)):
        told.update(z_delta, z_world, gate, override)
        ticked.tick(gate, override)
        assert np.array_equal(ticked.get_rule_state(), told.get_rule_state())
        assert np.array_equal(ticked.biases, told.bias(summaries))
        wanted = twins.raw_bias(PARAMETERS, told.get_rule_state().astype(float), summaries)
        assert off(ticked.biases, wanted) <= 1e-6
    assert not ticked.biases.flags.writeable
    views = (ticked.z_delta, ticked.summaries, ticked.biases)
    del ticked
    assert np.array_equal(views[1], summaries) and views[2].shape == (9,)


def test_reset_zeroes_the_rule_and_a_set_rule_continues_to_the_bit() -> None:
    state = held(bias_scale=10.0)
    state.reset()
    assert np.array_equal(state.get_rule_state(), np.zeros(16))
    assert np.array_equal(state.bias(rows(4)), RuleState(PARAMETERS, bias_scale=10.0).bias(rows(4)))
    state.update(rows(1)[0], rows(1, 3)[0], 0.7)
    other = RuleState(PARAMETERS, bias_scale=10.0)
    other.set_rule_state(state.get_rule_state())
    for each in (state, other):
        each.update(rows(1, 7)[0], rows(1, 8)[0], 0.2)
    assert np.array_equal(state.get_rule_state(), other.get_rule_state())
    assert np.array_equal(state.bias(rows(4)), other.bias(rows(4)))


def test_parameters_are_a_snapshot_until_a_refresh_which_keeps_the_rule() -> None:
    parameters = twins.rule_parameters()
    state = RuleState(parameters, bias_scale=10.0)
    state.set_rule_state(rows(1, 2, 16)[0])
    before = state.bias(rows(8))
    for value in parameters.values():
        value[...] *= 0.5
    assert np.array_equal(state.bias(rows(8)), before)
    assert state.changed(parameters) == tuple(parameters)
    rule = state.get_rule_state()
    state.refresh(parameters)
    assert state.changed(parameters) == ()
    assert np.array_equal(state.get_rule_state(), rule)
    fresh = RuleState(parameters, bias_scale=10.0)
    fresh.set_rule_state(rule)
    assert np.array_equal(state.bias(rows(8)), fresh.bias(rows(8)))
    assert not np.array_equal(state.bias(rows(8)), before)
