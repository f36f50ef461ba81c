"""Small control agents, and walks of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from prefrontal.control import CausalGridWorldV2, ControlAgent, ControlConfig
from prefrontal.control.agent.agent import ActionChoice

SMALL: dict[str, dict[str, Any]] = {
    "e1": {"prediction_horizon": 3},
    "e2": {"rollout_horizon": 4},
    "hippocampal": {"horizon": 4, "num_candidates": 6, "num_cem_iterations": 2},
    "e3": {"warn_world_harm": False},
}
"""Every kind of tensor, and little of each."""


def small_config(profile: Any = "seed", **changes: Any) -> ControlConfig:
    """A small configuration; a part's mapping in `changes` is added to what makes it small."""
    merged: dict[str, Any] = {name: dict(fields) for name, fields in SMALL.items()}
    for name, value in changes.items():
        merged[name] = {**merged.get(name, {}), **value} if isinstance(value, dict) else value
    return ControlConfig.from_dims(profile=profile, **merged)


def small_agent(profile: Any = "seed", *, seed: int = 0, **changes: Any) -> Any:
    """A ControlAgent; Any, since a test knows which of its parts are there."""
    generator = torch.Generator().manual_seed(seed)
    return ControlAgent(small_config(profile, **changes), generator=generator)


def walk(agent: ControlAgent, steps: int, *, seed: int = 0, **told: Any) -> list[ActionChoice]:
    """Steps in a world with three hazards, randomness from a generator of the seed's."""
    env = CausalGridWorldV2(agent.config.world(size=6))
    observation, _ = env.reset(seed=seed)
    generator = torch.Generator().manual_seed(seed)
    choices = []
    for _ in range(steps):
        choices.append(agent.act(observation, generator=generator, **told))
        observation, signal, ended, cut, _ = env.step(choices[-1].action)
        agent.update_residue(signal)
        if ended or cut:
            observation, _ = env.reset()
            agent.reset()
    return choices


def same_state(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)
