"""The terrain loss and its gradients in one call, for learning from one cue after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..ops.terrain import terrain_step
from .e1_cue import CuePath

if TYPE_CHECKING:
    from torch import Tensor


def can_be_fused(e1: CuePath) -> bool:
    """Whether slots are read by the softmax alone, and all that the loss reaches is trained."""
    return e1.is_plain and all(it.requires_grad for it in _reached(e1))


def fused_terrain_step(
    e1: CuePath, z_world: Tensor, target: Tensor, *, scale: float = 1.0
) -> Tensor:
    """Adds the gradients of scale x terrain loss to the `.grad` of the cue path; the loss [].

    z_world: [B, 32], target: [B, 2].
    """
    parameters = _reached(e1)
    key_bias, log_tau = e1.optional_parameters()
    required = parameters[:10]
    return terrain_step(
        z_world.detach(),
        target,
        required,
        [_gradient(it) for it in required],
        key_bias=key_bias,
        log_tau=log_tau,
        key_bias_gradient=None if key_bias is None else _gradient(key_bias),
        log_tau_gradient=None if log_tau is None else _gradient(log_tau),
        cosine=e1.config.memory.attention == "cosine",
        scale=scale,
        reduction=e1.config.terrain.reduction,
        accumulate=True,
    )


def _reached(e1: CuePath) -> list[Tensor]:
    """The ten that `ops.terrain.terrain_step` names, in its order, then those that may be there."""
    memory = e1.context_memory
    required = [
        *(memory.memory, e1.world_query_proj.weight, e1.world_query_proj.bias),
        *(memory.key_proj.weight, memory.value_proj.weight, memory.value_proj.bias),
        *(memory.output_proj.weight, memory.output_proj.bias),
        *(e1.cue_terrain_proj.weight, e1.cue_terrain_proj.bias),
    ]
    return required + [it for it in e1.optional_parameters() if it is not None]


def _gradient(parameter: Tensor) -> Tensor:
    if parameter.grad is None:
        parameter.grad = torch.zeros_like(parameter)
    return parameter.grad
