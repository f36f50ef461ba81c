"""The gradients that are operators of their own: shapes without data, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.ops import compiled

from ..cue_cases import cue_case, read_case
from ..operator_cases import rule_bias_case, scores_case
from ..operator_contract import Case

pytestmark = pytest.mark.skipif(not compiled.available(), reason="prefrontal._torch is not built")

ROWS = 3
CUE: dict[str, Any] = {"depth": 128, "context": 64}
WEIGHTS = torch.zeros(ROWS, 16)
GRADIENTS: dict[str, tuple[Case, tuple[Any, ...]]] = {
    "context_read": (read_case(ROWS, **CUE), (torch.zeros(ROWS, 64), None, WEIGHTS)),
    "cue_context": (
        cue_case(ROWS, key_bias=True, log_tau=True, **CUE),
        (torch.zeros(ROWS, 16), torch.zeros(ROWS, 2), torch.zeros(ROWS, 2), WEIGHTS),
    ),
    "rule_bias": (rule_bias_case(7), (torch.zeros(7),)),
    "biases of two rules": (rule_bias_case(2, 5), (torch.zeros(2, 5),)),
    "score_trajectories": (scores_case(), (torch.zeros(5, 5),)),
}


def gradients(case: Case, before: tuple[Any, ...], device: str = "cpu") -> list[Tensor]:
    """What the operator of the gradient finds. before: what it is given before the call's own."""
    moved = [each if each is None else each.to(device) for each in before]
    operator = getattr(torch.ops.prefrontal, f"{case.name}_backward")
    return list(operator(*moved, *case.arguments(case.to(device))))


@pytest.mark.parametrize("name", GRADIENTS)
def test_without_data_each_gradient_has_the_shape_of_what_it_is_for(name: str) -> None:
    case, before = GRADIENTS[name]
    found = gradients(case, before, "meta")
    assert all(each.is_meta for each in found)
    assert [each.shape for each in found] == [each.shape for each in gradients(case, before)]


REFUSED = {
    "context_read": (0, torch.zeros(ROWS, 63), r"grad_context must have shape \[3, 64\], got"),
    "cue_context": (0, torch.zeros(ROWS, 15), r"grad_action must have shape \[3, 16\], got"),
    "cue_context's terrain": (2, torch.zeros(2, 2), r"terrain must have shape \[3, 2\], got"),
    "cue_context's weights": (3, torch.zeros(ROWS, 15), r"weights must have shape \[3, 16\], got"),
    "rule_bias": (0, torch.zeros(6), r"grad must have shape \[7\], got \[6\]"),
    "biases of two rules": (0, torch.zeros(5, 2), r"grad must have shape \[2, 5\], got \[5, 2\]"),
    "score_trajectories": (0, torch.zeros(5, 4), r"grad must have shape \[5, 5\], got \[5, 4\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_gradient_of_another_shape_is_refused_by_name(name: str) -> None:
    case, before = GRADIENTS[name.partition("'")[0]]
    at, wrong, sentence = REFUSED[name]
    with pytest.raises(ValueError, match=sentence):
        gradients(case, (*before[:at], wrong, *before[at + 1 :]))
