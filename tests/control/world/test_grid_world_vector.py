"""Many worlds at once: the same as Gymnasium's own vector of single ones, in every mode."""

from __future__ import annotations

import sys
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.control import CausalGridWorldV2, CausalGridWorldVecEnv, GridWorldConfig
from prefrontal.control.world.gymnasium_parts import ENV_ID

from ..grid_world_cases import assert_same, configs

MODES = st.sampled_from([AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
COUNT = 3


def assert_same_infos(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        if isinstance(value, dict):
            assert_same_infos(value, theirs[name])
        elif name == "final_obs":
            for mine, other in zip(value, theirs[name], strict=True):
                assert (mine is None) == (other is None)
                if mine is not None:
                    assert_same(mine, other)
        else:
            assert value.tolist() == theirs[name].tolist(), name
            assert value.dtype == theirs[name].dtype, name


def assert_same_steps(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    assert_same(ours[0], theirs[0])
    for mine, other in zip(ours[1:4], theirs[1:4], strict=True):
        np.testing.assert_array_equal(mine, other)
        assert mine.dtype == other.dtype
    assert_same_infos(ours[4], theirs[4])


def single_worlds(config: GridWorldConfig, mode: AutoresetMode) -> Any:
    return SyncVectorEnv([lambda: CausalGridWorldV2(config)] * COUNT, autoreset_mode=mode)


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(configs(), MODES, st.integers(0, 999), st.booleans())
def test_every_step_is_that_of_gymnasiums_vector_of_single_worlds(
    config: GridWorldConfig, mode: AutoresetMode, seed: int, copy: bool
) -> None:
    ours = CausalGridWorldVecEnv(COUNT, config, autoreset_mode=mode, copy=copy)
    theirs = single_worlds(config, mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    first, first_theirs = ours.reset(seed=seed), theirs.reset(seed=seed)
    assert_same(first[0], first_theirs[0])
    assert_same_infos(first[1], first_theirs[1])
    for actions in np.random.default_rng(seed).integers(5, size=(80, COUNT)):
        assert_same_steps(ours.step(actions), theirs.step(actions))


@settings(max_examples=20, deadline=None)
@given(configs(max_steps=4), st.integers(0, 999))
def test_without_autoreset_ended_worlds_are_reset_by_a_mask(
    config: GridWorldConfig, seed: int
) -> None:
    ours = CausalGridWorldVecEnv(COUNT, config, autoreset_mode=AutoresetMode.DISABLED)
    theirs = single_worlds(config, AutoresetMode.DISABLED)
    seeds = [seed, seed + 7, seed + 9]
    assert_same(ours.reset(seed=seeds)[0], theirs.reset(seed=seeds)[0])
    for actions in np.random.default_rng(seed).integers(5, size=(30, COUNT)):
        told = ours.step(actions)
        assert_same_steps(told, theirs.step(actions))
        ended = told[2] | told[3]
        if not ended.any():
            continue
        with pytest.raises(ValueError, match=r"^world\[\d\] must be reset, got an episode that"):
            ours.step(actions)
        told_reset = ours.reset(options={"reset_mask": ended})
        reset_theirs = theirs.reset(options={"reset_mask": ended})
        assert_same(told_reset[0], reset_theirs[0])
        assert_same_infos(told_reset[1], reset_theirs[1])


def test_a_copy_is_kept_and_a_buffer_is_written_over() -> None:
    for copy in (True, False):
        env = CausalGridWorldVecEnv(2, copy=copy)
        env.reset(seed=0)
        actions = np.array([4, 4])
        one, two = env.step(actions), env.step(actions)
        assert all((one[0][name] is two[0][name]) == (not copy) for name in one[0])
        assert (one[1] is two[1]) == (not copy)


def test_what_is_told_of_an_end_is_not_written_over() -> None:
    env = CausalGridWorldVecEnv(1, autoreset_mode="SameStep", copy=False, max_steps=3)
    env.reset(seed=0)
    ends: list[Any] = [env.step(np.array([4]))[4].get("final_obs") for _ in range(6)]
    first, second = ends[2][0], ends[5][0]
    assert first["body"][9] == second["body"][9] == 1.0
    assert first["body"] is not second["body"]
    assert (first["world"] != second["world"]).any()


def test_make_vec_finds_it_and_gymnasiums_wrappers_take_it() -> None:
    env = gymnasium.make_vec(
        ENV_ID, num_envs=4, vectorization_mode="vector_entry_point", max_steps=9, num_hazards=0
    )
    assert isinstance(env.unwrapped, CausalGridWorldVecEnv)
    recorded: Any = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    recorded.reset(seed=0)
    for _ in range(9):
        told = recorded.step(np.full(4, 0))
    assert told[3].all() and told[4]["episode"]["l"].tolist() == [9] * 4


def test_the_average_of_harm_begins_as_the_options_say() -> None:
    env = CausalGridWorldVecEnv(2, contamination_spread=0.0)
    observation, _ = env.reset(seed=0, options={"harm_ema": 0.5})
    assert (observation["harm_a"] == 0.5).all()
    observation, _ = env.reset()
    assert (observation["harm_a"] == 0.5).all()
    observation, _ = env.reset(seed=[3, None])
    assert (observation["harm_a"][0] == 0).all() and (observation["harm_a"][1] == 0.5).all()


def test_seeds_count_on_from_the_first() -> None:
    env = CausalGridWorldVecEnv(3)
    observation, _ = env.reset(seed=5)
    for at in range(3):
        single, _ = CausalGridWorldV2().reset(seed=5 + at)
        assert_same({name: rows[at] for name, rows in observation.items()}, single)


@pytest.mark.exhaustive
def test_other_threads_run_during_a_step() -> None:
    env = CausalGridWorldVecEnv(20_000)
    env.reset(seed=0)
    actions, may_run, ran = np.full(20_000, 4), threading.Lock(), threading.Event()
    may_run.acquire()

    def run() -> None:
        with may_run:
            ran.set()

    thread = threading.Thread(target=run)
    thread.start()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(30.0)  # the other thread runs only where this one lets go of the lock
    try:
        may_run.release()
        for _ in range(100):
            env.worlds.step(actions, env._out, env._observation, None)
            if ran.is_set():
                break
        assert ran.is_set()
    finally:
        sys.setswitchinterval(usual)
        thread.join()


def test_one_of_the_worlds_can_be_laid_out_by_a_script() -> None:
    env = CausalGridWorldVecEnv(2)
    env.reset(seed=0)
    env.worlds[1].reset_to((2, 2), [(2, 3)], [])
    rewards = env.step(np.array([4, 3]))[1]
    assert rewards[1] == -0.55 and env.worlds[1].agent == (2, 3)
