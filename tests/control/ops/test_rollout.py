"""The batched rollout of E2: what it computes, whoever computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control.ops import available, rollout
from prefrontal.control.ops.rollouts import plain_rollout

from ..rollout_cases import SMALL, Doubles, Sizes, Source, doubles, mlp_twin, rollout_arguments

needs_kernels = pytest.mark.skipif(not available(), reason="prefrontal._torch was not built")


def twin(
    z_self: Doubles, z_world: Doubles, actions: Doubles, e2: list[Doubles]
) -> tuple[list[Doubles], list[Doubles], list[Doubles]]:
    """One row, from the formulas."""
    states, worlds, objects = [z_self], [z_world], []
    for a in actions:
        objects.append(mlp_twin(np.concatenate([worlds[-1], a]), e2[14:]))
        of_self = np.concatenate([states[-1], e2[0] @ a + e2[1]])
        of_world = np.concatenate([worlds[-1], e2[8] @ a + e2[9]])
        states.append(states[-1] + mlp_twin(of_self, e2[2:8]))
        worlds.append(worlds[-1] + mlp_twin(of_world, e2[10:14]))
    return states, worlds, objects


@pytest.mark.parametrize("run", [rollout, plain_rollout])
@pytest.mark.parametrize("rows", [1, 3, 16, 17, 33])
def test_each_row_takes_the_steps_of_the_formulas(run: Any, rows: int) -> None:
    z_self, z_world, actions, e2 = rollout_arguments(rows, 4, seed=rows)
    found = run(z_self, z_world, actions, e2)
    parameters = doubles(e2)
    for row in {0, rows // 2, rows - 1}:
        self, world, given = doubles((z_self[row], z_world[row], actions[row]))
        asked = twin(self, world, given, parameters)
        for result, numbers in zip(found, asked, strict=True):
            np.testing.assert_allclose(result[row].numpy(), numbers, rtol=1e-5, atol=1e-6)


def test_shapes_are_those_of_states_before_and_after_each_step() -> None:
    states, worlds, objects = rollout(*rollout_arguments(6, 10))
    assert (states.shape, worlds.shape) == ((6, 11, 32), (6, 11, 32))
    assert objects.shape == (6, 10, 16)


@pytest.mark.parametrize(("rows", "steps"), [(0, 3), (0, 0), (4, 0)])
def test_nothing_to_roll_gives_the_first_states_alone(rows: int, steps: int) -> None:
    z_self, z_world, actions, e2 = rollout_arguments(rows, steps)
    states, worlds, objects = rollout(z_self, z_world, actions, e2)
    assert states.shape == worlds.shape == (rows, steps + 1, 32)
    assert objects.shape == (rows, steps, 16)
    assert torch.equal(states[:, 0], z_self)
    assert torch.equal(worlds[:, 0], z_world)


@needs_kernels
def test_a_row_does_not_depend_on_the_rows_around_it() -> None:
    z_self, z_world, actions, e2 = rollout_arguments(37, 5, seed=3)
    together = rollout(z_self, z_world, actions, e2)
    for start, stop in ((0, 1), (5, 9), (10, 30), (36, 37)):
        apart = rollout(z_self[start:stop], z_world[start:stop], actions[start:stop], e2)
        for whole, part in zip(together, apart, strict=True):
            assert torch.equal(whole[start:stop], part)


def test_the_bias_is_added_to_the_action_objects_and_moves_no_state() -> None:
    arguments, draw = rollout_arguments(5, 3, seed=1), Source(2)
    states, worlds, objects = rollout(*arguments)
    for bias in (draw.normal(16), draw.normal(1, 16), draw.normal(5, 16)):
        shifted = rollout(*arguments, bias)
        assert torch.equal(shifted[0], states)
        assert torch.equal(shifted[1], worlds)
        each = bias if bias.dim() == 1 else bias[:, None]
        torch.testing.assert_close(shifted[2], objects + each, rtol=0, atol=1e-6)


def test_without_a_bias_is_with_a_bias_of_zeros() -> None:
    arguments = rollout_arguments(5, 3, seed=1)
    with_zeros = rollout(*arguments, torch.zeros(1, 16))
    for a, b in zip(rollout(*arguments), with_zeros, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("sizes", [SMALL, Sizes(action=4), Sizes(hidden=200), Sizes(world=70)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_other_sizes_and_double_precision_are_taken(sizes: Sizes, dtype: torch.dtype) -> None:
    arguments = rollout_arguments(3, 2, sizes, dtype=dtype)
    for a, b in zip(rollout(*arguments), plain_rollout(*arguments), strict=True):
        assert a.dtype == dtype
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)


def test_nan_stays_in_its_row() -> None:
    z_self, z_world, actions, e2 = rollout_arguments(4, 2)
    clean = rollout(z_self, z_world, actions, e2)
    actions = actions.clone()
    actions[1, 0, 0] = torch.nan
    for before, after in zip(clean, rollout(z_self, z_world, actions, e2), strict=True):
        assert after[1, -1].isnan().all()
        assert torch.equal(after[[0, 2, 3]], before[[0, 2, 3]])


def changed(name: str) -> tuple[Any, ...]:
    """Arguments of which one does not fit."""
    z_self, z_world, actions, e2 = rollout_arguments(4, 2)
    bias: Tensor | None = None
    if name == "z_self":
        z_self = z_self[0]
    elif name == "z_world":
        z_world = z_world[:3]
    elif name == "actions":
        actions = actions[:3]
    elif name == "bias":
        bias = torch.zeros(3, 16)
    elif name == "count":
        e2 = e2[:-1]
    elif name == "dtype":
        z_world = z_world.double()
    elif name == "whole numbers":
        z_self = z_self.long()
    else:
        e2[int(name)] = e2[int(name)][:-1]
    return z_self, z_world, actions, e2, bias


@pytest.mark.parametrize("run", [rollout, plain_rollout])
@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("z_self", r"z_self must have shape \[any, any\], got \[32\]"),
        ("z_world", r"z_world must have shape \[4, any\], got \[3, 32\]"),
        ("actions", r"actions must have shape \[4, any, any\], got \[3, 2, 5\]"),
        ("bias", r"bias must have shape \[4, 16\], got \[3, 16\]"),
        ("count", r"parameters must be self_action_weight, .*, got 17 tensors"),
        ("dtype", r"z_world must have dtype torch.float32, got torch.float64"),
        ("whole numbers", r"z_self must have a floating dtype, got torch.int64"),
        ("0", r"parameters' self_action_bias must have shape \[4\], got \[5\]"),
        ("7", r"parameters' self_bias_3 must have shape \[32\], got \[31\]"),
        ("12", r"parameters' world_weight_2 must have shape \[32, 128\], got \[31, 128\]"),
        ("15", r"parameters' object_bias_1 must have shape \[128\], got \[127\]"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(run: Any, what: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        run(*changed(what))
