"""Gradients with a graph of their own, where the arguments of a read depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from prefrontal.control import ops

from ..cue_cases import cue_case, cue_of, read_case, read_of, terrain_weights

Loss = Callable[[Sequence[Tensor]], Tensor]


def twice_read(tensors: Sequence[Tensor]) -> Tensor:
    """What is read with is what was read: it depends on the memory that is read."""
    first, _ = read_of(ops.context_read, *tensors)
    context, weights = read_of(ops.context_read, first, *tensors[1:])
    loss: Tensor = context.square().sum() + weights[:, 0].sum()
    return loss


def tied(tensors: Sequence[Tensor]) -> Tensor:
    """Keys and values by one layer, and a key bias made of the memory."""
    own = list(tensors)
    own[5], own[6] = own[4], own[3]
    context, weights = read_of(ops.context_read, *own, key_bias=own[1].mean(0))
    loss: Tensor = context.square().sum() + weights[:, 0].sum()
    return loss


def twice_cued(tensors: Sequence[Tensor]) -> Tensor:
    action, _ = cue_of(ops.cue_context, *tensors)
    both = torch.cat([action, action], 1)
    action, terrain = cue_of(ops.cue_context, both, *tensors[1:])
    loss: Tensor = action.square().sum() + terrain.sum()
    return loss


def gradients(loss: Loss, tensors: Sequence[Tensor], *, graph: bool = False) -> Sequence[Tensor]:
    used = [each for i, each in enumerate(tensors) if loss is not tied or i not in (5, 6)]
    return torch.autograd.grad(loss(tensors), used, create_graph=graph)


def second(loss: Loss, tensors: Sequence[Tensor]) -> Tensor:
    """The gradient of the gradients' squares with respect to the memory."""
    squares = [each.square().sum() for each in gradients(loss, tensors, graph=True)]
    return torch.autograd.grad(torch.stack(squares).sum(), tensors[1])[0]


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("loss", [twice_read, tied, twice_cued])
def test_a_graph_of_the_gradients_changes_none_of_them(loss: Loss, rows: int) -> None:
    case = cue_case(rows) if loss is twice_cued else read_case(rows, inputs=16)
    tensors = [each.requires_grad_() for each in case.to(torch.float32)]
    doubles = [each.requires_grad_() for each in case.to(torch.float64)]
    wanted = gradients(loss, doubles)
    for graph in (False, True):
        for one, other in zip(gradients(loss, tensors, graph=graph), wanted, strict=True):
            assert torch.allclose(one.double(), other, rtol=1e-4, atol=1e-5)
    exact = second(loss, doubles)
    gap = float((second(loss, tensors).double() - exact).abs().max())
    assert gap < 1e-4 * float(exact.abs().max())


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_step_is_compiled_whole(dtype: torch.dtype) -> None:
    tensors = cue_case().to(dtype)
    parameters = [*tensors[1:9], *tensors[11:13]]
    target = torch.rand(3, 2, dtype=dtype)

    def step(given: list[Tensor]) -> Tensor:
        own, into = terrain_weights(parameters), terrain_weights(given)
        return ops.terrain_step(tensors[0], target, own, into)

    ours, wanted = ([torch.zeros_like(each) for each in parameters] for _ in range(2))
    torch._dynamo.reset()
    whole = torch.compile(step, fullgraph=True, backend="aot_eager")
    assert torch.equal(whole(ours), step(wanted))
    assert all(torch.equal(one, other) for one, other in zip(ours, wanted, strict=True))
