"""E2 predicts self and world, makes objects of actions, and rolls both out."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.choice.e2 import E2Config, E2FastPredictor

from .. import drawn


def layers(network: Any, x: Tensor) -> Tensor:
    """The network written out, in double precision."""
    linear = [it for it in network.modules() if isinstance(it, torch.nn.Linear)]
    for i, layer in enumerate(linear):
        x = x @ layer.weight.detach().double().T + layer.bias.detach().double()
        x = x.clamp(min=0) if i + 1 < len(linear) else x
    return x


def off(found: Tensor, wanted: Tensor) -> float:
    return float((found.detach().double() - wanted).abs().max() / wanted.abs().max())


def test_it_has_the_parameters_of_the_specification() -> None:
    e2 = drawn.e2()
    assert drawn.parameters_of(e2) == 41_484
    assert drawn.parameters_of(e2.self_transition) == 25_504
    assert drawn.parameters_of(e2.world_transition) == 8_992
    assert drawn.parameters_of(e2.action_object_head) == 6_928
    assert E2Config().action_dim == 4


def test_one_step_is_within_1e_6_of_the_formulas_in_double() -> None:
    e2 = drawn.e2()
    z_self, z_world, action = (drawn.normal(7, n, seed=n) for n in (32, 33, 5))
    z_world = z_world[:, 1:]  # not contiguous
    doubles = [it.double() for it in (z_self, z_world, action)]
    own, seen = (layers(it, doubles[2]) for it in (e2.self_action_encoder, e2.world_action_encoder))
    next_self = doubles[0] + layers(e2.self_transition, torch.cat([doubles[0], own], -1))
    next_world = doubles[1] + layers(e2.world_transition, torch.cat([doubles[1], seen], -1))
    objects = layers(e2.action_object_head, torch.cat([doubles[1], doubles[2]], -1))
    found = e2(z_self, z_world, action)
    assert off(found[0], next_self) <= 1e-6
    assert off(found[1], next_world) <= 1e-6
    assert off(e2.action_object(z_world, action), objects) <= 1e-6


def test_a_bias_is_added_after_the_head_and_none_is_as_no_argument() -> None:
    e2 = drawn.e2()
    z, action, bias = drawn.normal(3, 32), drawn.normal(3, 5, seed=1), drawn.normal(3, 16, seed=2)
    plain = e2.action_object(z, action)
    assert torch.equal(e2.action_object(z, action, None), plain)
    assert torch.equal(e2.action_object(z, action, bias), plain + bias)
    assert torch.equal(e2.action_object(z, action, bias[:1]), plain + bias[:1])


@pytest.mark.parametrize("clamp", [None, 1e9])
def test_a_rollout_takes_each_object_from_the_state_before_its_action(clamp: float | None) -> None:
    e2 = drawn.e2(output_norm_clamp=clamp)
    z_self, z_world = drawn.normal(3, 32), drawn.normal(3, 32, seed=1)
    actions, bias = drawn.normal(3, 4, 5, seed=2), drawn.normal(1, 16, seed=3)
    found = e2.rollout_with_world(z_self, z_world, actions, bias)
    assert found.states.shape == found.world_states.shape == (3, 5, 32)
    assert torch.equal(found.actions, actions)
    for t in range(4):
        objects = e2.action_object(z_world, actions[:, t], bias)
        assert torch.allclose(found.action_objects[:, t], objects, atol=1e-5)
        assert torch.allclose(found.world_states[:, t], z_world, atol=1e-5)
        z_self, z_world = e2(z_self, z_world, actions[:, t])
    assert torch.allclose(found.states[:, 4], z_self, atol=1e-5)
    assert torch.allclose(found.world_states[:, 4], z_world, atol=1e-5)


def test_a_clamp_holds_the_worlds_norm_to_a_multiple_of_the_first() -> None:
    e2 = drawn.e2(output_norm_clamp=2.0)
    with torch.no_grad():
        for parameter in e2.world_transition.parameters():
            parameter.mul_(20.0)
    z = drawn.normal(4, 32)
    found = e2.rollout_with_world(z, z, drawn.normal(4, 6, 5, seed=1))
    ratios = found.world_states.detach().norm(dim=-1) / z.norm(dim=-1, keepdim=True)
    assert float(ratios.max()) <= 2.0 + 1e-5
    assert float(ratios[:, -1].min()) > 1.9
    zero = e2.rollout_with_world(z, torch.zeros(4, 32), drawn.normal(4, 2, 5))
    assert torch.equal(zero.world_states, torch.zeros(4, 3, 32))


def test_the_loss_teaches_the_self_and_nothing_of_the_world() -> None:
    e2 = drawn.e2()
    z, action, wanted = (drawn.normal(16, n, seed=n) for n in (32, 5, 32))
    loss = e2.prediction_loss(z, action, wanted)
    assert torch.allclose(loss, (e2.predict_next_self(z, action) - wanted).square().mean())
    loss.backward()
    touched = {name.split(".")[0] for name, it in e2.named_parameters() if it.grad is not None}
    assert touched == {"self_action_encoder", "self_transition"}


def test_a_rollout_has_gradients_for_all_that_it_used() -> None:
    e2 = drawn.e2().double()
    z, bias = drawn.normal(2, 32, dtype=torch.float64), torch.zeros(1, 16, dtype=torch.float64)
    z.requires_grad_()
    bias.requires_grad_()
    actions = drawn.normal(2, 2, 5, seed=1, dtype=torch.float64)
    found = e2.rollout_with_world(z, z, actions, bias)
    (found.states.sum() + found.world_states.sum() + found.action_objects.sum()).backward()
    assert bias.grad is not None
    assert torch.equal(bias.grad, torch.full((1, 16), 4.0, dtype=torch.float64))
    assert z.grad is not None
    assert all(it.grad is not None and it.grad.abs().sum() > 0 for it in e2.parameters())


def test_no_rows_give_no_rows() -> None:
    e2 = drawn.e2()
    none = torch.zeros(0, 32)
    found = e2.rollout_with_world(none, none, torch.zeros(0, 3, 5))
    assert found.world_states.shape == (0, 4, 32)
    assert found.action_objects.shape == (0, 3, 16)


def test_meta_tensors_have_the_shapes_and_no_numbers() -> None:
    e2, z = drawn.e2().to("meta"), torch.zeros(3, 32, device="meta")
    found = e2.rollout_with_world(z, z, torch.zeros(3, 4, 5, device="meta"))
    assert found.world_states.is_meta
    assert found.world_states.shape == (3, 5, 32)


@pytest.mark.exhaustive
def test_a_rollout_compiles_without_a_graph_break() -> None:
    e2, z, actions = drawn.e2(), drawn.normal(2, 32), drawn.normal(2, 1, 5)
    whole = torch.compile(e2.rollout_with_world, fullgraph=True, backend="aot_eager")
    wanted = e2.rollout_with_world(z, z, actions)
    assert torch.allclose(whole(z, z, actions).action_objects, wanted.action_objects, atol=1e-6)


def test_a_seed_draws_its_weights_and_leaves_the_global_generator_alone() -> None:
    before = torch.get_rng_state()
    first, second = drawn.e2(), drawn.e2()
    assert torch.equal(torch.get_rng_state(), before)
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True)
    )


def test_it_is_copied_pickled_and_loaded_strictly() -> None:
    e2 = drawn.e2()
    z, action = drawn.normal(2, 32), drawn.normal(2, 5)
    wanted = e2.predict_next_self(z, action)
    loaded = E2FastPredictor(E2Config(action_dim=5))
    loaded.load_state_dict(e2.state_dict())
    for it in (copy.deepcopy(e2), pickle.loads(pickle.dumps(e2)), loaded):
        assert torch.equal(it.predict_next_self(z, action), wanted)
    with pytest.raises(RuntimeError, match="size mismatch"):
        E2FastPredictor().load_state_dict(e2.state_dict())


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("action_dim", 0, ValueError), ("hidden_dim", 1.5, TypeError),
        ("world_dim", True, TypeError),
        ("output_norm_clamp", 0.0, ValueError), ("output_norm_clamp", float("nan"), ValueError),
        ("rollout_horizon", -1, ValueError),
    ],
)  # fmt: skip
def test_a_field_out_of_its_range_is_named(field: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"^{field} must be .*, got {value!r}$"):
        E2Config(**{field: value})
