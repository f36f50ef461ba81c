"""terrain_step gives the loss and the gradients that autograd gives for the written loss."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from prefrontal.control.ops import compiled
from prefrontal.control.ops.cue import plain_context_read
from prefrontal.control.ops.terrain import terrain_step

from ..cue_cases import cue_case, read_of, terrain_weights
from ..operator_cases import drawn
from ..operator_contract import largest_gap


@pytest.fixture(params=["operator", "plain"], autouse=True)
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setattr(compiled, "available", lambda: False)
    elif not compiled.available():
        pytest.skip("prefrontal._torch was not built here")
    return str(request.param)


def step_tensors(rows: int) -> tuple[Tensor, Tensor, list[Tensor]]:
    """z, target and the ten parameters that are always there."""
    z, *own = cue_case(rows).tensors
    return z, torch.sigmoid(drawn(rows, 2, seed=40)), own[:8] + own[10:12]


def step(
    z: Tensor, target: Tensor, own: list[Tensor], into: list[Tensor], **options: Any
) -> Tensor:
    return terrain_step(z, target, terrain_weights(own), terrain_weights(into), **options)


def empty_like(tensors: list[Tensor]) -> list[Tensor]:
    return [torch.full_like(each, math.nan) for each in tensors]


def written_loss(z: Tensor, target: Tensor, own: list[Tensor], **options: Any) -> Tensor:
    """Section 1.3 of the specification: the sum of both columns' MSEs."""
    context, _ = read_of(plain_context_read, z, *own[:8], **options)
    terrain = torch.sigmoid(functional.linear(context, *own[8:10]))
    return functional.mse_loss(terrain[:, 0], target[:, 0]) + functional.mse_loss(
        terrain[:, 1], target[:, 1]
    )


@pytest.mark.parametrize("rows", [1, 3, 8, 70])
@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_loss_and_gradients_are_those_of_autograd(
    rows: int, cosine: bool, dtype: torch.dtype
) -> None:
    z, target, own = step_tensors(rows)
    exact = [each.double().requires_grad_() for each in own]
    loss = 0.1 * written_loss(z.double(), target.double(), exact, cosine=cosine)
    wanted = torch.autograd.grad(loss, exact)
    own = [each.to(dtype).requires_grad_() for each in own]
    found = empty_like([each.detach() for each in own])
    got = step(z.to(dtype), target.to(dtype), own, found, cosine=cosine, scale=0.1)
    assert got.shape == () and not got.requires_grad and largest_gap(got, loss.detach()) <= 1e-6
    for one, other in zip(found, wanted, strict=True):
        assert largest_gap(one, other) <= 2e-6


def test_the_mean_is_half_of_the_sum() -> None:
    z, target, own = step_tensors(3)
    both = [(empty_like(own), reduction) for reduction in ("sum", "mean")]
    losses = [step(z, target, own, into, reduction=reduction) for into, reduction in both]
    assert torch.equal(losses[1], losses[0] / 2)
    assert all(
        torch.equal(mean, total / 2) for mean, total in zip(both[1][0], both[0][0], strict=True)
    )


def test_gradients_are_overwritten_or_added_to_as_asked() -> None:
    z, target, own = step_tensors(1)
    once = empty_like(own)
    step(z, target, own, once)
    twice = [each.clone() for each in once]
    versions = [each._version for each in twice]
    step(z, target, own, twice, accumulate=True)
    assert all(torch.equal(two, 2 * one) for two, one in zip(twice, once, strict=True))
    assert all(now._version > before for now, before in zip(twice, versions, strict=True))
    strided = [each.mT.contiguous().mT if each.dim() > 1 else each for each in empty_like(own)]
    step(z, target, own, strided)
    assert all(map(torch.equal, strided, once))


@pytest.mark.parametrize("cosine", [False, True])
def test_the_optional_parameters_get_gradients_too(cosine: bool) -> None:
    z, target, own = step_tensors(3)
    bias, tau = drawn(16, seed=41), torch.tensor([1.2])
    exact = [each.double().requires_grad_() for each in (*own, bias, tau)]
    options = {"key_bias": exact[10], "log_tau": exact[11], "cosine": cosine}
    loss = written_loss(z.double(), target.double(), exact[:10], **options)
    wanted = torch.autograd.grad(loss, exact)
    found = empty_like([*own, bias, tau])
    into = terrain_weights(found[:10], found[10], found[11])
    terrain_step(z, target, terrain_weights(own, bias, tau), into, cosine=cosine)
    assert float(wanted[11].abs().max()) > 1e-4
    for one, other in zip(found, wanted, strict=True):
        assert float((one - other).abs().max()) <= 2e-6


def test_no_rows_have_no_mean_and_give_no_gradient() -> None:
    z, target, own = step_tensors(0)
    found = empty_like(own)
    loss = step(z, target, own, found)
    assert loss.isnan()
    assert all(torch.equal(each.nan_to_num(), torch.zeros_like(each)) for each in found)


def test_steps_down_the_gradient_reach_the_target() -> None:
    z, _, own = step_tensors(1)
    target = torch.tensor([[0.8, 0.3]])
    gradients = empty_like(own)
    losses = []
    for _ in range(60):
        losses.append(float(step(z, target, own, gradients)))
        for parameter, gradient in zip(own, gradients, strict=True):
            parameter.sub_(0.05 * gradient)
    assert losses[-1] < 1e-3 < losses[0]


def test_what_does_not_fit_is_refused_by_name_and_writes_nothing() -> None:
    z, target, own = step_tensors(2)
    found = empty_like(own)
    with pytest.raises(ValueError, match=r"^target must have shape \[2, 2\], got \[2, 1\]$"):
        step(z, target[:, :1], own, found)
    with pytest.raises(ValueError, match=r"^reduction must be 'sum' or 'mean', got 'max'$"):
        step(z, target, own, found, reduction="max")
    with pytest.raises(ValueError, match=r"^scale must be finite, got nan$"):
        step(z, target, own, found, scale=math.nan)
    with pytest.raises(
        ValueError, match=r"^gradient of key_weight must have shape \[16, 16\], got"
    ):
        step(z, target, own, [*found[:3], found[3][:1], *found[4:]])
    with pytest.raises(ValueError, match=r"^gradient of slots must not require a gradient"):
        step(z, target, own, [found[0].clone().requires_grad_(), *found[1:]])
    with pytest.raises(ValueError, match=r"^z and target must not require a gradient, which"):
        step(z.clone().requires_grad_(), target, own, found)
    with pytest.raises(
        ValueError, match=r"^key_bias_gradient must be given exactly where key_bias"
    ):
        terrain_step(z, target, terrain_weights(own, torch.zeros(16)), terrain_weights(found))
    assert all(bool(each.isnan().all()) for each in found)


@pytest.mark.exhaustive
def test_the_operator_keeps_what_torch_asks_of_operators(form: str) -> None:
    if form == "plain":
        return
    z, target, own = step_tensors(2)
    arguments = (z, target, own, [torch.zeros_like(each) for each in own])
    rest = (None, None, None, None, False, 1.0, False)
    report = torch.library.opcheck(torch.ops.prefrontal.terrain_step.default, arguments + rest)
    assert set(report.values()) == {"SUCCESS"}
