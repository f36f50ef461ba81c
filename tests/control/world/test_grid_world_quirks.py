"""The quirks of the reference in the profile upstream, and their repair in fixed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prefrontal._core.control import GridWorld
from prefrontal.control import CausalGridWorldV2

from ..grid_world_cases import assert_same
from .test_grid_world import CONTAMINATED, EMPTY, HAZARD, LEFT, RIGHT, RNG, STAY, UP, world

PROFILES = ["upstream", "fixed"]


@pytest.mark.parametrize(("profile", "left"), [("upstream", EMPTY), ("fixed", HAZARD)])
def test_a_hazard_that_was_entered_is_a_ghost_only_upstream(profile: str, left: int) -> None:
    made = world((1, 1), hazards=[(1, 2)], profile=profile, hazard_harm=0.1)
    assert made.step(RIGHT, RNG)[1] == "env_caused_hazard"
    made.step(RIGHT, RNG)
    assert made.grid()[1, 2] == left
    assert made.hazards == [(1, 2)] and made.hazard_field()[1, 2] == 1.0
    again = made.step(LEFT, RNG)[1]
    assert again == ("hazard_approach" if profile == "upstream" else "env_caused_hazard")


@pytest.mark.parametrize(
    ("profile", "transition"),
    [("upstream", "hazard_approach"), ("fixed", "env_caused_hazard")],
)
def test_staying_on_a_hazard_reads_an_empty_cell_only_upstream(
    profile: str, transition: str
) -> None:
    made = world((1, 1), hazards=[(1, 2)], profile=profile, hazard_harm=0.1)
    made.step(RIGHT, RNG)
    assert made.step(STAY, RNG)[1] == transition


def test_a_ghost_that_drifts_is_a_hazard_again() -> None:
    made = world((1, 1), hazards=[(1, 2)], drift_interval=1, drift_prob=1.0)
    rng = np.random.default_rng(0)
    made.step(RIGHT, rng)  # nothing drifts in the first step
    made.step(UP, rng)
    (place,) = made.hazards
    assert place != (1, 2) and made.grid()[place] == HAZARD
    assert made.grid()[1, 2] == 5  # the agent's own marker is left alone


def test_upstream_four_stays_make_ones_own_cell_cost_four_tenths_a_step() -> None:
    made = world((1, 1))
    told = [made.step(STAY, RNG) for _ in range(6)]
    assert told[:4] == [(0.0, "none", None)] * 4
    assert told[4] == (-0.4, "agent_caused_hazard", None)
    assert told[5][0] == -0.4


def test_fixed_staying_leaves_no_trace() -> None:
    made = world((1, 1), profile="fixed")
    assert {made.step(STAY, RNG)[1] for _ in range(50)} == {"none"}
    assert not made.contamination().any() and made.footprint()[1, 1] == 50


def test_fixed_a_contaminated_cell_goes_on_harming_the_agent_on_it() -> None:
    made = world((1, 1), profile="fixed", contamination_threshold=0.5, contaminated_harm=0.1)
    made.step(RIGHT, RNG)
    assert made.step(STAY, RNG) == (-0.1, "agent_caused_hazard", None)
    made.step(RIGHT, RNG)
    assert made.grid()[1, 2] == CONTAMINATED


@pytest.mark.parametrize(("profile", "shown"), [("upstream", [1, 0, 0, 0]), ("fixed", [0] * 4)])
def test_staying_is_shown_as_up_only_upstream(profile: str, shown: list[int]) -> None:
    made = world((1, 1), profile=profile)
    assert made.observe()["body"][5:9].tolist() == shown
    made.step(LEFT, RNG)
    assert made.observe()["body"][5:9].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("persist", [None, True, False])
def test_the_slow_average_outlives_a_reset_as_told_or_as_the_profile_says(
    profile: Any, persist: bool | None
) -> None:
    env = CausalGridWorldV2(profile=profile, persist_harm_ema=persist)
    env.reset(seed=0)
    for _ in range(3):
        env.step(STAY)
    observation, _ = env.reset()
    kept = profile == "upstream" if persist is None else persist
    assert observation["harm_a"].any() == kept


def test_the_core_takes_the_default_of_the_profile_too() -> None:
    for profile, kept in (("upstream", True), ("fixed", False)):
        made = GridWorld(profile=profile)
        made.set_harm_ema(0.5)
        made.reset(np.random.default_rng(0))
        assert made.observe()["harm_a"].any() == kept


def test_a_reset_that_asks_for_it_begins_with_the_average_told() -> None:
    env = CausalGridWorldV2()
    env.reset(seed=7)
    for value in (0, 0.5, 1):
        env.step(STAY)
        observation, _ = env.reset(options={"harm_ema": value})
        assert (observation["harm_a"] == value).all()
    assert (env.reset(seed=7, options={"harm_ema": 0.5})[0]["harm_a"] == 0.5).all()


def test_a_seed_is_a_new_beginning_as_in_the_constructor_of_the_reference() -> None:
    env = CausalGridWorldV2()
    first, _ = env.reset(seed=7)
    for _ in range(3):
        env.step(STAY)
    assert_same(first, env.reset(seed=7)[0])
