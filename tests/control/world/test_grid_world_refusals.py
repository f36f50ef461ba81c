"""What the grid worlds refuse: each error names the argument, its rule and the value."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

from prefrontal._core.control import GridWorld, GridWorlds
from prefrontal.control import CausalGridWorldV2, CausalGridWorldVecEnv, GridWorldConfig

NAN = float("nan")
NUMBERS = [
    ("size", 2, "be between 3 and 128, got 2"),
    ("size", 129, "be between 3 and 128, got 129"),
    ("num_hazards", -1, "be between 0 and 63, got -1"),
    ("num_hazards", 64, "be between 0 and 63, got 64"),
    ("num_resources", 61, "be between 0 and 60, got 61"),
    ("max_steps", 0, "be between 1 and 1000000, got 0"),
    ("drift_interval", 0, "be between 1 and 1000000, got 0"),
    ("drift_prob", 1.5, "be between 0 and 1, got 1.5"),
    ("drift_prob", NAN, "be between 0 and 1, got nan"),
    ("decay", -0.5, "be between 0 and 1000, got -0.5"),
    ("energy_decay", 2, "be between 0 and 1, got 2"),
    ("contamination_threshold", 0.0, "be between 0.001 and 1e+06, got 0"),
    ("exposure_alpha", -1, "be between 0 and 1, got -1"),
    ("profile", "sound", "be 'upstream' or 'fixed', got 'sound'"),
]


@pytest.mark.parametrize(("name", "value", "rule"), NUMBERS)
@pytest.mark.parametrize("make", [CausalGridWorldV2, CausalGridWorldVecEnv, GridWorld])
def test_a_field_out_of_its_range_is_named(make: Any, name: str, value: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(f'{name} must {rule}')}$"):
        make(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("size", 10.0, "be a whole number, got 10.0"),
        ("size", True, "be a whole number, got True"),
        ("size", 2**80, f"be a number of 64 bits, got {2**80}"),
        ("decay", "0.5", "be a number, got '0.5'"),
        ("decay", True, "be a number, got True"),
        ("persist_harm_ema", 1, "be True or False, got 1"),
    ],
)
def test_a_field_of_another_type_is_named(name: str, value: Any, rule: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(f'{name} must {rule}')}$"):
        CausalGridWorldV2(**{name: value})


def test_unknown_names_are_told() -> None:
    for make in (CausalGridWorldV2, CausalGridWorldVecEnv, GridWorld):
        with pytest.raises(TypeError, match="must be a field of GridWorldConfig, got 'hazards'"):
            make(hazards=3)
    with pytest.raises(ValueError, match="preset must be one of default, contrast14, got 'big'"):
        GridWorldConfig.preset("big")
    with pytest.raises(ValueError, match="render_mode must be ansi, rgb_array or None, got 'hu"):
        CausalGridWorldV2(render_mode="human")
    with pytest.raises(ValueError, match="options must hold only 'harm_ema', got 'harm'"):
        CausalGridWorldV2().reset(options={"harm": 0})


@pytest.mark.parametrize("value", [-0.1, 1.1, NAN, "0", True])
def test_an_average_out_of_its_range_changes_nothing(value: Any) -> None:
    env = CausalGridWorldV2()
    env.reset(seed=0)
    before, state = env.world.agent, env.np_random.bit_generator.state
    with pytest.raises(ValueError, match=r"options\['harm_ema'\] must be a number between 0 and 1"):
        env.reset(seed=1, options={"harm_ema": value})
    assert env.world.agent == before and env.np_random.bit_generator.state == state


@pytest.mark.parametrize(
    ("layout", "sentence"),
    [
        (((0, 1), [], []), "agent must lie inside the walls, got (0, 1)"),
        (((4, 9), [], []), "agent must lie inside the walls, got (4, 9)"),
        (((1, 1), [(-1, 4)], []), "hazards must lie inside the walls, got (-1, 4)"),
        (((1, 1), [], [(4, 10)]), "resources must lie inside the walls, got (4, 10)"),
        (((1, 1), [(1, 1)], []), "hazards must be on a cell of its own, got (1, 1)"),
        (((1, 1), [(1, 2)], [(1, 2)]), "resources must be on a cell of its own, got (1, 2)"),
        (
            ((1, 1), [(2, 1), (2, 2), (2, 3), (2, 4)], []),
            "hazards must be at most num_hazards = 3 cells, got 4",
        ),
    ],
)
def test_a_layout_that_cannot_be_is_refused_and_nothing_changes(
    layout: tuple[Any, Any, Any], sentence: str
) -> None:
    env = CausalGridWorldV2()
    env.reset(seed=0)
    before = (env.world.agent, env.world.hazards, env.world.grid().tolist())
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        env.reset_to(*layout)
    assert (env.world.agent, env.world.hazards, env.world.grid().tolist()) == before


def test_actions_out_of_range_move_nothing() -> None:
    env = CausalGridWorldV2()
    env.reset(seed=0)
    for action in (-1, 5, 2**31 - 1):
        with pytest.raises(ValueError, match=f"action must be between 0 and 4, got {action}"):
            env.step(action)
    for nonsense in (1.5, "1", None):
        with pytest.raises(TypeError):
            env.step(nonsense)  # type: ignore[arg-type]
    assert env.world.steps == 0


def test_the_core_checks_the_average_too() -> None:
    world = GridWorld()
    for value in (-0.1, 1.1, NAN):
        with pytest.raises(ValueError, match="harm_ema must be between 0 and 1, got"):
            world.set_harm_ema(value)


def test_the_core_wants_a_generator() -> None:
    world = GridWorld()
    for rng in (None, 5, np.random, object()):
        with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator, got"):
            world.reset(rng)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="world must be reset before a step"):
        world.step(0, np.random.default_rng(0))


def test_a_vector_refuses_a_bad_batch_and_moves_nothing() -> None:
    env = CausalGridWorldVecEnv(3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(3, np.int64))
    env.reset(seed=0)
    for actions in (np.zeros(2, np.int64), np.zeros(3), np.zeros((3, 1), np.int64), 1):
        with pytest.raises(ValueError, match=r"actions must be integers of shape \(3,\), got"):
            env.step(actions)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"actions\[2\] must be between 0 and 4, got 5"):
        env.step(np.array([0, 1, 5]))
    assert [env.worlds[at].steps for at in range(3)] == [0, 0, 0]


def test_a_vector_refuses_bad_arguments_of_a_reset() -> None:
    env = CausalGridWorldVecEnv(2)
    with pytest.raises(ValueError, match="must wait for a first reset of all"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset()
    with pytest.raises(ValueError, match="seed must hold 2 seeds, got 3"):
        env.reset(seed=[1, 2, 3])
    for mask in ([True, False], np.array([True]), np.array([0, 1]), np.array([False, False])):
        with pytest.raises(ValueError, match=r"options\['reset_mask'\] must be bool of shape"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="num_envs must be between 1 and 1000000, got 0"):
        CausalGridWorldVecEnv(0)
    with pytest.raises(ValueError, match="AutoresetMode"):
        CausalGridWorldVecEnv(1, autoreset_mode="never")


def test_the_core_checks_every_buffer_it_writes_to() -> None:
    env = CausalGridWorldVecEnv(2)
    env.reset(seed=0)
    actions = np.zeros(2, np.int64)
    bad_buffers: dict[str, Any] = {
        "body": np.zeros((2, 11), np.float32),
        "world": np.zeros((3, 250), np.float32),
        "harm": np.zeros((2, 51), np.float64),
        "harm_a": np.zeros((50, 2), np.float32).T,
    }
    for name, bad in bad_buffers.items():
        with pytest.raises((ValueError, TypeError), match=f"^{name} must"):
            env.worlds.step(actions, env._out, {**env._observation, name: bad})
        rest = {each: part for each, part in env._observation.items() if each != name}
        with pytest.raises(ValueError, match=f"^observation must hold {name}, got \\["):
            env.worlds.observe(rest)
    for name in env._out:
        wrong = np.zeros(3, env._out[name].dtype)
        with pytest.raises(ValueError, match=f"^{name} must be 2 long, got 3"):
            env.worlds.step(actions, {**env._out, name: wrong}, None)
    with pytest.raises(ValueError, match="generator of world 0 must be set, got none"):
        GridWorlds(1, "NextStep").reset()
    with pytest.raises(IndexError, match="index must be below 2, got 2"):
        env.worlds[2]


def test_without_gymnasium_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import prefrontal.control, prefrontal.control.world.grid_world_config\n"
        "try: prefrontal.control.CausalGridWorldV2\n"
        "except ImportError as error: print(error)\n"
    )
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told == "CausalGridWorldV2 needs gymnasium: pip install 'prefrontal[control]'\n"


def test_importing_the_domain_loads_neither_torch_nor_gymnasium_nor_numpy() -> None:
    program = "import sys, prefrontal.control; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {"torch", "gymnasium", "numpy"}.isdisjoint(loaded)
