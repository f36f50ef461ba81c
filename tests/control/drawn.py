"""Tensors and modules of one seed each, for tests of the neural parts."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from prefrontal.control.choice.e2 import E2Config, E2FastPredictor
from prefrontal.control.choice.e3 import E3TrajectorySelector
from prefrontal.control.choice.e3_config import E3Config
from prefrontal.control.choice.hippocampal import HippocampalConfig, HippocampalModule
from prefrontal.control.choice.residue import ResidueConfig, ResidueField
from prefrontal.control.choice.trajectory import Trajectories
from prefrontal.control.layers import mlp


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normal(*sizes: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(sizes, generator=generator(seed), dtype=torch.float64).to(dtype)


def e2(**fields: Any) -> E2FastPredictor:
    return E2FastPredictor(E2Config(**{"action_dim": 5} | fields), generator=generator(1))


def e3(**fields: Any) -> E3TrajectorySelector:
    config = E3Config(**{"warn_world_harm": False} | fields)
    return E3TrajectorySelector(config, generator=generator(2))


def bridge() -> nn.Module:
    """z_harm from z_world."""
    return mlp(32, 64, 32, generator=generator(4))


def field(marks: int = 5, **fields: Any) -> ResidueField:
    """A field with some harm in it."""
    found = ResidueField(ResidueConfig(**fields), generator=generator(3))
    if marks:
        found.accumulate(0.3 * normal(marks, 32, seed=4), normal(marks, seed=5))
    return found


def hippocampal(**fields: Any) -> HippocampalModule:
    config = HippocampalConfig(**{"action_dim": 5, "horizon": 4, "num_candidates": 12} | fields)
    return HippocampalModule(config, e2(), field(), generator=generator(6))


def candidates(k: int = 6, agents: int = 1, steps: int = 4, seed: int = 0) -> Trajectories:
    return Trajectories(
        normal(k, agents, steps + 1, 32, seed=seed),
        normal(k, agents, steps + 1, 32, seed=seed + 1),
        normal(k, agents, steps, 5, seed=seed + 2),
        normal(k, agents, steps, 16, seed=seed + 3),
    )


def parameters_of(module: torch.nn.Module) -> int:
    return sum(it.numel() for it in module.parameters())
