"""Layouts X6 asks about: a hazard near the agent, not met yet, and the same one far away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..world.grid_world import CausalGridWorldV2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..world.grid_world_config import GridWorldConfig

MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))
NEAR, FAR = (1, 2, 3), 9  # cells of Manhattan distance

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Layouts:
    """N layouts. near, far: world observations [N, 250] of the same place, the hazard near or far;
    leads_away: bool [N, 5], which actions increase the distance; distances: [N]."""

    near: Tensor
    far: Tensor
    leads_away: Tensor
    distances: Tensor


def held_out_layouts(seed: int, count: int, config: GridWorldConfig) -> Layouts:
    """Random layouts; no step is taken in them, so that no hazard was ever met."""
    rng = np.random.default_rng([seed, count, 6])
    env = CausalGridWorldV2(config)
    near: list[NDArray[np.float32]] = []
    far: list[NDArray[np.float32]] = []
    away: list[list[bool]] = []
    distances: list[int] = []
    while len(near) < count:
        agent, close, remote, *resources = _places(rng, config.size, 3 + config.num_resources)
        if _distance(agent, close) not in NEAR or _distance(agent, remote) < FAR:
            continue
        seen = [env.reset_to(agent, [it], resources)[0]["world"] for it in (close, remote)]
        near.append(seen[0])
        far.append(seen[1])
        away.append(_leading_away(agent, close, config.size))
        distances.append(_distance(agent, close))
    return Layouts(
        torch.from_numpy(np.stack(near)),
        torch.from_numpy(np.stack(far)),
        torch.tensor(away),
        torch.tensor(distances),
    )


def _places(rng: np.random.Generator, size: int, count: int) -> list[Place]:
    inside = size - 2
    cells = rng.choice(inside * inside, size=count, replace=False)
    return [(1 + int(it) // inside, 1 + int(it) % inside) for it in cells]


def _distance(a: Place, b: Place) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _leading_away(agent: Place, hazard: Place, size: int) -> list[bool]:
    away = []
    for row, column in MOVES:
        target = (agent[0] + row, agent[1] + column)
        wall = not all(1 <= it <= size - 2 for it in target)
        away.append(not wall and _distance(target, hazard) > _distance(agent, hazard))
    return away
