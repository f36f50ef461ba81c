"""Layers with torch's initialisation from a given generator, not the global one."""

from __future__ import annotations

import math

import torch
from torch import nn

__all__ = ["seeded_gru_cell", "seeded_linear"]


def seeded_linear(
    inputs: int, outputs: int, *, bias: bool = True, generator: torch.Generator | None = None
) -> nn.Linear:
    """A Linear with uniform weights within 1 / sqrt(inputs).

    generator: None draws from torch's default, the numbers that nn.Linear itself would draw.
    """
    layer = nn.Linear(inputs, outputs, bias=bias, device="meta")
    _draw(layer, inputs, generator)
    return layer


def seeded_gru_cell(
    inputs: int, hidden: int, *, generator: torch.Generator | None = None
) -> nn.GRUCell:
    """A GRUCell with uniform weights within 1 / sqrt(hidden), as seeded_linear."""
    cell = nn.GRUCell(inputs, hidden, device="meta")
    _draw(cell, hidden, generator)
    return cell


def _draw(layer: nn.Module, width: int, generator: torch.Generator | None) -> None:
    """Initialise a layer on meta."""
    bound = 1 / math.sqrt(width)
    for name, shape in [(name, it.shape) for name, it in layer.named_parameters()]:
        drawn = torch.empty(shape).uniform_(-bound, bound, generator=generator)
        setattr(layer, name, nn.Parameter(drawn))
