"""Small networks, and their tensors as operators take them."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from .seeded_layers import seeded_linear


def mlp(*sizes: int, generator: torch.Generator | None = None) -> nn.Sequential:
    """Linear layers of these sizes with ReLU between them, none after the last.

    The layers are number 0, 2, 4 ... in the state_dict.
    """
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [seeded_linear(inputs, outputs, generator=generator), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def is_plain_linear(layer: nn.Module) -> bool:
    """Whether calling the layer is its weight and bias alone: no hook, wrapper or other class."""
    hooks = (
        layer._forward_hooks,
        layer._forward_pre_hooks,
        layer._backward_hooks,
        layer._backward_pre_hooks,
    )
    return type(layer) is nn.Linear and not any(hooks) and "forward" not in layer.__dict__


def layer_tensors(network: nn.Module) -> list[Tensor]:
    """Weight and bias of each linear layer, first layer first."""
    layers = list(network._modules.values()) or [network]
    return [it for layer in layers if layer is not None for it in _own(layer)]


def _own(layer: nn.Module) -> list[Tensor]:
    return [it for it in layer._parameters.values() if it is not None]
