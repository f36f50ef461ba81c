"""Reading the context memory gives what its formula gives, compiled and in plain torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from prefrontal.control.ops import compiled, context_read, cue_context
from prefrontal.control.ops.cue import plain_context_read, plain_cue_context

from ..cue_cases import cue_case, cue_of, read_case, read_of, read_tensors
from ..operator_cases import drawn
from ..operator_contract import gradients, largest_gap, leaves

READS = [partial(read_of, function) for function in (context_read, plain_context_read)]
CUES = [partial(cue_of, function) for function in (cue_context, plain_cue_context)]
ids = ("operator", "plain")
reads = pytest.mark.parametrize("read", READS, ids=ids)
cues = pytest.mark.parametrize("cue", CUES, ids=ids)
needs_compiled = pytest.mark.skipif(
    not compiled.available(), reason="prefrontal._torch was not built here"
)


def tensors(rows: int = 3) -> list[Tensor]:
    return read_tensors(rows, 64, 128, 64)


@reads
def test_weights_are_the_softmax_of_the_written_formula(read: Callable[..., Any]) -> None:
    x, memory, wq, bq, wk, wv, bv, wo, bo = (each.double() for each in tensors())
    scores = (x @ wq.T + bq) @ (memory @ wk.T).T / math.sqrt(128)
    wanted = scores.exp() / scores.exp().sum(1, keepdim=True)
    context, weights = read(*tensors())
    assert largest_gap(weights, wanted) <= 1e-6
    assert largest_gap(context, (wanted @ (memory @ wv.T + bv)) @ wo.T + bo) <= 1e-6


@reads
@pytest.mark.parametrize("rows", [1, 9])
def test_cosine_weights_do_not_know_how_long_queries_and_keys_are(
    read: Callable[..., Any], rows: int
) -> None:
    own = tensors(rows)
    longer = [*own]
    longer[2], longer[3], longer[4] = 3 * own[2], 3 * own[3], 5 * own[4]
    assert largest_gap(read(*longer, cosine=True), read(*own, cosine=True)) <= 1e-5
    assert largest_gap(read(*longer), read(*own)) > 1e-2


@reads
@pytest.mark.parametrize("cosine", [False, True])
def test_a_temperature_of_the_square_root_of_the_depth_is_the_usual_one(
    read: Callable[..., Any], cosine: bool
) -> None:
    log_tau = torch.tensor(math.log(math.sqrt(128) - 1e-3))
    for shaped in (log_tau, log_tau[None]):
        found = read(*tensors(), log_tau=shaped, cosine=cosine)
        assert largest_gap(found, read(*tensors(), cosine=cosine)) <= 1e-6


@settings(max_examples=20, deadline=None)
@given(rows=st.integers(0, 20), seed=st.integers(0, 1000), cosine=st.booleans())
def test_order_of_slots_and_rows_does_not_matter(rows: int, seed: int, cosine: bool) -> None:
    own = tensors(rows)
    own[0] = drawn(rows, 64, seed=seed)
    read = READS[0]
    context, weights = read(*own, cosine=cosine)
    assert context.shape == (rows, 64) and weights.shape == (rows, 16)
    assert torch.allclose(weights.sum(1), torch.ones(rows), atol=1e-6)
    order = torch.randperm(16, generator=torch.Generator().manual_seed(seed))
    moved = read(own[0], own[1][order], *own[2:], cosine=cosine)
    assert largest_gap(moved, (context, weights[:, order])) <= 1e-5
    turned = read(own[0].flip(0), *own[1:], cosine=cosine)
    assert largest_gap(turned, (context.flip(0), weights.flip(0))) <= 1e-5


@cues
@pytest.mark.parametrize("rows", [1, 9])
def test_the_heads_read_the_context_and_the_cue(cue: Callable[..., Any], rows: int) -> None:
    case = cue_case(rows, depth=128, context=64, world=True)
    z, heads = case.tensors[0], case.tensors[9:]
    context, _ = read_of(plain_context_read, *case.tensors[:9])
    action, terrain = cue(*case.tensors)
    assert largest_gap(action, torch.cat([context, z], 1) @ heads[0].T + heads[1]) <= 1e-6
    assert largest_gap(terrain, torch.sigmoid(context @ heads[2].T + heads[3])) <= 1e-6


@reads
def test_a_number_that_is_none_makes_its_own_row_none_and_no_other(
    read: Callable[..., Any],
) -> None:
    for rows in (3, 12):
        own = tensors(rows)
        clean = read(*own)
        own[0][1, 5] = math.nan
        for found, wanted in zip(read(*own), clean, strict=True):
            assert found[1].isnan().all()
            rest = [row for row in range(rows) if row != 1]
            assert torch.allclose(found[rest], wanted[rest], atol=1e-6)


@pytest.mark.parametrize("rows", [0, 2, 11, 150])
@pytest.mark.parametrize("cosine", [False, True])
def test_float32_gradients_are_those_of_the_formula_in_double(rows: int, cosine: bool) -> None:
    for case in (
        cue_case(rows, depth=128, context=64, world=True, cosine=cosine, log_tau=True),
        read_case(rows, inputs=64, depth=128, context=64, cosine=cosine, key_bias=True),
    ):
        found = gradients(case.call, leaves(case, torch.float32))
        wanted = gradients(case.plain, leaves(case, torch.float64))
        for one, other in zip(found, wanted, strict=True):
            # log_tau's is one number, in which terms of all rows cancel.
            assert largest_gap(one, other) <= (2e-5 if other.shape == (1,) else 4e-6)


@pytest.mark.parametrize("rows", [2, 9])
def test_a_gradient_of_one_result_alone_is_right(rows: int) -> None:
    case = read_case(rows, cosine=True)
    for result in (0, 1):
        grads = [
            torch.autograd.grad(function(*inputs)[result].square().sum(), inputs, allow_unused=True)
            for function, inputs in (
                (case.call, leaves(case, torch.float32)),
                (case.plain, leaves(case, torch.float64)),
            )
        ]
        for one, other in zip(*grads, strict=True):
            # The kernel gives zeros where the plain form leaves out what a result does not read.
            wanted = 0.0 if other is None else other
            assert float((one - wanted).abs().max()) <= 1e-5


@needs_compiled
def test_gradients_of_float32_gradients_are_those_of_double() -> None:
    case = cue_case(2, world=True, log_tau=True)

    def slope(function: Callable[..., Any], dtype: torch.dtype) -> Tensor:
        inputs = leaves(case, dtype)
        action, terrain = function(*inputs)
        first = torch.autograd.grad((action.sin() + terrain.sum()).sum(), inputs, create_graph=True)
        total = sum(each.square().sum() for each in first)
        assert isinstance(total, Tensor)
        return torch.autograd.grad(total, inputs[1])[0]

    found, wanted = slope(case.call, torch.float32), slope(case.plain, torch.float64)
    assert float(wanted.abs().max()) > 0.0
    assert largest_gap(found, wanted) <= 1e-5


@pytest.mark.parametrize("form", [0, 1], ids=ids)
@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        (0, lambda x: x[0], r"^x must have shape \[any, any\], got \[64\]$"),
        (1, lambda x: x[:, :100], r"^query_weight must have shape \[100, 64\], got \[128, 64\]$"),
        (2, lambda x: x[:, 1:], r"^query_weight must have shape \[128, 64\], got \[128, 63\]$"),
        (5, lambda x: x.double(), r"^value_weight must have dtype torch.float32, got torch.float6"),
        (6, lambda x: x.to("meta"), r"^value_bias must be on cpu, got meta$"),
        (8, lambda x: x[:1], r"^output_bias must have shape \[64\], got \[1\]$"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    form: int, place: int, change: Callable[[Tensor], Tensor], message: str
) -> None:
    own = tensors()
    own[place] = change(own[place])
    with pytest.raises(ValueError, match=message):
        READS[form](*own)


@cues
def test_heads_that_do_not_fit_are_refused_by_name(cue: Callable[..., Any]) -> None:
    own = cue_case().tensors
    for place, name in ((9, "action_weight"), (10, "action_bias"), (11, "terrain_weight")):
        wrong = [*own]
        wrong[place] = own[place][..., :-1]
        with pytest.raises(ValueError, match=rf"^{name} must have shape \["):
            cue(*wrong)
    with pytest.raises(ValueError, match=r"^log_tau must have shape \[1\], got \[2\]$"):
        cue(*own, log_tau=torch.ones(2))
    with pytest.raises(ValueError, match=r"^key_bias must have shape \[16\], got \[2\]$"):
        cue(*own, key_bias=torch.ones(2))
    with pytest.raises(ValueError, match=r"^z must have a floating dtype, got torch.int64$"):
        cue(*[each.long() for each in own])
