"""Operators and the memory of their arguments: what shares it, and what is not as it lies there."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal._core.control import CueReader
from prefrontal.control import ops

from .. import state_twins as twins
from ..cue_cases import cue_case, cue_of, terrain_weights
from ..operator_cases import drawn, rule_bias_case, scores_case

needs_compiled = pytest.mark.skipif(not ops.available(), reason="_torch was not built")
Z = drawn(3, 32)


def step_tensors() -> tuple[list[Tensor], list[Tensor]]:
    given = cue_case().tensors
    parameters = [*given[1:9], *given[11:13]]
    return parameters, [torch.full_like(each, 7.0) for each in parameters]


def step(
    z: Tensor, target: Tensor, parameters: list[Tensor], gradients: list[Tensor], **options: Any
) -> Tensor:
    own, into = terrain_weights(parameters), terrain_weights(gradients)
    return ops.terrain_step(z, target, own, into, **options)


def test_a_negated_view_is_read_as_its_numbers() -> None:
    tensors = cue_case(depth=128, context=64).tensors[1:]
    wanted, _ = cue_of(ops.cue_context, -Z, *tensors)
    actions, _ = cue_of(ops.cue_context, torch._neg_view(Z), *tensors)
    assert torch.equal(actions, wanted)
    parameters = {name: torch.from_numpy(each) for name, each in twins.cue_parameters().items()}
    negated = {name: torch._neg_view(-each) for name, each in parameters.items()}
    with pytest.raises(ValueError, match=r"^parameters\['memory'\] must be a tensor as it lies in"):
        CueReader(negated)


def test_gradients_of_the_step_overlap_nothing() -> None:
    parameters, gradients = step_tensors()
    target = torch.rand(3, 2)
    shared = [*gradients]
    shared[7] = shared[5]  # value_bias's for output_bias, alike in shape
    with pytest.raises(ValueError, match=r"^gradients must not overlap each other or what is read"):
        step(Z, target, parameters, shared)
    with pytest.raises(ValueError, match=r"^gradients must not overlap each other or what is read"):
        step(Z, target, parameters, [parameters[0], *gradients[1:]])
    assert all(bool((each == 7.0).all()) for each in gradients)
    alone = [torch.zeros_like(each) for each in parameters]
    step(Z, target, parameters, alone)
    shared[5].zero_()
    step(Z, target, parameters, shared, accumulate=True)  # where tied ones may add up
    assert torch.allclose(shared[5], alone[5] + alone[7], atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("accumulate", [False, True])
def test_an_expanded_gradient_is_refused_before_one_is_written(
    dtype: torch.dtype, accumulate: bool
) -> None:
    parameters, gradients = ([each.to(dtype) for each in all_] for all_ in step_tensors())
    gradients[-1] = torch.zeros(1, dtype=dtype).expand(2)
    z, target = Z.to(dtype), torch.rand(3, 2, dtype=dtype)
    with pytest.raises(ValueError, match=r"^gradient of terrain_bias must have a place for each"):
        step(z, target, parameters, gradients, accumulate=accumulate)
    assert all(bool((each == 7.0).all()) for each in gradients[:-1])


def backward_calls() -> list[tuple[str, tuple[Any, ...], str]]:
    """Of the operators behind the gradients, each with one argument that does not fit."""
    cue, none = cue_case().tensors, (None, None, False)
    small = [each[:1] for each in cue]
    grads = torch.zeros(3, 16), torch.zeros(3, 2), torch.zeros(3, 2), torch.zeros(3, 16)
    narrow = torch.zeros(1, 1)
    score = scores_case()
    arguments = score.arguments(score.tensors)
    bias = rule_bias_case(5).tensors
    read = "context_read_backward", "cue_context_backward", "cue_context_weights"
    return [
        (read[0], (None, None, narrow, *cue[:9], *none), "weights"),
        (read[0], (narrow, None, torch.zeros(3, 16), *cue[:9], *none), "grad_context"),
        (read[0], (None, None, narrow, *small[:9], *none), "query_weight"),
        (read[1], (*grads[:2], narrow, grads[3], *cue, *none), "terrain"),
        (read[1], (narrow, *grads[1:], *cue, *none), "grad_action"),
        (read[2], (*cue_case(inputs=24, depth=17).tensors, *none), "z"),
        ("rule_bias_backward", (torch.zeros(1), *bias, 0.6, False, False), "grad"),
        ("score_trajectories_backward", (narrow, *arguments), "grad"),
        (
            "score_trajectories_backward",
            (torch.zeros(5, 5), arguments[0], arguments[1][:1], *arguments[2:]),
            "harm",
        ),
    ]


@needs_compiled
@pytest.mark.parametrize("at", range(9))
def test_an_operator_behind_a_gradient_refuses_what_does_not_fit(at: int) -> None:
    name, arguments, argument = backward_calls()[at]
    with pytest.raises(ValueError, match=rf"^{argument} must "):
        getattr(torch.ops.prefrontal, name)(*arguments)
