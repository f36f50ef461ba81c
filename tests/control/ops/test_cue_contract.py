"""The operators that read the context memory keep what every operator promises."""

from __future__ import annotations

import pytest
import torch

from prefrontal.control.ops import compiled

from ...exhaustive import first
from .. import operator_contract as contract
from ..cue_cases import cue_case, read_case

CASES = {
    "read, one row": read_case(1),
    "read, few rows, every option": read_case(3, key_bias=True, log_tau=True),
    "read, few rows by cosine": read_case(2, cosine=True, key_bias=True, log_tau=True),
    "read, many rows": read_case(9, inputs=64),
    "read, many rows by cosine": read_case(9, cosine=True, log_tau=True),
    "read, widths of no kernel": read_case(3, inputs=5, depth=10, context=6, cosine=True),
    "cue, one row": cue_case(1),
    "cue, few rows, world": cue_case(3, world=True, key_bias=True, log_tau=True),
    "cue, few rows by cosine": cue_case(2, cosine=True, world=True),
    "cue, many rows, world": cue_case(9, world=True, log_tau=True),
    "cue, many rows by cosine": cue_case(9, cosine=True, key_bias=True, log_tau=True),
    "cue, widths of no kernel": cue_case(3, inputs=5, depth=10, context=6, actions=4, world=True),
}
SOME = {
    name: CASES[name]
    for name in ("read, few rows, every option", "cue, few rows, world", "cue, many rows by cosine")
}

pytestmark = [
    pytest.mark.skipif(not compiled.available(), reason="prefrontal._torch was not built here"),
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's own use
]
every = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
few = pytest.mark.parametrize("case", first(3, CASES.values()), ids=CASES)
some = pytest.mark.parametrize("case", first(1, SOME.values()), ids=SOME)


@every
def test_kernel_and_plain_form_agree_on_any_strides(case: contract.Case) -> None:
    contract.check_agreement(case)


@few
def test_gradients_and_their_gradients_are_right(case: contract.Case) -> None:
    contract.check_gradients(case)


@pytest.mark.exhaustive
@some
def test_tangents_pass(case: contract.Case) -> None:
    contract.check_forward_mode(case)


@few
def test_meta_and_fake_tensors_give_shapes(case: contract.Case) -> None:
    contract.check_without_data(case)


@every
def test_autocast_works_in_float32(case: contract.Case) -> None:
    contract.check_autocast(case)


@every
def test_vmap_is_the_calls_one_by_one(case: contract.Case) -> None:
    contract.check_vmap(case)


@pytest.mark.exhaustive
@some
def test_torch_accepts_the_registration(case: contract.Case) -> None:
    contract.check_registration(case)


@pytest.mark.exhaustive
@some
def test_compiles_into_one_graph(case: contract.Case) -> None:
    contract.check_compiled(case)


@some
def test_transforms_follow_the_plain_form(case: contract.Case) -> None:
    contract.check_transforms(case)
    inputs = tuple(case.to(torch.float32))
    first, second = (
        torch.func.grad(lambda value, call=call: call(inputs[0], value, *inputs[2:])[0].sum())
        for call in (case.call, case.plain)
    )
    assert torch.allclose(first(inputs[1]), second(inputs[1]), atol=1e-6)
