"""LSTM layers that can be compiled: torch.nn.LSTM's parameters, without its module."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

Hidden = tuple[Tensor, Tensor]

_PARTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class RecurrentLayers(nn.Module):
    """The parameters of torch.nn.LSTM: their names, shapes, order and first values.

    torch.compile takes no graph with an nn.LSTM in it; this one steps by itself.
    """

    def __init__(self, inputs: int, hidden: int, layers: int, dropout: float) -> None:
        """dropout: between the layers, in training."""
        super().__init__()
        self.layers, self.dropout = layers, dropout
        for layer in range(layers):
            width = hidden if layer else inputs
            shapes = ((4 * hidden, width), (4 * hidden, hidden), (4 * hidden,), (4 * hidden,))
            for name, shape in zip(_PARTS, shapes, strict=True):
                self.register_parameter(f"{name}_l{layer}", nn.Parameter(torch.empty(shape)))
        bound = hidden**-0.5
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    @property
    def drops(self) -> bool:
        """Whether a step draws random numbers now."""
        return self.training and self.dropout > 0

    def forward(
        self, x: Tensor, hidden: Hidden, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Hidden]:
        """One step of x [B, inputs]: the output [B, hidden], then h and c [layers, B, hidden].

        generator: of what drops out; None: torch's own.
        """
        found_h, found_c = [], []
        for layer in range(self.layers):
            if layer and self.drops:
                x = _dropped(x, self.dropout, generator)
            weights = [getattr(self, f"{name}_l{layer}") for name in _PARTS]
            x, c = torch.lstm_cell(x, (hidden[0][layer], hidden[1][layer]), *weights)
            found_h.append(x)
            found_c.append(c)
        return x, (torch.stack(found_h), torch.stack(found_c))


def _dropped(x: Tensor, share: float, generator: torch.Generator | None) -> Tensor:
    if generator is None:
        return functional.dropout(x, share)
    mask = torch.empty_like(x).bernoulli_(1 - share, generator=generator)
    return x * mask / max(1 - share, 1e-12)
