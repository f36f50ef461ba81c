"""A folded memory is read as the live one is, and is a snapshot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.ops import (
    compiled,
    fold_context,
    fold_cue,
    folded_context_read,
    folded_cue_context,
    folded_cue_context_out,
)
from prefrontal.control.ops.cue import plain_context_read, plain_cue_context
from prefrontal.control.ops.cue_folded import FOLDED, MARK

from ..cue_cases import cue_case, read_tensors
from ..operator_contract import largest_gap

needs_compiled = pytest.mark.skipif(
    not compiled.available(), reason="prefrontal._torch was not built here"
)


@pytest.fixture(params=["operator", "plain"], autouse=True)
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setattr(compiled, "available", lambda: False)
    elif not compiled.available():
        pytest.skip("prefrontal._torch was not built here")
    return str(request.param)


def cue(rows: int = 5, **options: Any) -> list[Tensor]:
    return cue_case(rows, depth=128, context=64, **options).tensors


@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("world", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 20])
def test_a_folded_cue_is_the_live_one(cosine: bool, world: bool, rows: int) -> None:
    z, *own = cue(rows, world=world)
    rest: dict[str, Any] = {
        "key_bias": own[2] + 0.5,
        "log_tau": torch.tensor([2.0]),
        "cosine": cosine,
    }
    folded = fold_cue(*own, **rest)
    found = folded_cue_context(z, folded)
    assert largest_gap(found, plain_cue_context(z, *own, **rest)) <= 2e-6
    outs = torch.full((rows, 16), math.nan), torch.full((rows, 2), math.nan)
    folded_cue_context_out(z, folded, *outs)
    assert all(map(torch.equal, outs, found))


@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("depth", [20, 128])
def test_a_folded_read_is_the_live_one(cosine: bool, depth: int) -> None:
    x, *own = read_tensors(9, 64, depth, 64)
    found = folded_context_read(x, fold_context(*own, cosine=cosine))
    assert largest_gap(found, plain_context_read(x, *own, cosine=cosine)[0]) <= 2e-6


@needs_compiled
def test_both_forms_fold_and_read_each_others_tensors(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    z, *own = cue(world=True)
    mine = fold_cue(*own, cosine=True)
    first = folded_cue_context(z, mine)
    monkeypatch.undo() if form == "plain" else monkeypatch.setattr(
        compiled, "available", lambda: False
    )
    other = fold_cue(*own, cosine=True)
    assert torch.equal(mine[:4].view(torch.int32), other[:4].view(torch.int32))
    assert largest_gap(mine[16:], other[16:]) <= 1e-6
    assert largest_gap(folded_cue_context(z, mine), first) <= 2e-6


def test_it_is_a_snapshot_however_the_parameters_change() -> None:
    z, *own = cue()
    folded = fold_cue(*own)
    before = folded_cue_context(z, folded)
    own[0].data[3] = 7.0
    own[5].zero_()
    assert all(map(torch.equal, folded_cue_context(z, folded), before))
    assert largest_gap(folded_cue_context(z, fold_cue(*own)), before) > 1e-3


def test_a_table_anywhere_in_memory_and_rows_in_any_order_are_taken() -> None:
    z, *own = cue(12)
    folded = fold_cue(*own)
    wanted = folded_cue_context(z, folded)
    shifted = torch.zeros(FOLDED + 3)
    shifted[3:] = folded
    assert all(map(torch.equal, folded_cue_context(z, shifted[3:]), wanted))
    assert all(map(torch.equal, folded_cue_context(z.T.contiguous().T, folded), wanted))


def test_nan_makes_nan_and_no_fold_holds_one() -> None:
    z, *own = cue(2)
    folded = fold_cue(*own)
    z[0, 0] = math.nan
    action, terrain = folded_cue_context(z, folded)
    assert action[0].isnan().all() and terrain[0].isnan().all() and not action[1].isnan().any()
    own[3][0, 0] = math.inf
    with pytest.raises(ValueError, match=r"^parameters must fold to finite numbers, got"):
        fold_cue(*own)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda z, f: (z[:, 1:], f), r"^z must have shape \[any, 32\], got \[5, 31\]$"),
        (lambda z, f: (z, f[1:]), r"^folded must have shape \[8400\], got \[8399\]$"),
        (lambda z, f: (z, torch.zeros_like(f)), r"^folded must come from the folding of 32 inputs"),
        (
            lambda z, f: (z.double(), f.double()),
            r"^z must .*torch.float32 to be read folded, got t",
        ),
        (lambda z, f: (z, f.double()), r"^folded must have dtype torch.float32, got torch.float64"),
        (lambda z, f: (z.requires_grad_(), f), r"^z must not require a gradient to be read folded"),
    ],
)
def test_what_cannot_be_read_folded_is_refused_by_name(
    change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]], message: str
) -> None:
    z, *own = cue()
    with pytest.raises(ValueError, match=message):
        folded_cue_context(*change(z, fold_cue(*own)))


def test_a_context_is_not_read_from_the_fold_of_a_cue() -> None:
    _, *own = cue()
    with pytest.raises(ValueError, match=r"^folded must come from the folding of 64 inputs"):
        folded_context_read(torch.zeros(1, 64), fold_cue(*own))


def test_widths_and_dtypes_that_no_table_has_are_refused_by_name() -> None:
    _, *own = cue()
    with pytest.raises(ValueError, match=r"^memory must be torch.float32 on the CPU to be folded"):
        fold_cue(*[each.double() for each in own])
    with pytest.raises(ValueError, match=r"^memory must have shape \[16, any\], got \[15, 128\]$"):
        fold_cue(own[0][:15], *own[1:])
    with pytest.raises(ValueError, match=r"^query_weight must have shape \[128, 64\], got \[128, "):
        fold_context(*own[:8])


def test_outputs_that_do_not_fit_are_refused_by_name() -> None:
    z, *own = cue()
    folded, action, terrain = fold_cue(*own), torch.empty(5, 16), torch.empty(5, 2)
    with pytest.raises(ValueError, match=r"^action must have shape \[5, 16\], got \[4, 16\]$"):
        folded_cue_context_out(z, folded, action[:4], terrain)
    if compiled.available():
        with pytest.raises(
            ValueError, match=r"^terrain must be contiguous to be written into, got"
        ):
            folded_cue_context_out(z, folded, action, torch.empty(2, 5).T)
        with pytest.raises(
            ValueError, match=r"^action must not overlap what is read, got the same"
        ):
            folded_cue_context_out(z, folded, z.view(-1)[:80].view(5, 16), terrain)


@needs_compiled
def test_the_operators_keep_what_torch_asks_of_operators(form: str) -> None:
    if form == "plain":
        return
    z, *own = cue(2)
    operators = torch.ops.prefrontal
    folded = fold_cue(*own)
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (operators.fold_cue.default, (*own,)),
        (operators.folded_cue_context.default, (z, folded)),
        (
            operators.folded_cue_context_out.default,
            (z, folded, torch.empty(2, 16), torch.empty(2, 2)),
        ),
    ]
    for operator, arguments in calls:
        report = torch.library.opcheck(operator, arguments)
        assert set(report.values()) == {"SUCCESS"}
    x, *read = read_tensors(2, 64, 16, 64)
    report = torch.library.opcheck(operators.fold_context.default, (*read,))
    assert set(report.values()) == {"SUCCESS"}
    report = torch.library.opcheck(operators.folded_context_read.default, (x, fold_context(*read)))
    assert set(report.values()) == {"SUCCESS"}


@needs_compiled
def test_the_direct_call_is_the_operator_and_touches_no_fake_tensor(form: str) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    from prefrontal import _torch

    if form == "plain":
        return
    z, *own = cue()
    folded, action, terrain = fold_cue(*own), torch.empty(5, 16), torch.empty(5, 2)
    version = action._version
    _torch.folded_cue_context_out(z, folded, action, terrain)
    assert all(map(torch.equal, (action, terrain), folded_cue_context(z, folded)))
    assert action._version > version  # autograd is told
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(z)
    for bad in (fake, z.to("meta")):
        with pytest.raises(ValueError, match=r"^z must be a plain tensor on the CPU; torch.ops"):
            _torch.folded_cue_context_out(bad, folded, action, terrain)
    with pytest.raises(TypeError, match=r"^z must be a torch.Tensor, got ndarray$"):
        _torch.folded_cue_context_out(z.numpy(), folded, action, terrain)  # type: ignore[arg-type]


def test_the_mark_is_the_kernels() -> None:
    _, *own = cue()
    header = fold_cue(*own)[:4].view(torch.int32).tolist()
    assert header == [32, 0, 0, MARK]
