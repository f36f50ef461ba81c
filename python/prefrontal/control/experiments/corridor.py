"""Scripted walks straight up to a hazard, to touch it and to stay beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..world.grid_world import CausalGridWorldV2, Place

if TYPE_CHECKING:
    from ..world.grid_world_config import GridWorldConfig

DISTANCE = 8
"""Steps from the start to the hazard: the contact is step 8."""
STEPS = 18
"""Of a run: the approach, the contact, a step back, and as long beside it as health lasts."""
_STAY = 4
_MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
_RESOURCES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Corridors:
    """R runs: world [R, STEPS + 1, 250], and the norm of the slow harm stream [R, STEPS + 1]."""

    world: Tensor
    harm_stream: Tensor


def corridors(seed: int, runs: int, config: GridWorldConfig) -> Corridors:
    """Runs from places, in directions and among resources drawn from the seed.

    The slow stream begins at 0 and only its hazard half counts, so that resources do not enter.
    """
    rng = np.random.default_rng(seed)
    env = CausalGridWorldV2(config, drift_prob=0.0)
    world, stream = [], []
    every = list(_layouts(config.size))
    for _ in range(runs):
        agent, hazard, action = every[rng.integers(len(every))]
        seen = _run(env, agent, hazard, action, _resources(rng, config.size, agent, hazard))
        world.append([it["world"] for it in seen])
        stream.append([np.linalg.norm(it["harm_a"][:25]) for it in seen])
    return Corridors(
        torch.from_numpy(np.array(world, dtype=np.float32)),
        torch.from_numpy(np.array(stream, dtype=np.float32)),
    )


def _layouts(size: int) -> Iterator[tuple[Place, Place, int]]:
    """Every agent, hazard and direction with DISTANCE steps between them, inside the walls."""
    for row in range(1, size - 1):
        for column in range(1, size - 1):
            for action, (down, right) in enumerate(_MOVES):
                hazard = row + DISTANCE * down, column + DISTANCE * right
                if all(1 <= at <= size - 2 for at in hazard):
                    yield (row, column), hazard, action


def _resources(rng: np.random.Generator, size: int, agent: Place, hazard: Place) -> list[Place]:
    """Anywhere off the corridor."""
    rows, columns = sorted((agent[0], hazard[0])), sorted((agent[1], hazard[1]))
    free = [
        (row, column)
        for row in range(1, size - 1)
        for column in range(1, size - 1)
        if not (rows[0] <= row <= rows[1] and columns[0] <= column <= columns[1])
    ]
    return [free[it] for it in rng.choice(len(free), _RESOURCES, replace=False)]


def _run(
    env: CausalGridWorldV2, agent: Place, hazard: Place, action: int, resources: list[Place]
) -> list[dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    back = action ^ 1  # up and down, left and right
    observation, _ = env.reset_to(agent, [hazard], resources, harm_ema=0.0)
    seen = [observation]
    for step in range(STEPS):
        move = action if step < DISTANCE else back if step == DISTANCE else _STAY
        observation, _, ended, _, _ = env.step(move)
        seen.append(observation)
        if ended:
            break
    return seen + [seen[-1]] * (STEPS + 1 - len(seen))
