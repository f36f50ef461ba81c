"""The task of X11: fetch a resource beside a hazard, or leave it.

E3 looks ahead over all sequences of three actions in a world that it imagines to stand still: the
world's own observation of each cell, encoded, so that nothing hangs on a forward model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, one_hot

from ..choice.e3 import E3Config, E3TrajectorySelector
from ..choice.trajectory import Trajectories
from ..world.grid_world import CausalGridWorldV2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..world.grid_world_config import GridWorldConfig

MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))
AHEAD = 3
SEQUENCES = tuple(product(range(5), repeat=AHEAD))
BESIDE, BETWEEN = (1, 2), (3, 5)  # cells from resource to hazard, and from agent to resource

Place = tuple[int, int]
Precision = Callable[[Tensor], Tensor]
"""Observations of the world [N, 250] -> terrain weights [N, 2]."""


@dataclass(frozen=True, slots=True)
class ForagingLayout:
    """Where an agent begins, and the one hazard and the one resource."""

    agent: Place
    hazard: Place
    resource: Place


@dataclass(frozen=True, slots=True)
class ForagingOutcome:
    """Of N trials: which fetched the resource, and which met the hazard."""

    fetched: list[bool]
    hurt: list[bool]


def layouts(seed: int, count: int, size: int) -> list[ForagingLayout]:
    """Random layouts with the resource beside the hazard, the agent further from the hazard."""
    rng = np.random.default_rng([seed, count, 11])
    results: list[ForagingLayout] = []
    while len(results) < count:
        agent, hazard, resource = (_place(int(it), size) for it in _cells(rng, size))
        near, far = _distance(hazard, resource), _distance(agent, resource)
        if not (BESIDE[0] <= near <= BESIDE[1] and BETWEEN[0] <= far <= BETWEEN[1]):
            continue
        if _distance(agent, hazard) > far:
            results.append(ForagingLayout(agent, hazard, resource))
    return results


def imagined(config: GridWorldConfig, layout: ForagingLayout) -> Tensor:
    """World observations [size, size, 250] from every interior cell, nothing being taken or met.

    On the cell of the resource and of the hazard both fields are what they are on arrival.
    """
    env, size = CausalGridWorldV2(config), config.size
    observations = np.zeros((size, size, 250), np.float32)
    fields = [field(config, it) for it in (layout.hazard, layout.resource)]
    for row, column in product(range(1, size - 1), repeat=2):
        cell = (row, column)
        left = [[it] if it != cell else [] for it in (layout.hazard, layout.resource)]
        seen = env.reset_to(cell, *left)[0]["world"]
        for offset, strength in zip((200, 225), fields, strict=True):
            view = np.pad(strength, 2)[row : row + 5, column : column + 5]
            seen[offset : offset + 25] = (view / (strength.max() + 1e-6)).ravel()
        observations[cell] = seen
    return torch.from_numpy(observations)


def field(config: GridWorldConfig, source: Place) -> NDArray[np.float64]:
    """1 / (1 + decay x Manhattan distance) on every cell [size, size]."""
    rows, columns = np.indices((config.size, config.size))
    distances = np.abs(rows - source[0]) + np.abs(columns - source[1])
    return 1.0 / (1.0 + config.decay * distances)


def taught_selector(
    encoder: nn.Module, seed: int, config: GridWorldConfig, *, steps: int, count: int
) -> E3TrajectorySelector:
    """E3 whose heads know both fields of a cell from its latent; only harm and benefit count."""
    generator = torch.Generator().manual_seed(seed)
    weights = E3Config(
        f_weight=0.0, rho=0.0, benefit_enabled=True, benefit_min_samples=0, warn_world_harm=False
    )
    e3 = E3TrajectorySelector(weights, generator=generator)
    inside = slice(1, config.size - 1)
    z, wanted = [], []
    for it in layouts(seed + 500_000, count, config.size):
        z.append(encoder(imagined(config, it)[inside, inside].reshape(-1, 250)))
        fields = [field(config, source)[inside, inside] for source in (it.hazard, it.resource)]
        wanted.append(torch.from_numpy(np.stack(fields, axis=-1, dtype=np.float32).reshape(-1, 2)))
    every, target = torch.cat(z), torch.cat(wanted)
    often = target.amax(dim=1).square()  # most cells are far from both
    optimiser = torch.optim.Adam(e3.parameters(), lr=3e-3)
    for _ in range(steps):
        rows = torch.multinomial(often, 256, replacement=True, generator=generator)
        heads = torch.stack([e3.harm_eval(every[rows]), e3.benefit_eval(every[rows])], dim=1)
        loss = mse_loss(heads, target[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return e3.requires_grad_(False)


@torch.no_grad()
def forage(
    latents: Tensor,
    e3: E3TrajectorySelector,
    precision: Precision,
    config: GridWorldConfig,
    trials: list[ForagingLayout],
    *,
    steps: int,
) -> ForagingOutcome:
    """Every trial at once: at each step the best of all 125 ways, weighted by the cue there.

    latents: of what is imagined [N, size, size, 32]. A trial ends where the resource is fetched.
    """
    worlds, seen = [CausalGridWorldV2(config) for _ in trials], []
    for world, it in zip(worlds, trials, strict=True):
        seen.append(world.reset_to(it.agent, [it.hazard], [it.resource])[0])
    fetched, hurt = [False] * len(trials), [False] * len(trials)
    for _ in range(steps):
        if all(fetched):
            break
        places = torch.tensor([it.world.agent for it in worlds])
        terrain = precision(torch.from_numpy(np.stack([it["world"] for it in seen])))
        best = e3.score(_ways(latents, places), terrain_weight=terrain).argmin(dim=0)
        for n, way in enumerate(best.tolist()):
            if fetched[n] or not worlds[n].world.running:
                continue
            seen[n], _, _, _, info = worlds[n].step(SEQUENCES[way][0])
            fetched[n] = info["transition_type"] == "resource"
            hurt[n] = hurt[n] or info["transition_type"] == "env_caused_hazard"
    return ForagingOutcome(fetched, hurt)


def _ways(latents: Tensor, places: Tensor) -> Trajectories:
    """All sequences [125, N, ...] from each agent's place, walls standing in the way."""
    agents, size = latents.shape[:2]
    sequences, moves = torch.tensor(SEQUENCES), torch.tensor(MOVES)
    at, every = places.expand(len(sequences), -1, -1), torch.arange(agents)
    passed = [at]
    for actions in sequences.unbind(1):
        at = (at + moves[actions].unsqueeze(1)).clamp(1, size - 2)
        passed.append(at)
    way = torch.stack(passed, dim=2)  # [125, N, 4, 2]
    states = latents[every[:, None], way[..., 0], way[..., 1]]
    actions = one_hot(sequences, 5).to(states).unsqueeze(1).expand(-1, agents, -1, -1)
    return Trajectories(states, states, actions, states.new_zeros(*actions.shape[:3], 16))


def _cells(rng: np.random.Generator, size: int) -> list[int]:
    return list(rng.choice((size - 2) ** 2, size=3, replace=False))


def _place(cell: int, size: int) -> Place:
    return 1 + cell // (size - 2), 1 + cell % (size - 2)


def _distance(a: Place, b: Place) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])
