"""The compiled world against its twin in plain Python, step by step, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.control import GridWorld
from prefrontal.control import GridWorldConfig

from ..grid_world_cases import assert_same, configs
from ..grid_world_twin import PlainGridWorld

ACTIONS = st.lists(st.integers(0, 4), min_size=40, max_size=160)


def assert_same_state(ours: GridWorld, twin: PlainGridWorld) -> None:
    assert_same(ours.observe(), twin.observe())
    size = twin.c.size
    assert ours.grid().ravel().tolist() == list(twin.grid.values())
    assert (ours.agent, ours.hazards, ours.resources) == (twin.agent, twin.hazards, twin.resources)
    for table, plain in (
        (ours.hazard_field(), twin.hazard_field),
        (ours.resource_field(), twin.resource_field),
        (ours.contamination(), twin.contamination),
        (ours.footprint(), twin.footprint),
    ):
        assert table.shape == (size, size)
        assert table.ravel().tolist() == list(plain.values())


@pytest.mark.exhaustive
@settings(max_examples=150, deadline=None)
@given(configs(), st.integers(0, 2**32), ACTIONS)
def test_every_step_is_that_of_the_plain_world_with_the_same_draws(
    config: GridWorldConfig, seed: int, actions: list[int]
) -> None:
    ours, ours_rng = GridWorld(**config.core_options()), np.random.default_rng(seed)
    twin = PlainGridWorld(config, np.random.default_rng(seed))
    ours.reset(ours_rng)
    twin.reset()
    assert_same_state(ours, twin)
    for action in actions:
        outcome = ours.step(action, ours_rng)
        assert outcome == twin.step(action)
        assert_same_state(ours, twin)
        assert ours.running == (outcome[2] is None)
        if not ours.running:
            ours.reset(ours_rng)
            twin.reset()
            assert_same_state(ours, twin)
    assert ours_rng.bit_generator.state == twin.rng.bit_generator.state


@pytest.mark.parametrize("profile", ["upstream", "fixed"])
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_any_generator_of_numpy_will_do(profile: Any, bits: Any) -> None:
    config = GridWorldConfig.preset("contrast14", profile=profile)
    ours, ours_rng = GridWorld(**config.core_options()), np.random.Generator(bits(5))
    twin = PlainGridWorld(config, np.random.Generator(bits(5)))
    ours.reset(ours_rng)
    twin.reset()
    for action in np.random.default_rng(1).integers(5, size=400).tolist():
        if not ours.running:
            ours.reset(ours_rng)
            twin.reset()
        assert ours.step(action, ours_rng) == twin.step(action)
    assert_same_state(ours, twin)
    assert ours_rng.random() == twin.rng.random()


@settings(max_examples=60, deadline=None)
@given(configs(size=7, num_hazards=3, num_resources=3), ACTIONS, st.permutations(range(25)))
def test_a_layout_that_is_told_steps_like_a_random_one(
    config: GridWorldConfig, actions: list[int], cells: list[int]
) -> None:
    places = [(1 + cell // 5, 1 + cell % 5) for cell in cells]
    rng, twin_rng = np.random.default_rng(1), np.random.default_rng(1)
    ours, twin = GridWorld(**config.core_options()), PlainGridWorld(config, twin_rng)
    ours.reset_to(places[0], places[1:4], places[4:7])
    twin.reset_to(places[0], places[1:4], places[4:7])
    assert_same_state(ours, twin)
    for action in actions:
        outcome = ours.step(action, rng)
        assert outcome == twin.step(action)
        assert_same_state(ours, twin)
        if outcome[2]:
            return
