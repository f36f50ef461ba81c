"""score_trajectories keeps what every operator promises."""

from __future__ import annotations

import pytest

from prefrontal.control.ops import compiled

from .. import operator_contract as contract
from ..operator_cases import scores_case

CASES = {
    "all parts": scores_case(),
    "harm and residue": scores_case(9, 11, all_parts=False),
    "a row more than a block": scores_case(3, 11, harm_sigmoid=False, bandwidth=2.0),
    "one state each": scores_case(2, 1),
    "hidden layers of odd width": scores_case(7, 3, hidden=23),
}
FEW = {"few": scores_case(2, 3, hidden=6), "fewer parts": scores_case(2, 3, all_parts=False)}

pytestmark = [
    pytest.mark.skipif(not compiled.available(), reason="prefrontal._torch was not built here"),
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's own use
]
every = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
few = pytest.mark.parametrize("case", FEW.values(), ids=FEW)


@every
def test_kernel_and_plain_form_agree_on_any_strides(case: contract.Case) -> None:
    contract.check_agreement(case)


@few
def test_gradients_and_their_gradients_are_right(case: contract.Case) -> None:
    contract.check_gradients(case)


@few
def test_tangents_pass(case: contract.Case) -> None:
    contract.check_forward_mode(case)


@every
def test_meta_and_fake_tensors_give_shapes(case: contract.Case) -> None:
    contract.check_without_data(case)


@few
def test_autocast_works_in_float32(case: contract.Case) -> None:
    contract.check_autocast(case)


@few
def test_the_transforms_of_torch_func_pass(case: contract.Case) -> None:
    contract.check_transforms(case)


@every
def test_vmap_is_the_calls_one_by_one(case: contract.Case) -> None:
    contract.check_vmap(case)


@pytest.mark.exhaustive
def test_torch_accepts_the_registration() -> None:
    contract.check_registration(FEW["few"])


@pytest.mark.exhaustive
@few
def test_compiles_into_one_graph(case: contract.Case) -> None:
    contract.check_compiled(case)
