"""CausalGridWorldV2 as Gymnasium's users know an environment."""

from __future__ import annotations

import copy
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.control import CausalGridWorldV2, GridWorldConfig
from prefrontal.control.world.gymnasium_parts import ENV_ID, register
from prefrontal.control.world.rendering import SYMBOLS

from ..grid_world_cases import OBSERVATION, assert_same, configs


@pytest.mark.parametrize("config", ["default", "contrast14"])
@pytest.mark.parametrize("profile", ["upstream", "fixed"])
def test_gymnasiums_checker_has_nothing_to_say(config: str, profile: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(ENV_ID, config=config, profile=profile, render_mode="rgb_array")
        check_env(env.unwrapped)
        check_env(CausalGridWorldV2(config, profile=profile), skip_render_check=True)


def test_the_registered_id_makes_the_environment_with_its_options() -> None:
    env = gymnasium.make(ENV_ID, size=12, max_steps=3)
    assert isinstance(env.unwrapped, CausalGridWorldV2)
    assert env.unwrapped.config == GridWorldConfig(size=12, max_steps=3)
    env.reset(seed=1)
    assert [env.step(4)[3] for _ in range(3)] == [False, False, True]
    register()  # again: nothing happens


def test_gymnasium_can_be_told_where_the_id_is_registered() -> None:
    program = (
        "import gymnasium\n"
        f"env = gymnasium.make('prefrontal.control.world.grid_world:{ENV_ID}', size=7)\n"
        "print(env.unwrapped.config.size)"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "7\n"


def test_spaces_are_those_of_the_specification() -> None:
    env = CausalGridWorldV2()
    assert env.action_space == gymnasium.spaces.Discrete(5)
    assert isinstance(env.observation_space, gymnasium.spaces.Dict)
    for name, length in OBSERVATION.items():
        box = env.observation_space[name]
        assert isinstance(box, gymnasium.spaces.Box)
        assert box.shape == (length,) and box.dtype == np.float32 and (box.low == 0).all()


@settings(max_examples=80, deadline=None)
@given(configs(), st.integers(0, 999), st.lists(st.integers(0, 4), min_size=40, max_size=160))
def test_every_observation_lies_in_its_space(
    config: GridWorldConfig, seed: int, actions: list[int]
) -> None:
    env = CausalGridWorldV2(config)
    observation, info = env.reset(seed=seed)
    assert observation in env.observation_space
    assert info == {"transition_type": "none", "done_cause": None, "steps": 0}
    for steps, action in enumerate(actions, 1):
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        assert type(reward) is float and type(terminated) is bool and type(truncated) is bool
        assert terminated == (info["done_cause"] == "health") == (env.world.health == 0)
        assert truncated == (info["done_cause"] == "steps")
        assert info["steps"] == steps
        if terminated or truncated:
            return


def test_contamination_can_reach_its_bound_and_not_pass_it() -> None:
    env = CausalGridWorldV2(contaminated_harm=0.0, max_steps=200, num_hazards=0)
    env.reset_to((4, 4))
    for _ in range(200):
        observation = env.step(4)[0]
        assert observation in env.observation_space
    assert observation["world"][187] == pytest.approx(50.0, rel=1e-6)


def test_an_average_of_great_harms_lies_in_its_space() -> None:
    env = CausalGridWorldV2(hazard_harm=50.0, resource_benefit=60.0)
    env.reset_to((1, 1), hazards=[(2, 2)], resources=[(1, 2)])
    benefit, harm = env.step(3)[0], env.step(1)[0]
    assert benefit in env.observation_space and harm in env.observation_space
    assert benefit["body"][11] > 5 and harm["body"][10] > 4 and harm["harm"][50] == 1


def test_after_its_end_an_episode_must_be_reset() -> None:
    env = CausalGridWorldV2(max_steps=1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)
    env.reset(seed=0)
    env.step(4)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)


def test_a_copy_goes_on_by_itself_with_the_same_draws() -> None:
    env = CausalGridWorldV2("contrast14", drift_interval=1, drift_prob=1.0)
    env.reset(seed=3)
    env.step(4)
    other = copy.deepcopy(env)
    for _ in range(20):
        assert_same(env.step(1)[0], other.step(1)[0])
    assert env.world.hazards == other.world.hazards


def test_a_script_lays_out_the_world() -> None:
    env = CausalGridWorldV2()
    observation, info = env.reset_to((2, 3), hazards=[(5, 5)], harm_ema=0.25)
    assert (env.world.agent, env.world.hazards, env.world.resources) == ((2, 3), [(5, 5)], [])
    assert observation["body"][:2].tolist() == pytest.approx([0.2, 0.3])
    assert (observation["harm_a"] == 0.25).all() and info["steps"] == 0
    assert observation in env.observation_space


def test_the_world_as_text() -> None:
    env = CausalGridWorldV2(size=5, num_hazards=1, num_resources=1, render_mode="ansi")
    env.reset_to((1, 1), [(1, 2)], [(3, 3)])
    assert env.render() == "\n".join(
        ["#####", "#@!.#", "#...#", "#..+#", "#####", "health 1.00  energy 1.00  step 0"]
    )
    assert len(SYMBOLS) == 7


def test_the_world_as_a_picture() -> None:
    env = CausalGridWorldV2(size=5, num_hazards=1, num_resources=1, render_mode="rgb_array")
    env.reset_to((1, 1), [(1, 2)], [(3, 3)])
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape == (80, 80, 3)
    centres = picture[8::16, 8::16]
    assert len({tuple(centres[place]) for place in ((0, 0), (1, 1), (1, 2), (3, 3), (2, 2))}) == 5
    for action in (1, 0, 1):
        env.step(action)
    picture = env.render()
    assert (picture[24, 24] != picture[56, 24]).any()  # the agent was there, and not on the other


def test_without_a_mode_nothing_is_drawn() -> None:
    env = CausalGridWorldV2()
    env.reset(seed=0)
    assert env.render() is None


def test_the_contrast_preset_is_the_world_of_the_experiments() -> None:
    config = GridWorldConfig.preset("contrast14")
    assert (config.size, config.num_hazards, config.num_resources) == (14, 1, 3)
    assert config.resource_respawn_on_consume and config.contamination_spread == 0.0
    assert (config.drift_prob, config.decay) == (0.3, 0.5)
    changed: Any = CausalGridWorldV2("contrast14", size=20)
    assert changed.config.size == 20 and changed.config.num_hazards == 1
