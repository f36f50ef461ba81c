"""Scores of trajectories, in one pass over their states w_0 .. w_H.

F = mean_t |w_t+1 - w_t|^2                      M = sum_t sigmoid(harm(w_t))
Phi = sum_t residue(w_t)                        B = sum_t sigmoid(benefit(w_t))
G = sum_t 1 / (1 + |w_t - goal|^2)
residue(x) = sum_i weight_i exp(-|x - c_i|^2 / (2 bandwidth^2)) + 0.1 softplus(mlp(x))
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from . import compiled
from .shapes import expect, expect_count

HEAD = ("w1", "b1", "w2", "b2")
RESIDUE = ("centres", "centre_weights", "w1", "b1", "w2", "b2", "w3", "b3")
SMOOTH_SHARE = 0.1  # of the network in the residue


def score_trajectories(
    world_states: Tensor,
    harm: Sequence[Tensor],
    residue: Sequence[Tensor],
    *,
    bandwidth: float = 1.0,
    benefit: Sequence[Tensor] | None = None,
    goal: Tensor | None = None,
    harm_sigmoid: bool = True,
) -> Tensor:
    """[N, 5] with the columns F, M, Phi, B and G of the N trajectories [N, T, D], T >= 1.

    harm and benefit: w1 [E, D], b1 [E], w2 [1, E], b2 [1], ReLU between. residue: centres [P, D],
    their weights [P], w1 [E, D], b1, w2 [E', E], b2, w3 [1, E'], b3. goal [D]. B and G are 0
    where benefit and goal are not given, F where T is 1. Without `harm_sigmoid` M sums the raw
    head. Raises ValueError where a shape, dtype or device does not fit, or bandwidth is not
    above 0.
    """
    if compiled.available():
        scores: Tensor = torch.ops.prefrontal.score_trajectories(
            world_states, harm, residue, bandwidth, benefit or [], goal, harm_sigmoid
        )
        return scores
    return plain_score_trajectories(
        world_states,
        harm,
        residue,
        bandwidth=bandwidth,
        benefit=benefit,
        goal=goal,
        harm_sigmoid=harm_sigmoid,
    )


def plain_score_trajectories(
    world_states: Tensor,
    harm: Sequence[Tensor],
    residue: Sequence[Tensor],
    *,
    bandwidth: float = 1.0,
    benefit: Sequence[Tensor] | None = None,
    goal: Tensor | None = None,
    harm_sigmoid: bool = True,
) -> Tensor:
    """`score_trajectories` in plain torch: any dtype and device, vmap, double backward."""
    _check(world_states, harm, residue, bandwidth, benefit, goal)
    moved = (world_states[:, 1:] - world_states[:, :-1]).square().sum((1, 2))
    none = torch.zeros_like(moved)
    raw = _head(world_states, harm)
    columns = [
        moved / max(world_states.shape[1] - 1, 1),
        (torch.sigmoid(raw) if harm_sigmoid else raw).sum(1),
        plain_residue(world_states, residue, bandwidth).sum(1),
        torch.sigmoid(_head(world_states, benefit)).sum(1) if benefit else none,
        none if goal is None else (1.0 / (1.0 + _squares(world_states - goal))).sum(1),
    ]
    return torch.stack(columns, dim=1)


def plain_residue(x: Tensor, residue: Sequence[Tensor], bandwidth: float = 1.0) -> Tensor:
    """The residue [...] of points x [..., D]; `residue` as score_trajectories takes it."""
    centres, weights, w1, b1, w2, b2, w3, b3 = residue
    distances = _squares(x.unsqueeze(-2) - centres)
    marked = (weights * torch.exp(distances * (-0.5 / bandwidth**2))).sum(-1)
    hidden = functional.relu(functional.linear(x, w1, b1))
    hidden = functional.relu(functional.linear(hidden, w2, b2))
    smooth = functional.softplus(functional.linear(hidden, w3, b3)).squeeze(-1)
    return marked + SMOOTH_SHARE * smooth


def _squares(x: Tensor) -> Tensor:
    return x.square().sum(-1)


def _head(x: Tensor, head: Sequence[Tensor]) -> Tensor:
    w1, b1, w2, b2 = head
    return functional.linear(functional.relu(functional.linear(x, w1, b1)), w2, b2).squeeze(-1)


def _check(
    world_states: Tensor,
    harm: Sequence[Tensor],
    residue: Sequence[Tensor],
    bandwidth: float,
    benefit: Sequence[Tensor] | None,
    goal: Tensor | None,
) -> None:
    if not (math.isfinite(bandwidth) and bandwidth > 0.0):
        raise ValueError(f"bandwidth must be finite and above 0, got {bandwidth!r}")
    expect("world_states", world_states, None, None, None)
    _, states, width = world_states.shape
    if states == 0:
        shape = list(world_states.shape)
        raise ValueError(f"world_states must have at least one state, got shape {shape}")
    expect_count("residue", residue, RESIDUE)
    places = residue[0].shape[0]
    expect("residue centres", residue[0], places, width, like=world_states)
    expect("residue centre_weights", residue[1], places, like=world_states)
    _check_layers("residue", residue[2:], width, world_states)
    expect_count("harm", harm, HEAD)
    _check_layers("harm", harm, width, world_states)
    if benefit:
        expect_count("benefit", benefit, HEAD)
        _check_layers("benefit", benefit, width, world_states)
    if goal is not None:
        expect("goal", goal, width, like=world_states)


def _check_layers(name: str, layers: Sequence[Tensor], width: int, like: Tensor) -> None:
    last = len(layers) // 2
    for i in range(last):
        weight, bias = layers[2 * i : 2 * i + 2]
        expect(f"{name} w{i + 1}", weight, 1 if i + 1 == last else None, width, like=like)
        width = weight.shape[0]
        expect(f"{name} b{i + 1}", bias, width, like=like)
