"""The rollout for training: what autograd makes of the formulas, with dropout between layers."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from prefrontal.control.ops.sequence import plain_lstm_rollout
from prefrontal.control.ops.sequence_training import lstm_rollout_in_training

INPUTS, CELLS, HIDDEN = 5, 7, 6
Arguments = tuple[Tensor, Tensor, Tensor, list[Tensor], list[Tensor], Tensor]


def arguments(layers: int, rows: int, steps: int) -> Arguments:
    generator = torch.Generator().manual_seed(layers * rows + steps)

    def normal(*shape: int) -> Tensor:
        drawn = torch.randn(*shape, dtype=torch.float64, generator=generator)
        return (drawn * 0.4).requires_grad_()

    lstm = []
    for layer in range(layers):
        lstm += [normal(4 * CELLS, CELLS if layer else INPUTS), normal(4 * CELLS, CELLS)]
        lstm += [normal(4 * CELLS), normal(4 * CELLS)]
    output = [normal(HIDDEN, CELLS), normal(HIDDEN), normal(INPUTS, HIDDEN), normal(INPUTS)]
    kept = torch.rand(steps, layers - 1, rows, CELLS, dtype=torch.float64, generator=generator)
    masks = (kept > 0.3).double() / 0.7
    states = normal(layers, rows, CELLS), normal(layers, rows, CELLS)
    return normal(rows, INPUTS), *states, lstm, output, masks


@pytest.mark.parametrize(("layers", "rows", "steps"), [(1, 1, 1), (3, 1, 5), (3, 4, 6), (2, 2, 20)])
def test_predictions_and_gradients_are_those_of_autograd(
    layers: int, rows: int, steps: int
) -> None:
    given = arguments(layers, rows, steps)
    wanted, found = (
        plain_lstm_rollout(*given[:5], steps=steps, masks=given[5]),
        lstm_rollout_in_training(*given),
    )
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)
    assert not found[1].requires_grad and not found[2].requires_grad
    weight = torch.randn_like(wanted[0])
    leaves = [*given[:3], *given[3], *given[4]]
    mine, autograd = (
        torch.autograd.grad((it * weight).sum(), leaves) for it in (found[0], wanted[0])
    )
    for one, other in zip(mine, autograd, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)
