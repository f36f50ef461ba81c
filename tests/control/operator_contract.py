"""What every operator must do, whatever it computes: one function for each promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

Tensors = Sequence[Tensor]


@dataclass(frozen=True, slots=True)
class Case:
    """An operator with tensors to call it with; `call` and `plain` take the tensors one by one."""

    name: str  # of torch.ops.prefrontal
    tensors: list[Tensor]  # float32, small
    call: Callable[..., Any]  # the public function
    plain: Callable[..., Any]  # its plain form
    arguments: Callable[[Tensors], tuple[Any, ...]]  # the tensors as the operator's schema has them

    def operator(self) -> Any:
        return getattr(torch.ops.prefrontal, self.name).default

    def to(self, *where: Any) -> list[Tensor]:
        return [tensor.detach().to(*where) for tensor in self.tensors]


def results(found: Any) -> tuple[Tensor, ...]:
    return (found,) if isinstance(found, Tensor) else tuple(found)


def largest_gap(found: Any, wanted: Any) -> float:
    """The largest difference, relative to the largest value where that is above 1."""
    gaps = [0.0]
    for one, other in zip(results(found), results(wanted), strict=True):
        assert one.shape == other.shape
        if other.numel():
            size = max(1.0, float(other.abs().max()))
            gaps.append(float((one.double() - other.double()).abs().max()) / size)
    return max(gaps)


def leaves(case: Case, dtype: torch.dtype) -> list[Tensor]:
    return [tensor.requires_grad_() for tensor in case.to(dtype)]


def gradients(function: Callable[..., Any], inputs: Tensors) -> tuple[Tensor, ...]:
    """Of a weighted sum of all results, by each input."""
    total = sum(
        (
            result * torch.linspace(-1.0, 2.0, result.numel(), dtype=result.dtype).view_as(result)
        ).sum()
        for result in results(function(*inputs))
    )
    assert isinstance(total, Tensor)
    found = torch.autograd.grad(total, list(inputs), allow_unused=True)
    return tuple(
        torch.zeros_like(leaf) if grad is None else grad
        for leaf, grad in zip(inputs, found, strict=True)
    )


def check_registration(case: Case) -> None:
    """torch's own checks of schema, autograd, fake tensors and compilation."""
    for tensors in (case.to(torch.float32), leaves(case, torch.float32)):
        report = torch.library.opcheck(case.operator(), case.arguments(tensors))
        assert set(report.values()) == {"SUCCESS"}


def check_agreement(case: Case, tolerance: float = 1e-6) -> None:
    """The kernel against the plain form in double precision, contiguous inputs or not."""
    wanted = case.plain(*case.to(torch.float64))
    assert largest_gap(case.call(*case.tensors), wanted) <= tolerance
    strided = [
        tensor.mT.contiguous().mT if tensor.dim() > 1 else tensor.repeat_interleave(2)[::2]
        for tensor in case.tensors
    ]
    assert not all(tensor.is_contiguous() for tensor in strided)
    assert largest_gap(case.call(*strided), wanted) <= tolerance


def check_gradients(case: Case, tolerance: float = 2e-6) -> None:
    """First and second derivatives in float64; those of float32 against the plain form's."""
    inputs = leaves(case, torch.float64)
    assert torch.autograd.gradcheck(case.call, inputs, fast_mode=True)
    assert torch.autograd.gradgradcheck(case.call, inputs, fast_mode=True)
    found = gradients(case.call, leaves(case, torch.float32))
    wanted = gradients(case.plain, leaves(case, torch.float64))
    assert any(float(grad.abs().max()) > 0.0 for grad in wanted)
    assert largest_gap(found, wanted) <= tolerance


def check_forward_mode(case: Case) -> None:
    """A tangent passes through as it does through the plain form."""
    inputs = tuple(case.to(torch.float32))
    tangents = tuple(torch.full_like(tensor, 0.1) for tensor in inputs)
    found = torch.func.jvp(case.call, inputs, tangents)[1]
    wanted = torch.func.jvp(case.plain, inputs, tangents)[1]
    assert float(results(wanted)[0].abs().max()) > 0.0
    assert largest_gap(found, wanted) <= 2e-6


def check_transforms(case: Case) -> None:
    """torch.func's gradients, and those of each row of a batch, are those of the plain form."""
    inputs = tuple(case.to(torch.float64))

    def total(function: Callable[..., Any]) -> Callable[..., Tensor]:
        return lambda first, *rest: torch.stack(
            [result.square().sum() for result in results(function(first, *rest))]
        ).sum()

    every = tuple(range(len(inputs)))
    found = torch.func.grad(total(case.call), argnums=every)(*inputs)
    wanted = torch.func.grad(total(case.plain), argnums=every)(*inputs)
    assert any(float(grad.abs().max()) > 0.0 for grad in results(wanted))
    assert largest_gap(found, wanted) <= 1e-9
    rows = torch.stack([inputs[0], 2.0 * inputs[0]])
    in_dims = (0, *(None for _ in inputs[1:]))
    found = torch.func.vmap(torch.func.grad(total(case.call)), in_dims)(rows, *inputs[1:])
    wanted = torch.func.vmap(torch.func.grad(total(case.plain)), in_dims)(rows, *inputs[1:])
    assert largest_gap(found, wanted) <= 1e-9
    with torch.no_grad():
        last = case.call(*case.tensors)
    assert largest_gap(last, case.plain(*case.tensors)) <= 2e-6


def check_vmap(case: Case, over: int = 0) -> None:
    """Three calls in one, over one of the inputs, give what they give one by one."""
    first = case.tensors[over]
    rows = torch.stack([first, 2.0 * first, -first])

    def of_first(value: Tensor) -> Any:
        return case.call(*case.tensors[:over], value, *case.tensors[over + 1 :])

    found = results(torch.func.vmap(of_first)(rows))
    one_by_one = [results(of_first(row)) for row in rows]
    wanted = tuple(torch.stack(column) for column in zip(*one_by_one, strict=True))
    assert largest_gap(found, wanted) <= 2e-6


def check_compiled(case: Case, backend: str = "aot_eager") -> None:
    """In one graph, with the results and the gradients of the eager call."""
    torch.compiler.reset()  # or earlier compilations of the same function count against it
    compiled = torch.compile(case.call, fullgraph=True, backend=backend)
    with torch.no_grad():
        assert largest_gap(compiled(*case.tensors), case.call(*case.tensors)) <= 1e-6
    found = gradients(compiled, leaves(case, torch.float32))
    wanted = gradients(case.call, leaves(case, torch.float32))
    assert largest_gap(found, wanted) <= 2e-6


def check_without_data(case: Case) -> None:
    """Meta and fake tensors give shapes and dtypes, and never reach for numbers."""
    wanted = results(case.call(*case.tensors))
    for dtype in (torch.float32, torch.float64):
        for found in results(case.call(*case.to("meta", dtype))):
            assert found.device.type == "meta" and found.dtype == dtype
    with FakeTensorMode(allow_non_fake_inputs=False) as mode:
        fakes = [mode.from_tensor(tensor) for tensor in case.tensors]
        shapes = [found.shape for found in results(case.call(*fakes))]
    assert shapes == [each.shape for each in wanted]


def check_autocast(case: Case) -> None:
    """Under autocast the operator works in float32, whatever it is given."""
    low = case.to(torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = case.call(*low)
    assert {each.dtype for each in results(found)} == {torch.float32}
    assert largest_gap(found, case.call(*[tensor.float() for tensor in low])) == 0.0
