"""The parameters of LSTM layers: torch.nn.LSTM's, without its module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

Hidden = tuple[Tensor, Tensor]

_PARTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class RecurrentLayers(nn.Module):
    """The parameters of torch.nn.LSTM: their names, shapes, order and first values.

    The operators step with them; torch.compile takes no graph with an nn.LSTM in it.
    """

    weight_hh_l0: Tensor

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

    def masks(self, like: Tensor, steps: int, generator: torch.Generator | None = None) -> Tensor:
        """What drops out [steps, layers - 1, B, hidden]: 0, or 1 / (1 - dropout).

        like: [B, inputs], of the same dtype and device. generator: None: torch's own.
        """
        hidden = self.weight_hh_l0.shape[1]
        mask = like.new_empty(steps, self.layers - 1, len(like), hidden)
        mask.bernoulli_(1 - self.dropout, generator=generator)
        return mask / max(1 - self.dropout, 1e-12)
