"""CueReader gives what the plain formula gives, for each of its options and call forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.control import CueReader

from .. import state_twins as twins

INPUTS: dict[bool, Any] = {False: "context", True: "context+world"}


def made(parameters: twins.Parameters, *, world: bool = False, **options: Any) -> CueReader:
    return CueReader(parameters, cue_action_input=INPUTS[world], **options)


def rows(n: int, seed: int = 1, width: int = twins.WORLD) -> twins.Floats:
    return np.random.default_rng(seed).standard_normal((n, width)).astype(np.float32)


def off(found: np.ndarray[Any, Any], wanted: twins.Doubles) -> float:
    """The largest difference, relative to the largest value."""
    return float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted)))


@pytest.mark.parametrize("n", [1, 7, 8, 130])
@pytest.mark.parametrize("log_tau", [None, 0.7, 3.0])
@pytest.mark.parametrize("attention", ["dot", "cosine"])
@pytest.mark.parametrize("world", [False, True])
def test_a_read_is_within_1e_6_of_the_formula_in_double(
    world: bool, attention: Any, log_tau: float | None, n: int
) -> None:
    parameters = twins.cue_parameters(n, world=world)
    if log_tau is not None:
        parameters["log_tau"] = np.array([log_tau], np.float32)
    reader, z = made(parameters, world=world, attention=attention), rows(n)
    wanted = twins.cue(parameters, z, cosine=attention == "cosine", world=world)
    action, terrain, context = reader.read_context(z)
    assert off(action, wanted.action_bias) <= 1e-6
    assert off(terrain, wanted.terrain_weight) <= 1e-6
    assert off(context, wanted.context) <= 1e-6
    assert off(reader.weights(z), wanted.weights) <= 1e-6


def test_all_call_forms_give_the_same_bits() -> None:
    reader, z = made(twins.cue_parameters()), rows(300)
    action, terrain, context = reader.read_context(z)
    given_outputs = [np.full_like(each, np.nan) for each in (action, terrain, context)]
    reader.read_into(z, *given_outputs)
    assert all(map(np.array_equal, given_outputs, (action, terrain, context)))
    assert all(map(np.array_equal, reader.read(z), (action, terrain)))
    for i in (0, 1, 127, 299):  # a row does not depend on the rows around it
        assert all(map(np.array_equal, reader.read(z[i]), (action[i], terrain[i])))
        reader.z[:] = z[i]
        reader.tick()
        assert np.array_equal(reader.action_bias, action[i])
        assert np.array_equal(reader.terrain_weight, terrain[i])


def test_shapes_follow_the_input_and_no_rows_give_no_rows() -> None:
    reader = made(twins.cue_parameters())
    one, two, none = (reader.read_context(z) for z in (rows(1)[0], rows(2), rows(0)))
    assert [each.shape for each in one] == [(16,), (2,), (64,)]
    assert [each.shape for each in two] == [(2, 16), (2, 2), (2, 64)]
    assert [each.shape for each in none] == [(0, 16), (0, 2), (0, 64)]
    assert reader.weights(rows(0)).shape == (0, 16)


def test_the_views_of_a_tick_outlive_the_reader_and_its_outputs_are_read_only() -> None:
    reader = made(twins.cue_parameters())
    z, action = reader.z, reader.action_bias
    assert not reader.action_bias.flags.writeable and not reader.terrain_weight.flags.writeable
    z[:] = rows(1)[0]
    reader.tick()
    wanted = action.copy()
    del reader
    assert np.array_equal(action, wanted) and np.any(action != 0)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.01, 1.0, 10.0]),
    attention=st.sampled_from(["dot", "cosine"]),
)
def test_weights_are_a_distribution_and_the_order_of_slots_and_rows_is_immaterial(
    seed: int, scale: float, attention: Any
) -> None:
    parameters, z = twins.cue_parameters(seed, scale=scale), rows(9, seed)
    reader = made(parameters, attention=attention)
    action, terrain = reader.read(z)
    weights = reader.weights(z)
    assert np.all(weights >= 0) and np.allclose(weights.sum(axis=1), 1, atol=1e-6)
    assert np.all((terrain > 0) & (terrain < 1))
    order = np.random.default_rng(seed).permutation(16)
    other = made(parameters | {"memory": parameters["memory"][order]}, attention=attention)
    assert np.allclose(other.read(z)[0], action, atol=1e-6)
    assert np.allclose(other.weights(z), weights[:, order], atol=1e-6)
    assert np.array_equal(reader.read(z[::-1].copy())[0], action[::-1])


@pytest.mark.parametrize("attention", ["dot", "cosine"])
def test_equal_slots_give_the_same_whatever_the_cue(attention: Any) -> None:
    parameters = twins.cue_parameters()
    parameters["memory"] = np.tile(parameters["memory"][:1], (16, 1))
    reader = made(parameters, attention=attention)
    action, terrain = reader.read(rows(20))
    assert np.ptp(action, axis=0).max() <= 1e-6 and np.ptp(terrain, axis=0).max() <= 1e-6
    assert np.allclose(reader.weights(rows(20)), 1 / 16, atol=1e-6)


def test_the_seeds_first_slots_hardly_attend_and_the_sound_profiles_do() -> None:
    tiny, z = twins.cue_parameters(scale=0.01), rows(500)
    weights = made(tiny).weights(z).astype(float)
    entropy = -(weights * np.log(weights)).sum(axis=1).mean()
    assert np.log(16) - entropy < 1e-4  # fact 1: 2.772583 against ln 16 = 2.772589
    weights = made(tiny, attention="cosine").weights(z).astype(float)
    assert np.log(16) - -(weights * np.log(weights)).sum(axis=1).mean() > 0.05


def test_a_key_bias_leaves_dot_attention_as_it_is_and_changes_cosine_attention() -> None:
    parameters, z = twins.cue_parameters(), rows(5)
    biased = parameters | {"key_proj.bias": rows(1, 5, 128)[0]}
    assert np.allclose(made(biased).weights(z), made(parameters).weights(z), atol=1e-6)
    cosine = made(biased, attention="cosine").weights(z)
    assert off(cosine, twins.cue(biased, z, cosine=True).weights) <= 1e-6
    assert not np.allclose(cosine, made(parameters, attention="cosine").weights(z), atol=1e-3)


def test_another_memory_dim_and_a_query_of_nothing_are_read() -> None:
    parameters, z = twins.cue_parameters(memory_dim=20), rows(6)
    for attention in ("dot", "cosine"):  # 20 < 33: the query's inner products have no full rank
        wanted = twins.cue(parameters, z, cosine=attention == "cosine")
        assert off(made(parameters, attention=attention).read(z)[0], wanted.action_bias) <= 1e-6
    for name in ("weight", "bias"):
        parameters[f"world_query_proj.{name}"] *= 0
    assert np.array_equal(made(parameters, attention="cosine").weights(z), np.full((6, 16), 1 / 16))


def test_far_scores_stay_finite_and_what_is_not_a_number_gives_nan_in_its_row_alone() -> None:
    parameters, z = twins.cue_parameters(scale=1e6), rows(9)
    action, terrain = made(parameters).read(z)
    assert np.all(np.isfinite(action)) and np.all((terrain >= 0) & (terrain <= 1))
    reader = made(twins.cue_parameters())
    wanted, _ = reader.read(z)
    z[2, 3], z[7, 0] = np.nan, np.inf
    action, terrain = reader.read(z)
    assert np.all(np.isnan(action[[2, 7]])) and np.all(np.isnan(terrain[[2, 7]]))
    rest = [0, 1, 3, 4, 5, 6, 8]
    assert np.array_equal(action[rest], wanted[rest])
