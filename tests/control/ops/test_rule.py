"""rule_update and rule_bias: their formulas at the edges, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal._core.control import RuleState
from prefrontal.control.ops import rule_bias, rule_update
from prefrontal.control.ops.rule import plain_rule_bias, plain_rule_update

from .. import state_twins as twins
from ..operator_cases import drawn, rule_bias_case, rule_update_case

NAMES = ["rule", "z_delta", "z_world", "delta_weight", "delta_bias", "world_weight", "world_bias"]
HEAD = ["summaries", "rule", "w1", "b1", "w2", "b2"]
updates = pytest.mark.parametrize("update", [rule_update, plain_rule_update])
biases = pytest.mark.parametrize("bias", [rule_bias, plain_rule_bias])


@pytest.mark.exhaustive
def test_a_held_source_is_approached_by_its_closed_form() -> None:
    rule, *rest = rule_update_case().tensors
    source = plain_rule_update(rule, *rest, step=1.0, pool=0.5)
    moved = rule
    for _ in range(20):
        moved = rule_update(moved, *rest, step=0.05, pool=0.5)
    wanted = source + 0.95**20 * (rule - source)
    torch.testing.assert_close(moved, wanted, rtol=0, atol=2e-6)


@updates
def test_a_shut_gate_holds_the_rule_to_the_bit(update: Any) -> None:
    rule, z_delta, *rest = rule_update_case().tensors
    moved = update(rule, torch.full_like(z_delta, torch.nan), *rest, step=0.0, pool=0.5)
    assert torch.equal(moved, rule)
    assert moved.data_ptr() != rule.data_ptr()


@updates
def test_nan_in_the_latents_passes_into_the_rule(update: Any) -> None:
    rule, z_delta, *rest = rule_update_case().tensors
    assert update(rule, z_delta * torch.nan, *rest, step=0.1, pool=0.5).isnan().all()


@updates
def test_one_rule_follows_the_mean_of_the_rows_and_several_their_own(update: Any) -> None:
    rule, z_delta, z_world, *rest = rule_update_case(rules=3, rows=3).tensors
    settings = {"step": 0.2, "pool": 0.5}
    mean = update(rule[:1], z_delta.mean(0, True), z_world.mean(0, True), *rest, **settings)
    torch.testing.assert_close(update(rule[:1], z_delta, z_world, *rest, **settings), mean)
    own = update(rule, z_delta, z_world, *rest, **settings)
    for i in range(3):
        at = slice(i, i + 1)
        alone = update(rule[at], z_delta[at], z_world[at], *rest, **settings)
        torch.testing.assert_close(own[at], alone)


@updates
def test_no_rules_give_no_rules(update: Any) -> None:
    case = rule_update_case(rules=0, rows=0)
    assert update(*case.tensors, step=0.1, pool=0.5).shape == (0, 16)


@biases
def test_no_candidates_give_no_biases(bias: Any) -> None:
    assert bias(*rule_bias_case(0).tensors, scale=0.1, centred=True).shape == (0,)
    assert bias(*rule_bias_case(2, 0).tensors, scale=0.1).shape == (2, 0)
    assert bias(*rule_bias_case(0, 3).tensors, scale=0.1).shape == (0, 3)


@biases
def test_a_candidate_is_centred_only_among_others(bias: Any) -> None:
    summaries, *rest = rule_bias_case(4).tensors
    found = bias(summaries, *rest, scale=9.0, centred=True)
    torch.testing.assert_close(found, bias(summaries - summaries.mean(0), *rest, scale=9.0))
    alone = bias(summaries[:1], *rest, scale=9.0, centred=True)
    torch.testing.assert_close(alone, bias(summaries[:1], *rest, scale=9.0))


@biases
def test_the_bias_stays_within_its_bound_and_nan_stays_nan(bias: Any) -> None:
    summaries, *rest = rule_bias_case(40).tensors
    clamped = bias(100 * summaries, *rest, scale=0.1)
    assert set(clamped.abs().tolist()) == {torch.tensor(0.1).item()}
    smooth = bias(0.1 * summaries, *rest, scale=0.1, tanh=True)
    assert (smooth.abs() <= 0.1).all() and smooth.unique().numel() == 40
    assert bias(summaries * torch.nan, *rest, scale=0.1).isnan().all()


def test_the_state_object_and_the_operators_agree() -> None:
    parameters = twins.rule_parameters(3)
    held = RuleState(parameters, bias_scale=0.4)
    tensors = {name: torch.from_numpy(value) for name, value in parameters.items()}
    projections = [
        tensors[f"{name}.{part}"]
        for name in ("delta_proj", "world_proj")
        for part in ("weight", "bias")
    ]
    head = [tensors[f"rule_bias_head.{i}.{part}"] for i in (0, 2) for part in ("weight", "bias")]
    rule, summaries = torch.zeros(1, 16), drawn(19, 32)
    for seed in range(4):
        z_delta, z_world = drawn(1, 32, seed=seed), drawn(1, 32, seed=seed + 9)
        held.update(z_delta[0].numpy(), z_world[0].numpy(), 0.8)
        rule = rule_update(rule, z_delta, z_world, *projections, step=0.05 * 0.8, pool=0.5)
    np.testing.assert_allclose(rule.numpy().ravel(), held.get_rule_state().ravel(), atol=1e-7)
    found = rule_bias(summaries, rule, *head, scale=0.4)
    np.testing.assert_allclose(found.numpy(), held.bias(summaries.numpy()), atol=5e-7)


def test_other_widths_take_the_plain_form_and_say_the_same() -> None:
    case = rule_update_case(width=8)
    assert torch.equal(case.call(*case.tensors), case.plain(*case.tensors))
    head = rule_bias_case(3, hidden=12)
    assert torch.equal(head.call(*head.tensors), head.plain(*head.tensors))


def changed(tensors: list[Tensor], names: list[str], name: str, value: Tensor) -> list[Tensor]:
    return [value if each == name else tensor for each, tensor in zip(names, tensors, strict=True)]


@updates
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rule", torch.zeros(16), r"rule must have shape \[any, any\], got \[16\]"),
        ("rule", torch.zeros(1, 16).int(), r"rule must have a floating dtype, got torch.int32"),
        ("z_delta", torch.zeros(0, 32), r"z_delta must have shape \[1, any\], got \[0, 32\]"),
        ("z_world", torch.zeros(2, 32), r"z_world must have shape \[1, any\], got \[2, 32\]"),
        ("z_world", torch.zeros(1, 32).double(), r"z_world must have dtype torch.float32, got"),
        ("z_world", torch.zeros(1, 32, device="meta"), r"z_world must be on cpu, got meta"),
        ("delta_weight", torch.zeros(16, 3), r"delta_weight must have shape \[16, 32\], got"),
        ("world_bias", torch.zeros(3), r"world_bias must have shape \[16\], got \[3\]"),
    ],
)
def test_update_refuses_what_does_not_fit(
    update: Any, name: str, value: Tensor, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        update(*changed(rule_update_case().tensors, NAMES, name, value), step=0.1, pool=0.5)


@updates
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": float("nan")}, "step must be finite and at least 0, got nan"),
        ({"step": -0.5}, "step must be finite and at least 0, got -0.5"),
        ({"pool": float("inf")}, "pool must be finite, got inf"),
    ],
)
def test_update_refuses_numbers_out_of_range(
    update: Any, settings: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        update(*rule_update_case().tensors, **{"step": 0.1, "pool": 0.5} | settings)


@biases
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("summaries", torch.zeros(32), r"summaries must have shape \[any, any\], got \[32\]"),
        ("rule", torch.zeros(2, 16), r"rule must have shape \[1, any\], got \[2, 16\]"),
        ("w1", torch.zeros(32, 32), r"w1 must have shape \[any, 48\], got \[32, 32\]"),
        ("w2", torch.zeros(2, 32), r"w2 must have shape \[1, 32\], got \[2, 32\]"),
        ("b2", torch.zeros(1).half(), r"b2 must have dtype torch.float32, got torch.float16"),
    ],
)
def test_bias_refuses_what_does_not_fit(bias: Any, name: str, value: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bias(*changed(rule_bias_case(3).tensors, HEAD, name, value), scale=0.1)
    with pytest.raises(ValueError, match="scale must be finite and above 0, got 0"):
        bias(*rule_bias_case(3).tensors, scale=0.0)
