"""Random walks through many grid worlds, and the world's latent learned from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from ..layers import mlp
from ..world.vector_env import CausalGridWorldVecEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..world.grid_world_config import GridWorldConfig


@dataclass(frozen=True, slots=True, eq=False)
class Walks:
    """T steps of W worlds, float32 unless said; step t leads from row t to row t + 1.

    body [T + 1, W, 12], world [.., 250], harm [.., 51], harm_a [.., 50]; actions int64 [T, W];
    signals [T, W], below 0 harm; running bool [T, W], False where step t was the reset after an
    end.
    """

    body: Tensor
    world: Tensor
    harm: Tensor
    harm_a: Tensor
    actions: Tensor
    signals: Tensor
    running: Tensor

    def before(self, name: str) -> Tensor:
        """Rows [N, ...] of an observation before each step that ran."""
        rows: Tensor = getattr(self, name)[:-1][self.running]
        return rows

    def after(self, name: str) -> Tensor:
        """Rows [N, ...] of an observation after each step that ran."""
        rows: Tensor = getattr(self, name)[1:][self.running]
        return rows


def random_walks(seed: int, worlds: int, steps: int, config: GridWorldConfig) -> Walks:
    """Walks by uniform actions; the seed decides layouts, drift and actions."""
    env = CausalGridWorldVecEnv(worlds, config)
    rng = np.random.default_rng([seed, worlds, steps])
    actions = rng.integers(5, size=(steps, worlds))
    observation, _ = env.reset(seed=[int(it) for it in rng.integers(2**31, size=worlds)])
    seen: dict[str, list[NDArray[np.float32]]] = {k: [v] for k, v in observation.items()}
    signals, running, ended = [], [], np.zeros(worlds, dtype=bool)
    for chosen in actions:
        running.append(~ended)
        observation, rewards, terminated, truncated, _ = env.step(chosen)
        for name, it in observation.items():
            seen[name].append(it)
        signals.append(rewards)
        ended = terminated | truncated
    return Walks(
        **{name: torch.from_numpy(np.stack(it)) for name, it in seen.items()},
        actions=torch.from_numpy(actions),
        signals=torch.from_numpy(np.stack(signals).astype(np.float32)),
        running=torch.from_numpy(np.stack(running)),
    )


def learned_encoder(
    observations: Tensor, seed: int, *, width: int = 32, steps: int = 1500, batch: int = 256
) -> nn.Sequential:
    """An encoder [N, 250] -> [N, width]: the lower half of an autoencoder of the observations.

    Nothing tells it what a hazard is. Its output has about unit variance on the observations, and
    takes no gradient.
    """
    generator = torch.Generator().manual_seed(seed)
    inputs = observations.shape[1]
    encoder = mlp(inputs, 64, width, generator=generator)
    decoder = mlp(width, 64, inputs, generator=generator)
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=2e-3)
    for _ in range(steps):
        rows = torch.randint(len(observations), (batch,), generator=generator)
        seen = observations[rows]
        loss = mse_loss(decoder(encoder(seen)), seen)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return _whitened(encoder, observations).requires_grad_(False)


@torch.no_grad()
def _whitened(encoder: nn.Sequential, observations: Tensor) -> nn.Sequential:
    """The encoder with its last layer shifted and scaled to mean 0 and mean variance 1."""
    latents = encoder(observations)
    scale = latents.var(dim=0).mean().sqrt().clamp(min=1e-6)
    last = encoder[-1]
    assert isinstance(last, nn.Linear)
    last.weight /= scale
    last.bias.copy_((last.bias - latents.mean(dim=0)) / scale)
    return encoder
