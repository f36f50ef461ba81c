"""The cross-entropy method over action objects, for many agents at once and differentiably.

ops.propose is the same for one agent, in one call. Here candidates and agents are rows of one
rollout; the only loop is that of the iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from ..ops.proposal import SMALLEST_STD
from .trajectory import Trajectories

if TYPE_CHECKING:
    from .e2 import E2FastPredictor
    from .residue import ResidueField

Refit = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Action objects [K, B, H, 16] and scores [K, B] -> mean and standard deviation [B, H, 16]."""


def search(
    e2: E2FastPredictor,
    decoder: nn.Module,
    residue_field: ResidueField,
    latents: tuple[Tensor, Tensor],
    mean: Tensor,
    noise: Tensor,
    refit: Refit,
    action_bias: Tensor | None,
) -> Trajectories:
    """The candidates of the last iteration, for B agents.

    latents: z_self and z_world [B, 32]; mean: [B, H, 16], around which the first iteration draws
    with a deviation of 1; noise: standard normal [I, K, B, H, 16]; action_bias: [B, 16] or
    [1, 16].
    """
    std = torch.ones_like(mean)
    for iteration, drawn in enumerate(noise, start=1):
        candidates = _rolled_out(e2, decoder, latents, mean + std * drawn, action_bias)
        scores = residue_field(candidates.world_states).sum(-1)
        if iteration < len(noise):
            mean, std = refit(candidates.action_objects, scores)
    return Trajectories(
        candidates.states,
        candidates.world_states,
        candidates.actions,
        candidates.action_objects,
        scores,
    )


def hard_refit(n_elite: int) -> Refit:
    """On the n_elite candidates with the least residue; the deviation is unbiased."""

    def refit(objects: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        best = torch.argsort(scores, dim=0, stable=True)[:n_elite]
        places = best[..., None, None].expand(-1, -1, *objects.shape[2:])
        elites = objects.gather(0, places)
        mean = elites.mean(dim=0)
        variance = (elites - mean).square().sum(dim=0) / (n_elite - 1)
        return mean, variance.sqrt() + SMALLEST_STD

    return refit


def soft_refit(temperature: float) -> Refit:
    """On all candidates, weighted by softmax(-score / temperature): differentiable throughout."""

    def refit(objects: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        weights = torch.softmax(-scores / temperature, dim=0)[..., None, None]
        mean = (weights * objects).sum(dim=0)
        variance = (weights * (objects - mean).square()).sum(dim=0)
        return mean, (variance + SMALLEST_STD**2).sqrt()

    return refit


def _rolled_out(
    e2: E2FastPredictor,
    decoder: nn.Module,
    latents: tuple[Tensor, Tensor],
    objects: Tensor,
    action_bias: Tensor | None,
) -> Trajectories:
    leading = objects.shape[:2]
    if action_bias is not None and len(action_bias) > 1:
        action_bias = action_bias.expand(*leading, -1).flatten(0, 1)
    z_self, z_world = (it.expand(*leading, -1).flatten(0, 1) for it in latents)
    actions: Tensor = decoder(objects).flatten(0, 1)
    flat = e2.rollout_with_world(z_self, z_world, actions, action_bias)
    parts = (flat.states, flat.world_states, flat.actions, flat.action_objects)
    return Trajectories(*(it.reshape(*leading, *it.shape[1:]) for it in parts))
