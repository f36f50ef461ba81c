"""One training step of the terrain weights, forward and backward in one call.

loss = scale * sum_i MSE(terrain[:, i], target[:, i])     ("mean": of all numbers alike)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from . import compiled
from .cue import plain_context_read
from .shapes import expect, expect_count

PARAMETERS = (
    *("memory", "query_weight", "query_bias", "key_weight", "value_weight", "value_bias"),
    *("output_weight", "output_bias", "terrain_weight", "terrain_bias"),
)


def terrain_step(
    z: Tensor,
    target: Tensor,
    parameters: Sequence[Tensor],
    gradients: Sequence[Tensor],
    *,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    key_bias_gradient: Tensor | None = None,
    log_tau_gradient: Tensor | None = None,
    cosine: bool = False,
    scale: float = 1.0,
    reduction: Literal["sum", "mean"] = "sum",
    accumulate: bool = False,
) -> Tensor:
    """The loss [] of the cues z [B, 32] against target [B, 2]; its gradients go into `gradients`.

    parameters and gradients are in the order of PARAMETERS (those of `cue_context` without the
    action head, which the loss does not reach); gradients are shaped like them, as .grad is, and
    are overwritten, or added to with `accumulate`. reduction "sum": the MSEs of both columns added;
    "mean": their mean. Raises ValueError where a shape, dtype or device does not fit; then no
    gradient was written.
    """
    if reduction not in ("sum", "mean"):
        raise ValueError(f"reduction must be 'sum' or 'mean', got {reduction!r}")
    weight = scale if reduction == "sum" else scale / 2
    step = torch.ops.prefrontal.terrain_step if compiled.available() else _plain_step
    loss: Tensor = step(
        *(z, target, parameters, gradients, key_bias, log_tau, key_bias_gradient),
        *(log_tau_gradient, cosine, weight, accumulate),
    )
    return loss


def _plain_step(
    z: Tensor,
    target: Tensor,
    parameters: Sequence[Tensor],
    gradients: Sequence[Tensor],
    key_bias: Tensor | None,
    log_tau: Tensor | None,
    key_bias_gradient: Tensor | None,
    log_tau_gradient: Tensor | None,
    cosine: bool,
    weight: float,
    accumulate: bool,
) -> Tensor:
    if not math.isfinite(weight):
        raise ValueError(f"scale must be finite, got {weight!r}")
    expect_count("parameters", parameters, PARAMETERS)
    expect_count("gradients", gradients, PARAMETERS)
    own = dict(zip(PARAMETERS, parameters, strict=True))
    into = dict(zip(PARAMETERS, gradients, strict=True))
    _add_pair("key_bias", key_bias, key_bias_gradient, own, into)
    _add_pair("log_tau", log_tau, log_tau_gradient, own, into)
    leaves = {name: each.detach().requires_grad_() for name, each in own.items()}
    if torch.is_grad_enabled() and (z.requires_grad or target.requires_grad):
        raise ValueError(
            "z and target must not require a gradient, which terrain_step does not give"
        )
    with torch.enable_grad():
        loss = weight * _loss(z.detach(), target.detach(), leaves, cosine)
        found = torch.autograd.grad(loss, list(leaves.values()))
    _check_gradients(own, into)
    if not accumulate:
        _check_apart(list(into.values()), [*own.values(), z, target])
    with torch.no_grad():
        for out, gradient in zip(into.values(), found, strict=True):
            out.add_(gradient) if accumulate else out.copy_(gradient)
    return loss.detach()


def _loss(z: Tensor, target: Tensor, leaves: dict[str, Tensor], cosine: bool) -> Tensor:
    heads = ("terrain_weight", "terrain_bias")
    read = {name: each for name, each in leaves.items() if name not in heads}
    expect("z", z, None, None)
    context, _ = plain_context_read(z, **read, cosine=cosine)
    expect("terrain_weight", leaves[heads[0]], None, context.shape[1], like=z)
    expect("terrain_bias", leaves[heads[1]], leaves[heads[0]].shape[0], like=z)
    terrain = torch.sigmoid(functional.linear(context, leaves[heads[0]], leaves[heads[1]]))
    expect("target", target, *terrain.shape, like=z)
    return (terrain - target).square().mean(0).sum()


def _add_pair(
    name: str,
    parameter: Tensor | None,
    gradient: Tensor | None,
    own: dict[str, Tensor],
    into: dict[str, Tensor],
) -> None:
    if (parameter is None) != (gradient is None):
        found = "none" if gradient is None else "one"
        raise ValueError(f"{name}_gradient must be given exactly where {name} is, got {found}")
    if parameter is not None and gradient is not None:
        own[name], into[name] = parameter, gradient


def _check_gradients(own: dict[str, Tensor], into: dict[str, Tensor]) -> None:
    for name, gradient in into.items():
        expect(f"gradient of {name}", gradient, *own[name].shape, like=own[name])
        if gradient.requires_grad:
            raise ValueError(f"gradient of {name} must not require a gradient of its own")
        if any(
            n > 1 and step == 0 for n, step in zip(gradient.shape, gradient.stride(), strict=True)
        ):
            asked = "must have a place for each number"
            raise ValueError(f"gradient of {name} {asked}, got strides {list(gradient.stride())}")


def _check_apart(written: Sequence[Tensor], read: Sequence[Tensor]) -> None:
    kept = [each for i, each in enumerate(written) for other in written[:i] if each is other]
    if kept or any(each is other for each in written for other in read):
        asked = "must not overlap each other or what is read"
        raise ValueError(f"gradients {asked}, got the same memory")
