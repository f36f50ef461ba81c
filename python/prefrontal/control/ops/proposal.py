"""Proposals of action sequences by the cross-entropy method in the space of action objects.

For each of I iterations: K sequences of H action objects are drawn, decoded into actions and rolled
out by E2; the elites are those whose world states carry the least residue; mean and deviation are
refitted on the action objects that E2 gives for the elites. The last iteration's candidates are the
proposals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from . import compiled
from .rollouts import action_object, check_bias, check_e2, mlp, next_world, roll
from .scores import RESIDUE, plain_residue
from .shapes import expect, expect_count

DECODER = ("w1", "b1", "w2", "b2")
SMALLEST_STD = 1e-6  # added to the deviation at each refit

Proposal = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def propose(
    z_self: Tensor,
    z_world: Tensor,
    mean: Tensor,
    noise: Tensor,
    decoder: Sequence[Tensor],
    parameters: Sequence[Tensor],
    residue: Sequence[Tensor],
    *,
    n_elite: int,
    bias: Tensor | None = None,
    bandwidth: float = 1.0,
) -> Proposal:
    """K candidates: states and world states [K, H+1, 32], actions [K, H, A], action objects
    [K, H, 16] and the residue [K] of their world states.

    `z_self` and `z_world` are [1, 32], `mean` [H, 16] is where the first iteration draws around
    (deviation 1), `noise` [I, K, H, 16] the standard normal numbers of I >= 1 iterations; nothing
    is drawn here. `decoder` (16 -> A), `parameters` (`rollouts.E2_PARAMETERS`) and `residue` (as
    score_trajectories takes it) are lists as torch keeps them. 2 <= n_elite <= K; of equal
    scores the earlier candidate wins. With gradients the plain form runs; the choice of elites
    has none. Raises ValueError where a shape, dtype, device or number does not fit.
    """
    tensors = (z_self, z_world, mean, noise, decoder, parameters, residue)
    if compiled.available():
        proposal: Proposal = torch.ops.prefrontal.propose(*tensors, n_elite, bias, bandwidth)
        return proposal
    return plain_propose(*tensors, n_elite=n_elite, bias=bias, bandwidth=bandwidth)


def plain_propose(
    z_self: Tensor,
    z_world: Tensor,
    mean: Tensor,
    noise: Tensor,
    decoder: Sequence[Tensor],
    parameters: Sequence[Tensor],
    residue: Sequence[Tensor],
    *,
    n_elite: int,
    bias: Tensor | None = None,
    bandwidth: float = 1.0,
) -> Proposal:
    """`propose` in plain torch: any dtype and device, vmap, double backward."""
    _check(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias, bandwidth)
    iterations, candidates, horizon, _ = noise.shape
    rows = (candidates, -1)
    centre, std = mean, torch.ones_like(mean)
    for iteration in range(iterations - 1):
        actions = mlp(centre + std * noise[iteration], decoder)
        worlds = _world_states(z_world.expand(rows), actions, parameters)
        scores = plain_residue(worlds, residue, bandwidth).sum(1)
        elites = torch.argsort(scores, stable=True)[:n_elite]
        chosen, objects = actions[elites], []
        for t in range(horizon):
            objects.append(action_object(worlds[elites, t], chosen[:, t], parameters, bias))
        refitted = torch.stack(objects, 1)
        centre, std = refitted.mean(0), refitted.std(0) + SMALLEST_STD
    actions = mlp(centre + std * noise[-1], decoder)
    states, worlds, action_objects = roll(
        z_self.expand(rows), z_world.expand(rows), actions, parameters, bias
    )
    return states, worlds, actions, action_objects, plain_residue(worlds, residue, bandwidth).sum(1)


def _world_states(z_world: Tensor, actions: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    states = [z_world]
    for action in actions.unbind(1):
        states.append(next_world(states[-1], action, parameters))
    return torch.stack(states, 1)


def _check(
    z_self: Tensor,
    z_world: Tensor,
    mean: Tensor,
    noise: Tensor,
    decoder: Sequence[Tensor],
    parameters: Sequence[Tensor],
    residue: Sequence[Tensor],
    n_elite: int,
    bias: Tensor | None,
    bandwidth: float,
) -> None:
    if not (math.isfinite(bandwidth) and bandwidth > 0.0):
        raise ValueError(f"bandwidth must be finite and above 0, got {bandwidth!r}")
    expect("z_self", z_self, 1, None)
    expect("z_world", z_world, 1, None, like=z_self)
    expect("mean", mean, None, None, like=z_self)
    horizon, width = mean.shape
    expect("noise", noise, None, None, horizon, width, like=z_self)
    iterations, candidates = noise.shape[:2]
    if iterations == 0 or horizon == 0:
        raise ValueError(f"noise must have an iteration and a step, got {list(noise.shape)}")
    if not 2 <= n_elite <= candidates:
        raise ValueError(f"n_elite must be from 2 to {candidates} candidates, got {n_elite!r}")
    action_dim = _check_decoder(decoder, width, z_self)
    check_e2(parameters, z_self, z_world.shape[1], action_dim)
    expect("parameters' object_weight_2", parameters[16], width, None)
    _check_residue(residue, z_world)
    if bias is not None:
        check_bias(bias, 1, parameters[16])


def _check_decoder(decoder: Sequence[Tensor], width: int, like: Tensor) -> int:
    expect_count("decoder", decoder, DECODER)
    hidden, actions = decoder[0].shape[0], decoder[2].shape[0]
    expect("decoder's w1", decoder[0], None, width, like=like)
    expect("decoder's b1", decoder[1], hidden, like=like)
    expect("decoder's w2", decoder[2], None, hidden, like=like)
    expect("decoder's b2", decoder[3], actions, like=like)
    return actions


def _check_residue(residue: Sequence[Tensor], like: Tensor) -> None:
    expect_count("residue", residue, RESIDUE)
    places, width = residue[0].shape[0], like.shape[1]
    expect("residue centres", residue[0], None, width, like=like)
    expect("residue centre_weights", residue[1], places, like=like)
    for at in (2, 4, 6):
        expect(f"residue {RESIDUE[at]}", residue[at], 1 if at == 6 else None, width, like=like)
        width = residue[at].shape[0]
        expect(f"residue {RESIDUE[at + 1]}", residue[at + 1], width, like=like)
