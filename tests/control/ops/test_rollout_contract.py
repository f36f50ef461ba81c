"""The rollouts and the proposal keep what every operator promises."""

from __future__ import annotations

import pytest
import torch

from prefrontal.control.ops import compiled

from .. import operator_contract as contract
from ..rollout_cases import SMALL, lstm_case, propose_case, rollout_case

FULL = {
    "rollout": rollout_case(18, 2, biases=18),
    "propose": propose_case(2, 20, 2, elites=4),
    "lstm_rollout": lstm_case(3, 2),
}
LITTLE = {
    "rollout": rollout_case(2, 1, SMALL, biases=1),
    "propose": propose_case(2, 3, 1, SMALL),
    "lstm_rollout": lstm_case(2, 1, inputs=3, cells=4, layers=1, hidden=5),
}

pytestmark = [
    pytest.mark.skipif(not compiled.available(), reason="prefrontal._torch was not built here"),
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's own use
]
full = pytest.mark.parametrize("case", FULL.values(), ids=FULL)
little = pytest.mark.parametrize("case", LITTLE.values(), ids=LITTLE)


@full
def test_kernel_and_plain_form_agree_on_any_strides(case: contract.Case) -> None:
    contract.check_agreement(case)


@pytest.mark.exhaustive
@little
def test_gradients_and_their_gradients_are_right(case: contract.Case) -> None:
    contract.check_gradients(case)


@full
def test_gradients_in_single_precision_are_the_plain_forms(case: contract.Case) -> None:
    found = contract.gradients(case.call, contract.leaves(case, torch.float32))
    wanted = contract.gradients(case.plain, contract.leaves(case, torch.float64))
    assert contract.largest_gap(found, wanted) <= 1e-5


@little
def test_torch_func_gives_the_gradients_of_the_plain_form(case: contract.Case) -> None:
    contract.check_transforms(case)


@little
def test_tangents_pass(case: contract.Case) -> None:
    contract.check_forward_mode(case)


@full
def test_meta_and_fake_tensors_give_shapes(case: contract.Case) -> None:
    contract.check_without_data(case)


@full
def test_autocast_works_in_float32(case: contract.Case) -> None:
    contract.check_autocast(case)


@little
@pytest.mark.parametrize("over", [0, 1, 3])
def test_vmap_is_the_calls_one_by_one(case: contract.Case, over: int) -> None:
    contract.check_vmap(case, over)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["lstm_rollout", "rollout"])
def test_torch_accepts_the_registration(name: str) -> None:
    contract.check_registration(LITTLE[name])


@pytest.mark.exhaustive
def test_torch_accepts_the_graph_of_a_proposal() -> None:
    case = LITTLE["propose"]  # its compilation with gradients is tested below, in less time
    tests = ("test_schema", "test_autograd_registration", "test_faketensor")
    inputs = case.arguments(contract.leaves(case, torch.float32))
    report = torch.library.opcheck(case.operator(), inputs, test_utils=tests)
    assert set(report.values()) == {"SUCCESS"}


@pytest.mark.exhaustive
@full
def test_torch_accepts_the_kernels_registration(case: contract.Case) -> None:
    report = torch.library.opcheck(case.operator(), case.arguments(case.tensors))
    assert set(report.values()) == {"SUCCESS"}


@pytest.mark.exhaustive
@little
def test_compiles_into_one_graph(case: contract.Case) -> None:
    contract.check_compiled(case)


@full
def test_no_argument_is_changed(case: contract.Case) -> None:
    before = [tensor.clone() for tensor in case.tensors]
    case.call(*case.tensors)
    for tensor, copy in zip(case.tensors, before, strict=True):
        assert torch.equal(tensor, copy)


@full
def test_a_tensor_elsewhere_is_refused_by_name(case: contract.Case) -> None:
    tensors = [case.tensors[0], case.tensors[1].to("meta"), *case.tensors[2:]]
    with pytest.raises(ValueError, match=r"^\w+ must be on cpu, got meta"):
        case.call(*tensors)
