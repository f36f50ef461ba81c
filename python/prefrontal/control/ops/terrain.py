"""One training step of the terrain weights, forward and backward in one call.

loss = scale * sum_i MSE(terrain[:, i], target[:, i])     ("mean": of all numbers alike)
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from . import compiled
from .cue import REQUIRED, MemoryWeights, plain_context_read
from .shapes import expect


class TerrainWeights(NamedTuple):
    """The parameters that the terrain loss reaches: `cue_context`'s without the action head."""

    memory: MemoryWeights
    weight: Tensor
    bias: Tensor

    def required(self) -> list[Tensor]:
        """The required tensors, in the order of the operator."""
        return [*self.memory[:REQUIRED], self.weight, self.bias]  # type: ignore[list-item]

    def named(self) -> dict[str, Tensor]:
        """All given tensors, by name."""
        named = {**self.memory._asdict(), "terrain_weight": self.weight, "terrain_bias": self.bias}
        return {name: tensor for name, tensor in named.items() if tensor is not None}


def terrain_step(
    z: Tensor,
    target: Tensor,
    parameters: TerrainWeights,
    gradients: TerrainWeights,
    *,
    cosine: bool = False,
    scale: float = 1.0,
    reduction: Literal["sum", "mean"] = "sum",
    accumulate: bool = False,
) -> Tensor:
    """The loss [] of the cues z [B, 32] against target [B, 2]; its gradients go into `gradients`.

    gradients are shaped like the parameters, as .grad is, and are overwritten, or added to with
    `accumulate`. reduction "sum": the MSEs of both columns added; "mean": their mean. Raises
    ValueError where a shape, dtype or device does not fit; then no gradient was written.
    """
    if reduction not in ("sum", "mean"):
        raise ValueError(f"reduction must be 'sum' or 'mean', got {reduction!r}")
    weight = scale if reduction == "sum" else scale / 2
    if not compiled.available():
        return _plain_step(z, target, parameters, gradients, cosine, weight, accumulate)
    loss: Tensor = torch.ops.prefrontal.terrain_step(
        *(z, target, parameters.required(), gradients.required()),
        *(*parameters.memory[REQUIRED:], *gradients.memory[REQUIRED:]),
        *(cosine, weight, accumulate),
    )
    return loss


def _plain_step(
    z: Tensor,
    target: Tensor,
    parameters: TerrainWeights,
    gradients: TerrainWeights,
    cosine: bool,
    weight: float,
    accumulate: bool,
) -> Tensor:
    if not math.isfinite(weight):
        raise ValueError(f"scale must be finite, got {weight!r}")
    _check_pairs(parameters.memory, gradients.memory)
    own, into = parameters.named(), gradients.named()
    leaves = {name: tensor.detach().requires_grad_() for name, tensor in own.items()}
    if torch.is_grad_enabled() and (z.requires_grad or target.requires_grad):
        raise ValueError(
            "z and target must not require a gradient, which terrain_step does not give"
        )
    with torch.enable_grad():
        loss = weight * _loss(z.detach(), target.detach(), leaves, cosine)
        fresh = torch.autograd.grad(loss, list(leaves.values()))
    _check_gradients(own, into)
    if not accumulate:
        _check_apart(list(into.values()), [*own.values(), z, target])
    with torch.no_grad():
        for gradient, new in zip(into.values(), fresh, strict=True):
            gradient.add_(new) if accumulate else gradient.copy_(new)
    return loss.detach()


def _loss(z: Tensor, target: Tensor, leaves: dict[str, Tensor], cosine: bool) -> Tensor:
    weight, bias = leaves["terrain_weight"], leaves["terrain_bias"]
    heads = ("terrain_weight", "terrain_bias")
    memory = MemoryWeights(**{name: leaf for name, leaf in leaves.items() if name not in heads})
    expect("z", z, None, None)
    context, _ = plain_context_read(z, memory, cosine=cosine)
    expect("terrain_weight", weight, None, context.shape[1], like=z)
    expect("terrain_bias", bias, weight.shape[0], like=z)
    terrain = torch.sigmoid(functional.linear(context, weight, bias))
    expect("target", target, *terrain.shape, like=z)
    return (terrain - target).square().mean(0).sum()


def _check_pairs(memory: MemoryWeights, gradients: MemoryWeights) -> None:
    for name in MemoryWeights._fields[REQUIRED:]:
        gradient = getattr(gradients, name)
        if (getattr(memory, name) is None) != (gradient is None):
            state = "none" if gradient is None else "one"
            raise ValueError(f"{name}_gradient must be given exactly where {name} is, got {state}")


def _check_gradients(own: dict[str, Tensor], into: dict[str, Tensor]) -> None:
    for name, gradient in into.items():
        expect(f"gradient of {name}", gradient, *own[name].shape, like=own[name])
        if gradient.requires_grad:
            raise ValueError(f"gradient of {name} must not require a gradient of its own")
        strides = gradient.stride()
        if any(n > 1 and step == 0 for n, step in zip(gradient.shape, strides, strict=True)):
            rule = "must have a place for each number"
            raise ValueError(f"gradient of {name} {rule}, got strides {list(strides)}")


def _check_apart(written: list[Tensor], read: list[Tensor]) -> None:
    twins = [one for i, one in enumerate(written) for other in written[:i] if one is other]
    if twins or any(one is other for one in written for other in read):
        rule = "must not overlap each other or what is read"
        raise ValueError(f"gradients {rule}, got the same memory")
