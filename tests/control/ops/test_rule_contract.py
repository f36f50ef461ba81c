"""The operators of the rule keep what every operator promises."""

from __future__ import annotations

import pytest

from prefrontal.control.ops import compiled

from ...exhaustive import first
from .. import operator_contract as contract
from ..operator_cases import rule_bias_case, rule_update_case

CASES = {
    "one rule": rule_update_case(),
    "one rule, three rows": rule_update_case(rows=3),
    "three rules": rule_update_case(rules=3, rows=3),
    "clamped bias": rule_bias_case(7),
    "smooth, centred bias": rule_bias_case(7, tanh=True, centred=True),
    "biases of two rules": rule_bias_case(2, 5, centred=True),
}
SOME = {name: CASES[name] for name in ("one rule, three rows", "biases of two rules")}

pytestmark = [
    pytest.mark.skipif(not compiled.available(), reason="prefrontal._torch was not built here"),
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's own use
]
every = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
some = pytest.mark.parametrize("case", first(1, SOME.values()), ids=SOME)


@every
def test_kernel_and_plain_form_agree_on_any_strides(case: contract.Case) -> None:
    contract.check_agreement(case)


@every
def test_gradients_and_their_gradients_are_right(case: contract.Case) -> None:
    contract.check_gradients(case)


@pytest.mark.exhaustive
@every
def test_tangents_pass(case: contract.Case) -> None:
    contract.check_forward_mode(case)


@every
def test_meta_and_fake_tensors_give_shapes(case: contract.Case) -> None:
    contract.check_without_data(case)


@every
def test_autocast_works_in_float32(case: contract.Case) -> None:
    contract.check_autocast(case)


@every
def test_the_transforms_of_torch_func_pass(case: contract.Case) -> None:
    contract.check_transforms(case)


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


@pytest.mark.exhaustive
def test_inductor_gives_the_same_biases() -> None:
    contract.check_compiled(rule_bias_case(3), backend="inductor")
