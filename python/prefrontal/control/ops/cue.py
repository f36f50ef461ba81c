"""Reading the context memory: with a state as it is, or with a cue and through the two heads.

q = W_q x + b_q,  K = M W_k^T (+ b_k),  V = M W_v^T + b_v        M [S, D], x [B, Q]
scores = q K^T / tau, or D cos(q, k) / tau for cosine
tau = sqrt(D), or exp(log_tau) + 0.001
weights = softmax(scores),  context = (weights V) W_o^T + b_o
action = W_a context + b_a, or W_a [context, z] + b_a;  terrain = sigmoid(W_t context + b_t)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from . import compiled
from .shapes import expect


class MemoryWeights(NamedTuple):
    """The slots M [S, D] and the layers around them, weights [outputs, inputs].

    log_tau: [1] or []; without one the temperature is sqrt(D).
    """

    slots: Tensor
    query_weight: Tensor
    query_bias: Tensor
    key_weight: Tensor
    value_weight: Tensor
    value_bias: Tensor
    output_weight: Tensor
    output_bias: Tensor
    key_bias: Tensor | None = None
    log_tau: Tensor | None = None


REQUIRED = 8
"""How many fields of MemoryWeights are required."""


class CueHeads(NamedTuple):
    """The heads from a context [B, C] to an action [B, A] and a terrain [B, T].

    action_weight: [A, C], or [A, C + Q] where the head reads the cue beside the context.
    """

    action_weight: Tensor
    action_bias: Tensor
    terrain_weight: Tensor
    terrain_bias: Tensor


def context_read(
    x: Tensor, memory: MemoryWeights, *, cosine: bool = False
) -> tuple[Tensor, Tensor]:
    """(context [B, C], weights [B, S]) read from the slots with x [B, Q].

    Every row of the weights sums to 1. Both results are differentiable. Raises ValueError where a
    shape, dtype or device does not fit.
    """
    if compiled.available():
        operator = torch.ops.prefrontal.context_read
        context, weights = operator(x, *memory, cosine)
        return context, weights
    return plain_context_read(x, memory, cosine=cosine)


def plain_context_read(
    x: Tensor, memory: MemoryWeights, *, cosine: bool = False
) -> tuple[Tensor, Tensor]:
    """`context_read` in plain torch: any dtype and device, vmap, double backward."""
    expect("x", x, None, None)
    _check_memory(x, memory)
    query = functional.linear(x, memory.query_weight, memory.query_bias)
    key = functional.linear(memory.slots, memory.key_weight, memory.key_bias)
    if cosine:
        query = functional.normalize(query, dim=-1, eps=1e-12)
        key = functional.normalize(key, dim=-1, eps=1e-12)
    sharpness = _sharpness(x, memory.slots.shape[-1], memory.log_tau, cosine)
    weights = torch.softmax(query @ key.T * sharpness, dim=-1)
    value = functional.linear(memory.slots, memory.value_weight, memory.value_bias)
    return functional.linear(weights @ value, memory.output_weight, memory.output_bias), weights


def cue_context(
    z: Tensor, memory: MemoryWeights, heads: CueHeads, *, cosine: bool = False
) -> tuple[Tensor, Tensor]:
    """(action [B, A], terrain [B, T]) of the cues z [B, Q]; terrain lies in 0 to 1.

    Both are differentiable. Raises ValueError where a shape, dtype or device does not fit.
    """
    if compiled.available():
        operator = torch.ops.prefrontal.cue_context
        parts = (*memory[:REQUIRED], *heads, *memory[REQUIRED:])
        action, terrain = operator(z, *parts, cosine)
        return action, terrain
    return plain_cue_context(z, memory, heads, cosine=cosine)


def plain_cue_context(
    z: Tensor, memory: MemoryWeights, heads: CueHeads, *, cosine: bool = False
) -> tuple[Tensor, Tensor]:
    """`cue_context` in plain torch: any dtype and device, vmap, double backward."""
    expect("z", z, None, None)
    context, _ = plain_context_read(z, memory, cosine=cosine)
    width = memory.output_weight.shape[0]
    direct = heads.action_weight.shape[-1] != width
    expect("action_weight", heads.action_weight, None, width + z.shape[1] * direct, like=z)
    expect("action_bias", heads.action_bias, heads.action_weight.shape[0], like=z)
    expect("terrain_weight", heads.terrain_weight, None, width, like=z)
    expect("terrain_bias", heads.terrain_bias, heads.terrain_weight.shape[0], like=z)
    seen = torch.cat([context, z], dim=-1) if direct else context
    terrain = functional.linear(context, heads.terrain_weight, heads.terrain_bias)
    return functional.linear(seen, heads.action_weight, heads.action_bias), torch.sigmoid(terrain)


def _check_memory(x: Tensor, memory: MemoryWeights) -> None:
    width, depth = x.shape[1], memory.slots.shape[-1]
    expect("slots", memory.slots, None, depth, like=x)
    expect("query_weight", memory.query_weight, depth, width, like=x)
    expect("query_bias", memory.query_bias, depth, like=x)
    expect("key_weight", memory.key_weight, depth, depth, like=x)
    expect("value_weight", memory.value_weight, depth, depth, like=x)
    expect("value_bias", memory.value_bias, depth, like=x)
    expect("output_weight", memory.output_weight, None, depth, like=x)
    expect("output_bias", memory.output_bias, memory.output_weight.shape[0], like=x)
    if memory.key_bias is not None:
        expect("key_bias", memory.key_bias, depth, like=x)


def _sharpness(x: Tensor, depth: int, log_tau: Tensor | None, cosine: bool) -> float | Tensor:
    whole = float(depth) if cosine else 1.0
    if log_tau is None:
        return whole / math.sqrt(depth)
    expect("log_tau", log_tau, *(1,) * min(log_tau.dim(), 1), like=x)
    return torch.reciprocal(log_tau.exp() + 1e-3) * whole
