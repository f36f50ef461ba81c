"""The gated rule state: its update and its bias over candidates.

rule <- (1 - step) rule + step (delta_proj z_delta + pool world_proj z_world)
bias_k = bound(head [rule, summary_k]),  bound(x) = clamp(x, -scale, scale) or scale tanh(x / scale)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from . import compiled
from .shapes import expect


def rule_update(
    rule: Tensor,
    z_delta: Tensor,
    z_world: Tensor,
    delta_weight: Tensor,
    delta_bias: Tensor,
    world_weight: Tensor,
    world_bias: Tensor,
    *,
    step: float,
    pool: float,
) -> Tensor:
    """The moved rule, shaped like `rule`.

    `rule` [1, R] follows the mean over the rows of z_delta and z_world ([B, D], B >= 1); `rule`
    [N, R] with N != 1 has a row of each for every rule. Weights [R, D], biases [R]. `step` is
    eta times the gate; 0 gives back the rule to the bit, whatever the rest holds. Raises
    ValueError where a shape, dtype or device does not fit, or step is negative or not finite.
    """
    if compiled.available():
        moved: Tensor = torch.ops.prefrontal.rule_update(
            rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step, pool
        )
        return moved
    return plain_rule_update(
        rule,
        z_delta,
        z_world,
        delta_weight,
        delta_bias,
        world_weight,
        world_bias,
        step=step,
        pool=pool,
    )


def plain_rule_update(
    rule: Tensor,
    z_delta: Tensor,
    z_world: Tensor,
    delta_weight: Tensor,
    delta_bias: Tensor,
    world_weight: Tensor,
    world_bias: Tensor,
    *,
    step: float,
    pool: float,
) -> Tensor:
    """`rule_update` in plain torch: any dtype and device, vmap, double backward."""
    if not (math.isfinite(step) and step >= 0.0):
        raise ValueError(f"step must be finite and at least 0, got {step!r}")
    if not math.isfinite(pool):
        raise ValueError(f"pool must be finite, got {pool!r}")
    expect("rule", rule, None, None)
    rules, width = rule.shape
    expect("z_delta", z_delta, None, None, like=rule)
    rows = z_delta.shape[0] if rules == 1 else rules
    expect("z_delta", z_delta, max(rows, 1) if rules == 1 else rules, None, like=rule)
    expect("z_world", z_world, rows, None, like=rule)
    expect("delta_weight", delta_weight, width, z_delta.shape[1], like=rule)
    expect("delta_bias", delta_bias, width, like=rule)
    expect("world_weight", world_weight, width, z_world.shape[1], like=rule)
    expect("world_bias", world_bias, width, like=rule)
    if step == 0.0:
        return rule.clone()
    if rules == 1:
        z_delta, z_world = z_delta.mean(0, keepdim=True), z_world.mean(0, keepdim=True)
    source = functional.linear(z_delta, delta_weight, delta_bias)
    source = source + pool * functional.linear(z_world, world_weight, world_bias)
    return (1.0 - step) * rule + step * source


def rule_bias(
    summaries: Tensor,
    rule: Tensor,
    w1: Tensor,
    b1: Tensor,
    w2: Tensor,
    b2: Tensor,
    *,
    scale: float,
    tanh: bool = False,
    centred: bool = False,
) -> Tensor:
    """The bias [K] of candidates with summaries [K, S] under the rule [1, R].

    Summaries [N, K, S] under rules [N, R] give [N, K]. The head: w1 [H, R + S], b1 [H], ReLU,
    w2 [1, H], b2 [1]. `tanh` bounds smoothly; `centred` takes the mean over the candidates off
    the summaries (K >= 2). Raises ValueError where a shape, dtype or device does not fit, or
    scale is not above 0.
    """
    if compiled.available():
        bias: Tensor = torch.ops.prefrontal.rule_bias(
            summaries, rule, w1, b1, w2, b2, scale, tanh, centred
        )
        return bias
    return plain_rule_bias(summaries, rule, w1, b1, w2, b2, scale=scale, tanh=tanh, centred=centred)


def plain_rule_bias(
    summaries: Tensor,
    rule: Tensor,
    w1: Tensor,
    b1: Tensor,
    w2: Tensor,
    b2: Tensor,
    *,
    scale: float,
    tanh: bool = False,
    centred: bool = False,
) -> Tensor:
    """`rule_bias` in plain torch: any dtype and device, vmap, double backward."""
    if not (math.isfinite(scale) and scale > 0.0):
        raise ValueError(f"scale must be finite and above 0, got {scale!r}")
    expect("summaries", summaries, *(None,) * (3 if summaries.dim() == 3 else 2))
    several = summaries.dim() == 3
    expect("rule", rule, summaries.shape[0] if several else 1, None, like=summaries)
    inputs = rule.shape[1] + summaries.shape[-1]
    expect("w1", w1, None, inputs, like=summaries)
    expect("b1", b1, w1.shape[0], like=summaries)
    expect("w2", w2, 1, w1.shape[0], like=summaries)
    expect("b2", b2, 1, like=summaries)
    if centred and summaries.shape[-2] > 1:
        summaries = summaries - summaries.mean(-2, keepdim=True)
    of_rule, of_summary = w1[:, : rule.shape[1]], w1[:, rule.shape[1] :]
    shared = functional.linear(rule, of_rule, b1)
    if several:
        shared = shared.unsqueeze(1)
    hidden = functional.relu(functional.linear(summaries, of_summary) + shared)
    raw = functional.linear(hidden, w2, b2).squeeze(-1)
    return scale * torch.tanh(raw / scale) if tanh else raw.clamp(-scale, scale)
