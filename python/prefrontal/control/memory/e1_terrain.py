"""The terrain loss and its gradients in one call, for learning from one cue after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..ops.cue import MemoryWeights
from ..ops.terrain import TerrainWeights, terrain_step

if TYPE_CHECKING:
    from torch import Tensor

    from .e1_cue import CuePath


def can_be_fused(e1: CuePath) -> bool:
    """Whether slots are read by the softmax alone, and all that the loss reaches is trained."""
    if not (e1.is_plain and e1.has_plain_layers):
        return False
    return all(each.requires_grad for each in _parameters(e1).named().values())


def fused_terrain_step(
    e1: CuePath, z_world: Tensor, target: Tensor, *, scale: float = 1.0
) -> Tensor:
    """Adds the gradients of scale x terrain loss to the `.grad` of the cue path; the loss [].

    z_world: [B, 32], target: [B, 2].
    """
    parameters = _parameters(e1)
    memory = parameters.memory
    into = MemoryWeights._make(None if each is None else _gradient(each) for each in memory)
    return terrain_step(
        z_world.detach(),
        target,
        parameters,
        TerrainWeights(into, _gradient(parameters.weight), _gradient(parameters.bias)),
        cosine=e1.config.memory.attention == "cosine",
        scale=scale,
        reduction=e1.config.terrain.reduction,
        accumulate=True,
    )


def _parameters(e1: CuePath) -> TerrainWeights:
    return TerrainWeights(e1.cue_memory(), e1.cue_terrain_proj.weight, e1.cue_terrain_proj.bias)


def _gradient(parameter: Tensor) -> Tensor:
    if parameter.grad is None:
        parameter.grad = torch.zeros_like(parameter)
    return parameter.grad
