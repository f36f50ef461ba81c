"""Reading the context memory: with a state as it is, or with a cue and through the two heads.

q = W_q x + b_q,  K = M W_k^T (+ b_k),  V = M W_v^T + b_v        M [S, D], x [B, Q]
scores = q K^T / tau, or D cos(q, k) / tau for cosine
tau = sqrt(D), or exp(log_tau) + 0.001
weights = softmax(scores),  context = (weights V) W_o^T + b_o
action = W_a context + b_a, or W_a [context, z] + b_a;  terrain = sigmoid(W_t context + b_t)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from . import compiled
from .shapes import expect


def context_read(
    x: Tensor,
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    *,
    cosine: bool = False,
) -> tuple[Tensor, Tensor]:
    """(context [B, C], weights [B, S]) read from the slots `memory` [S, D] with x [B, Q].

    Weights of the layers are [outputs, inputs], log_tau is [1] or []. Every row of the weights
    sums to 1. Both results are differentiable. Raises ValueError where a shape, dtype or device
    does not fit.
    """
    tensors = (
        *(x, memory, query_weight, query_bias, key_weight, value_weight, value_bias),
        *(output_weight, output_bias, key_bias, log_tau),
    )
    if compiled.available():
        context, weights = torch.ops.prefrontal.context_read(*tensors, cosine)
        return context, weights
    return plain_context_read(*tensors, cosine=cosine)


def plain_context_read(
    x: Tensor,
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    *,
    cosine: bool = False,
) -> tuple[Tensor, Tensor]:
    """`context_read` in plain torch: any dtype and device, vmap, double backward."""
    expect("x", x, None, None)
    width, depth = x.shape[1], memory.shape[-1]
    expect("memory", memory, None, depth, like=x)
    expect("query_weight", query_weight, depth, width, like=x)
    expect("query_bias", query_bias, depth, like=x)
    expect("key_weight", key_weight, depth, depth, like=x)
    expect("value_weight", value_weight, depth, depth, like=x)
    expect("value_bias", value_bias, depth, like=x)
    expect("output_weight", output_weight, None, depth, like=x)
    expect("output_bias", output_bias, output_weight.shape[0], like=x)
    if key_bias is not None:
        expect("key_bias", key_bias, depth, like=x)
    query = functional.linear(x, query_weight, query_bias)
    key = functional.linear(memory, key_weight, key_bias)
    if cosine:
        query = functional.normalize(query, dim=-1, eps=1e-12)
        key = functional.normalize(key, dim=-1, eps=1e-12)
    weights = torch.softmax(query @ key.T * _sharpness(x, depth, log_tau, cosine), dim=-1)
    value = functional.linear(memory, value_weight, value_bias)
    return functional.linear(weights @ value, output_weight, output_bias), weights


def _sharpness(x: Tensor, depth: int, log_tau: Tensor | None, cosine: bool) -> float | Tensor:
    whole = float(depth) if cosine else 1.0
    if log_tau is None:
        return whole / math.sqrt(depth)
    expect("log_tau", log_tau, *(1,) * min(log_tau.dim(), 1), like=x)
    return torch.reciprocal(log_tau.exp() + 1e-3) * whole


def cue_context(
    z: Tensor,
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    action_weight: Tensor,
    action_bias: Tensor,
    terrain_weight: Tensor,
    terrain_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    *,
    cosine: bool = False,
) -> tuple[Tensor, Tensor]:
    """(action [B, A], terrain [B, T]) of the cues z [B, Q]; terrain lies in 0 to 1.

    The first parameters are those of `context_read`. action_weight is [A, C], or [A, C + Q] where
    the head reads the cue beside the context. Raises ValueError where a shape, dtype or device
    does not fit.
    """
    tensors = (
        *(z, memory, query_weight, query_bias, key_weight, value_weight, value_bias),
        *(output_weight, output_bias, action_weight, action_bias, terrain_weight, terrain_bias),
        *(key_bias, log_tau),
    )
    if compiled.available():
        action, terrain = torch.ops.prefrontal.cue_context(*tensors, cosine)
        return action, terrain
    return plain_cue_context(*tensors, cosine=cosine)


def plain_cue_context(
    z: Tensor,
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    action_weight: Tensor,
    action_bias: Tensor,
    terrain_weight: Tensor,
    terrain_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    *,
    cosine: bool = False,
) -> tuple[Tensor, Tensor]:
    """`cue_context` in plain torch: any dtype and device, vmap, double backward."""
    expect("z", z, None, None)
    context, _ = plain_context_read(
        *(z, memory, query_weight, query_bias, key_weight, value_weight, value_bias),
        *(output_weight, output_bias, key_bias, log_tau),
        cosine=cosine,
    )
    read = output_weight.shape[0]
    direct = action_weight.shape[-1] != read
    expect("action_weight", action_weight, None, read + z.shape[1] if direct else read, like=z)
    expect("action_bias", action_bias, action_weight.shape[0], like=z)
    expect("terrain_weight", terrain_weight, None, read, like=z)
    expect("terrain_bias", terrain_bias, terrain_weight.shape[0], like=z)
    seen = torch.cat([context, z], dim=-1) if direct else context
    action = functional.linear(seen, action_weight, action_bias)
    return action, torch.sigmoid(functional.linear(context, terrain_weight, terrain_bias))
