"""Batched rollouts of E2: many action sequences at once, without an environment.

At each step the action object is read from the state *before* the transition; then both transitions
are taken (MLP: Linear, ReLU, ..., Linear):

    o_t = MLP([z_world, a]) + bias
    z_self' = z_self + MLP([z_self, A_s a]),  z_world' = z_world + MLP([z_world, A_w a])
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import linear, relu

from . import compiled
from .shapes import expect, expect_count

E2_PARAMETERS = (
    "self_action_weight",
    "self_action_bias",
    "self_weight_1",
    "self_bias_1",
    "self_weight_2",
    "self_bias_2",
    "self_weight_3",
    "self_bias_3",
    "world_action_weight",
    "world_action_bias",
    "world_weight_1",
    "world_bias_1",
    "world_weight_2",
    "world_bias_2",
    "object_weight_1",
    "object_bias_1",
    "object_weight_2",
    "object_bias_2",
)
"""What the tensors of `parameters` are, in their order."""

Rollout = tuple[Tensor, Tensor, Tensor]


def rollout(
    z_self: Tensor,
    z_world: Tensor,
    actions: Tensor,
    parameters: Sequence[Tensor],
    bias: Tensor | None = None,
) -> Rollout:
    """States [N, H+1, 32], world states [N, H+1, 32] and action objects [N, H, 16] of N sequences.

    `z_self` and `z_world` are [N, 32], `actions` [N, H, A], `bias` [16], [1, 16] or [N, 16];
    `parameters` are the 18 tensors of `E2_PARAMETERS`, as torch's Linear keeps them. All sizes
    follow from the shapes. With gradients the plain form runs, so a rollout can be differentiated
    any number of times. ValueError where a shape, dtype or device does not fit.
    """
    if compiled.available():
        states: Rollout = torch.ops.prefrontal.rollout(z_self, z_world, actions, parameters, bias)
        return states
    return plain_rollout(z_self, z_world, actions, parameters, bias)


def plain_rollout(
    z_self: Tensor,
    z_world: Tensor,
    actions: Tensor,
    parameters: Sequence[Tensor],
    bias: Tensor | None = None,
) -> Rollout:
    """`rollout` in plain torch: any dtype and device, vmap, double backward."""
    _check(z_self, z_world, actions, parameters, bias)
    return roll(z_self, z_world, actions, parameters, bias)


def roll(
    z_self: Tensor,
    z_world: Tensor,
    actions: Tensor,
    parameters: Sequence[Tensor],
    bias: Tensor | None,
) -> Rollout:
    """The plain form of arguments that were checked."""
    states, world_states, objects = [z_self], [z_world], []
    for action in actions.unbind(1):
        objects.append(action_object(world_states[-1], action, parameters, bias))
        states.append(next_self(states[-1], action, parameters))
        world_states.append(next_world(world_states[-1], action, parameters))
    stacked = torch.stack(objects, 1) if objects else _no_objects(actions, parameters)
    return torch.stack(states, 1), torch.stack(world_states, 1), stacked


def next_self(z_self: Tensor, action: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    """z_self [N, 32] after `action` [N, A]."""
    return z_self + mlp(_joined(z_self, linear(action, *parameters[0:2])), parameters[2:8])


def next_world(z_world: Tensor, action: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    """z_world [N, 32] after `action` [N, A]."""
    return z_world + mlp(_joined(z_world, linear(action, *parameters[8:10])), parameters[10:14])


def action_object(
    z_world: Tensor, action: Tensor, parameters: Sequence[Tensor], bias: Tensor | None = None
) -> Tensor:
    """What `action` [N, A] means in `z_world` [N, 32]: [N, 16]; the bias is added last."""
    meaning = mlp(_joined(z_world, action), parameters[14:18])
    return meaning if bias is None else meaning + bias


def mlp(x: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    """Linear layers (weight, bias, weight, bias, ...) with ReLU between them."""
    for at in range(0, len(parameters) - 2, 2):
        x = relu(linear(x, parameters[at], parameters[at + 1]))
    return linear(x, parameters[-2], parameters[-1])


def _check(
    z_self: Tensor,
    z_world: Tensor,
    actions: Tensor,
    parameters: Sequence[Tensor],
    bias: Tensor | None,
) -> None:
    expect("z_self", z_self, None, None)
    rows = z_self.shape[0]
    expect("z_world", z_world, rows, None, like=z_self)
    expect("actions", actions, rows, None, None, like=z_self)
    check_e2(parameters, z_self, z_world.shape[1], actions.shape[2])
    if bias is not None:
        check_bias(bias, rows, parameters[16])


def check_bias(bias: Tensor, rows: int, object_weight: Tensor) -> None:
    """Refuse a bias that is not one action object, or one for each of the rows."""
    width = object_weight.shape[0]
    if bias.dim() == 1:
        expect("bias", bias, width, like=object_weight)
    else:
        expect("bias", bias, 1 if bias.shape[0] == 1 else rows, width, like=object_weight)


def check_e2(parameters: Sequence[Tensor], z_self: Tensor, world_dim: int, action_dim: int) -> None:
    """Refuse by name parameters that do not fit each other or the given sizes."""
    expect_count("parameters", parameters, E2_PARAMETERS)
    self_dim = z_self.shape[1]
    self_inputs = self_dim + parameters[1].shape[0]
    world_inputs = world_dim + parameters[9].shape[0]
    _check_layers(parameters, (0,), action_dim, None, z_self)
    _check_layers(parameters, (2, 4, 6), self_inputs, self_dim, z_self)
    _check_layers(parameters, (8,), action_dim, None, z_self)
    _check_layers(parameters, (10, 12), world_inputs, world_dim, z_self)
    _check_layers(parameters, (14, 16), world_dim + action_dim, None, z_self)


def _check_layers(
    parameters: Sequence[Tensor],
    places: Sequence[int],
    inputs: int,
    outputs: int | None,
    like: Tensor,
) -> None:
    for at in places:
        rows = outputs if at == places[-1] else None
        expect(f"parameters' {E2_PARAMETERS[at]}", parameters[at], rows, inputs, like=like)
        inputs = parameters[at].shape[0]
        expect(f"parameters' {E2_PARAMETERS[at + 1]}", parameters[at + 1], inputs, like=like)


def _joined(z: Tensor, action: Tensor) -> Tensor:
    return torch.cat([z, action], -1)


def _no_objects(actions: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    return actions.new_empty(actions.shape[0], 0, parameters[16].shape[0])
