"""An autoregressive rollout of an LSTM: E1's predictions.

i, f, g, o = W x + b + U h + b',  c' = sigmoid(f) c + sigmoid(i) tanh(g),  h' = sigmoid(o) tanh(c')
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import linear

from . import compiled
from .rollouts import mlp
from .shapes import expect, expect_count

LAYER = ("w_ih", "w_hh", "b_ih", "b_hh")
OUTPUT = ("w1", "b1", "w2", "b2")

Predictions = tuple[Tensor, Tensor, Tensor]


def lstm_rollout(
    first: Tensor,
    h0: Tensor,
    c0: Tensor,
    lstm: Sequence[Tensor],
    output: Sequence[Tensor],
    *,
    steps: int,
) -> Predictions:
    """Predictions [B, steps, 64] from `first` [B, 64], and the last h and c [L, B, 128].

    A step runs the L layers and then the output MLP (Linear, ReLU, Linear); its result is a
    prediction and the next step's input. `lstm` has w_ih, w_hh, b_ih and b_hh for each layer and
    `output` w1, b1, w2 and b2, as torch keeps them. There is no dropout: this is for inference,
    though with gradients the plain form runs. Raises ValueError where a shape, dtype or device
    does not fit, or steps is negative.
    """
    if compiled.available():
        operator = torch.ops.prefrontal.lstm_rollout
        predictions: Predictions = operator(first, h0, c0, lstm, output, steps)
        return predictions
    return plain_lstm_rollout(first, h0, c0, lstm, output, steps=steps)


def plain_lstm_rollout(
    first: Tensor,
    h0: Tensor,
    c0: Tensor,
    lstm: Sequence[Tensor],
    output: Sequence[Tensor],
    *,
    steps: int,
    masks: Tensor | None = None,
) -> Predictions:
    """`lstm_rollout` in plain torch: any dtype and device, vmap, double backward.

    masks: [steps, L - 1, B, 128], what the input of each layer but the first is multiplied by.
    """
    _check(first, h0, c0, lstm, output, steps)
    h, c = list(h0.unbind(0)), list(c0.unbind(0))
    x, predictions = first, []
    for step in range(steps):
        for layer in range(len(h)):
            if masks is not None and layer:
                x = x * masks[step, layer - 1]
            parameters = lstm[4 * layer : 4 * layer + 4]
            h[layer], c[layer] = cell(x, h[layer], c[layer], parameters)
            x = h[layer]
        x = mlp(x, output)
        predictions.append(x)
    none = first.new_empty(first.shape[0], 0, first.shape[1])
    return torch.stack(predictions, 1) if predictions else none, torch.stack(h), torch.stack(c)


def cell(x: Tensor, h: Tensor, c: Tensor, parameters: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """h and c [B, 128] after one step of one layer."""
    w_ih, w_hh, b_ih, b_hh = parameters
    i, f, g, o = (linear(x, w_ih, b_ih) + linear(h, w_hh, b_hh)).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _check(
    first: Tensor,
    h0: Tensor,
    c0: Tensor,
    lstm: Sequence[Tensor],
    output: Sequence[Tensor],
    steps: int,
) -> None:
    if steps < 0:
        raise ValueError(f"steps must be at least 0, got {steps!r}")
    expect("first", first, None, None)
    rows, width = first.shape
    expect("h0", h0, None, rows, None, like=first)
    layers, _, cells = h0.shape
    if layers == 0:
        raise ValueError(f"h0 must have a layer, got {list(h0.shape)}")
    expect("c0", c0, layers, rows, cells, like=first)
    expect_count("lstm", lstm, LAYER * layers)
    expect_count("output", output, OUTPUT)
    for layer in range(layers):
        w_ih, w_hh, b_ih, b_hh = lstm[4 * layer : 4 * layer + 4]
        inputs = cells if layer else width
        expect(f"lstm's w_ih of layer {layer}", w_ih, 4 * cells, inputs, like=first)
        expect(f"lstm's w_hh of layer {layer}", w_hh, 4 * cells, cells, like=first)
        expect(f"lstm's b_ih of layer {layer}", b_ih, 4 * cells, like=first)
        expect(f"lstm's b_hh of layer {layer}", b_hh, 4 * cells, like=first)
    hidden = output[0].shape[0]
    expect("output's w1", output[0], None, cells, like=first)
    expect("output's b1", output[1], hidden, like=first)
    expect("output's w2", output[2], width, hidden, like=first)
    expect("output's b2", output[3], width, like=first)
