"""An autoregressive rollout of an LSTM for training: dropout between layers, gradients by hand.

The formulas are those of `sequence`. Autograd would add up an outer product for each weight, layer
and step; here each weight's gradient is one product over all steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .sequence import Predictions, plain_lstm_rollout


def lstm_rollout_in_training(
    first: Tensor,
    h0: Tensor,
    c0: Tensor,
    lstm: Sequence[Tensor],
    output: Sequence[Tensor],
    masks: Tensor,
) -> Predictions:
    """Predictions [B, steps, 64] with first derivatives, and the last h and c without.

    Arguments as of `lstm_rollout`. masks: [steps, L - 1, B, 128], what the input of each layer but
    the first is multiplied by.
    """
    if torch.compiler.is_compiling():  # which takes no record of steps into its graph
        return plain_lstm_rollout(first, h0, c0, lstm, output, steps=len(masks), masks=masks)
    run: Any = _TrainedRollout.apply
    predictions: Predictions = run(first, h0, c0, masks, len(h0), *lstm, *output)
    return predictions


class _Layer(NamedTuple):
    """A layer's record of all steps, and views of it step by step. Gates: in the order i, f, o, g.

    `split` and `select` cost as much as the sums of a single row, so views are made at once.
    """

    weight: Tensor  # [4 H, inputs + H]
    bias: Tensor
    inputs: Tensor  # [T, B, inputs + H], x and h before
    gates: Tensor  # [T, B, 4 H]
    cells: Tensor  # [T + 1, B, H]
    views: tuple[tuple[Tensor, ...], ...]  # inputs, gates, i f o, i, f, o, g, cells

    @classmethod
    def empty(cls, weights: Sequence[Tensor], c0: Tensor, steps: int) -> _Layer:
        """Of the weights w_ih, w_hh, b_ih and b_hh, before the first step."""
        w_ih, w_hh, b_ih, b_hh = weights
        rows, wide = c0.shape
        weight = _swapped(torch.cat([w_ih, w_hh], dim=1), wide)
        inputs = c0.new_empty(steps, rows, weight.shape[1])
        gates = c0.new_empty(steps, rows, 4 * wide)
        cells = c0.new_empty(steps + 1, rows, wide)
        cells[0] = c0
        parts = (inputs, gates, gates[..., : 3 * wide], *gates.split(wide, dim=-1), cells)
        views = tuple(part.unbind(0) for part in parts)
        return cls(weight, _swapped(b_ih + b_hh, wide), inputs, gates, cells, views)

    def step(self, t: int, x: Tensor, h: Tensor) -> Tensor:
        """h [B, H] after step t."""
        inputs, gates, sigmoids, i, f, o, g, cells = self.views
        row = torch.cat([x, h], dim=1, out=inputs[t])
        torch.addmm(self.bias, row, self.weight.t(), out=gates[t])
        sigmoids[t].sigmoid_()
        g[t].tanh_()
        cell = torch.mul(f[t], cells[t], out=cells[t + 1]).addcmul_(i[t], g[t])
        return cell.tanh().mul_(o[t])


class _TrainedRollout(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        first: Tensor,
        h0: Tensor,
        c0: Tensor,
        masks: Tensor,
        layers: int,
        *parameters: Tensor,
    ) -> Predictions:
        steps, (w1, b1, w2, b2) = len(masks), parameters[4 * layers :]
        record = [_Layer.empty(parameters[4 * k : 4 * k + 4], c0[k], steps) for k in range(layers)]
        h, x = list(h0), first
        tops = first.new_empty(steps, *h0.shape[1:])
        hidden = first.new_empty(steps, len(first), len(b1))
        predictions = first.new_empty(steps, *first.shape)
        for t in range(steps):
            for k, layer in enumerate(record):
                h[k] = x = layer.step(t, x * masks[t, k - 1] if k else x, h[k])
            tops[t] = x
            torch.addmm(b1, x, w1.t(), out=hidden[t]).relu_()
            x = torch.addmm(b2, hidden[t], w2.t(), out=predictions[t])
        ctx.record, ctx.masks, ctx.output = record, masks, (w1, w2)
        ctx.outputs = tops, hidden
        ends = torch.stack(h), torch.stack([layer.cells[-1] for layer in record])
        ctx.mark_non_differentiable(*ends)
        return predictions.transpose(0, 1), *ends

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        record, masks, (w1, w2), (tops, hidden) = ctx.record, ctx.masks, ctx.output, ctx.outputs
        alive = (hidden > 0).to(hidden)
        d_predictions = gradient.transpose(0, 1).contiguous()
        d_hidden = torch.empty_like(hidden)
        slopes = [_Slopes.of(layer) for layer in record]
        dh = [torch.zeros_like(layer.cells[0]) for layer in record]
        dc = list(dh)
        dx = torch.zeros_like(d_predictions[0])
        for t in reversed(range(len(hidden))):
            d_predictions[t] += dx
            torch.mm(d_predictions[t], w2, out=d_hidden[t]).mul_(alive[t])
            dx = d_hidden[t] @ w1
            for k in reversed(range(len(record))):
                dx, dh[k], dc[k] = slopes[k].back(t, dx + dh[k], dc[k])
                if k:
                    dx = dx * masks[t, k - 1]
        flat = [it.flatten(0, 1) for it in (d_predictions, d_hidden, hidden, tops)]
        of_output = (flat[1].t() @ flat[3], flat[1].sum(0), flat[0].t() @ flat[2], flat[0].sum(0))
        of_layers = [it for layer in slopes for it in layer.of_weights()]
        return dx, torch.stack(dh), torch.stack(dc), None, None, *of_layers, *of_output


class _Slopes(NamedTuple):
    """The derivatives of a layer, and those of its gates [T, B, 4 H] as they are worked out."""

    layer: _Layer
    gradients: Tensor
    views: tuple[tuple[Tensor, ...], ...]  # of c to i, f and g and of h to o; of h to c; gradients

    @classmethod
    def of(cls, layer: _Layer) -> _Slopes:
        i, f, o, g = layer.gates.chunk(4, dim=-1)
        tanh = layer.cells[1:].tanh()
        parts = (g * i * (1 - i), layer.cells[:-1] * f * (1 - f), tanh * o * (1 - o))
        slopes = torch.cat([*parts, i * (1 - g * g)], dim=-1)
        gradients = torch.empty_like(slopes)
        views = (slopes.unbind(0), (o * (1 - tanh * tanh)).unbind(0), gradients.unbind(0))
        return cls(layer, gradients, views)

    def back(self, t: int, dh: Tensor, dc: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The gradients of x, of h and of c before step t, from those of h and c after it."""
        slopes, of_cell, gradients = self.views
        dc = torch.addcmul(dc, dh, of_cell[t])
        gates = torch.mul(slopes[t], torch.cat([dc, dc, dh, dc], dim=1), out=gradients[t])
        row = gates @ self.layer.weight
        wide = dc.shape[1]
        dx, dh = row.split([row.shape[1] - wide, wide], dim=1)
        return dx, dh, dc * self.layer.views[4][t]

    def of_weights(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The gradients of w_ih, w_hh, b_ih and b_hh."""
        wide = self.layer.cells.shape[-1]
        gates = _swapped(self.gradients.flatten(0, 1).t(), wide)
        weight = gates @ self.layer.inputs.flatten(0, 1)
        bias = gates.sum(1)
        return weight[:, :-wide], weight[:, -wide:], bias, bias


def _swapped(rows: Tensor, wide: int) -> Tensor:
    """Rows i, f, g, o in the order i, f, o, g, the three sigmoids side by side; or back."""
    first, third, last = rows.split([2 * wide, wide, wide])
    return torch.cat([first, last, third])
