"""Converts observations to rows for the encoders."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..choice.goal import ENERGY, drive_level

if TYPE_CHECKING:
    from ..latent.latent import LatentConfig

Observation = Mapping[str, Any]
"""body [12], world [250], harm [51] and harm_a [50]: arrays or tensors, with or without a row."""


@dataclass(frozen=True, slots=True, eq=False)
class Senses:
    """One observation as tensors [1, size] of the agent's dtype and device; None: not shown.

    drive: 0 where the body is too short to hold energy.
    """

    body: Tensor
    world: Tensor
    harm: Tensor | None
    harm_a: Tensor | None
    drive: float


def read_observation(observation: Observation, config: LatentConfig, like: Tensor) -> Senses:
    """The validated observation.

    Raises ValueError for what is missing, of another size, or not finite. harm and harm_a may be
    missing where their streams are off.
    """
    sizes = {
        "body": config.body_obs_dim,
        "world": config.world_obs_dim,
        "harm": config.harm_obs_dim,
        "harm_a": config.harm_obs_a_dim + config.harm_history,
    }
    needed = {"body", "world"}
    needed |= {"harm"} if config.use_harm_stream else set()
    needed |= {"harm_a"} if config.use_affective_harm_stream else set()
    rows: dict[str, Tensor] = {}
    for name, size in sizes.items():
        if name in observation:
            rows[name] = _row(name, observation[name], size, like)
        elif name in needed:
            raise ValueError(f"observation must hold {name!r}, got {sorted(observation)!r}")
    has_energy = config.body_obs_dim > ENERGY
    drive = min(float(drive_level(rows["body"][0])), 1.0) if has_energy else 0.0
    return Senses(rows["body"], rows["world"], rows.get("harm"), rows.get("harm_a"), drive)


def _row(name: str, values: Any, size: int, like: Tensor) -> Tensor:
    if isinstance(values, Tensor):
        row = values.detach().to(like)
    else:
        row = torch.tensor(np.asarray(values), dtype=like.dtype, device=like.device)
    if row.shape not in ((size,), (1, size)):
        raise ValueError(f"{name} must be of shape [{size}], got {list(row.shape)}")
    if not math.isfinite(float(row.sum())):
        raise ValueError(f"{name} must be finite, got {row.flatten().tolist()!r}")
    return row.reshape(1, size)
