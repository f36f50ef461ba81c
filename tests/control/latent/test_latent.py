"""The latent stack: its sizes, its way up and down, its averages and its harm streams."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.latent.latent import (
    LatentConfig,
    LatentStack,
    LatentState,
    ObservationEncoder,
)

from .. import drawn

BODY, WORLD = drawn.normal(2, 12), drawn.normal(2, 250, seed=1)
NAMES = ("z_self", "z_world", "z_beta", "z_theta", "z_delta")


def stack(seed: int = 0, **fields: Any) -> LatentStack:
    found = LatentStack(LatentConfig(**fields), generator=drawn.generator(seed))
    with torch.no_grad():
        for i, (name, parameter) in enumerate(found.named_parameters()):
            if name.endswith("precision_logit"):
                parameter.copy_(drawn.normal(len(parameter), seed=i))
    return found


def up_and_down(s: LatentStack) -> list[Tensor]:
    """The stack written out, each encoder called anew on the way down."""
    first_self, first_world = s.self_encoder(BODY), s.world_encoder(WORLD)
    both = torch.cat([first_self, first_world], -1)
    beta = s.beta_encoder(both)
    theta = s.theta_encoder(beta)
    delta = s.delta_encoder(theta)
    theta = s.theta_encoder(beta, s.delta_to_theta(delta))
    beta = s.beta_encoder(both, s.theta_to_beta(theta))
    down = s.beta_to_split(beta)
    return [s.self_encoder(BODY, down), s.world_encoder(WORLD, down), beta, theta, delta]


def test_it_has_the_parameters_of_the_specification() -> None:
    assert drawn.parameters_of(LatentStack()) == 44_816
    assert drawn.parameters_of(LatentStack().self_encoder.network) == 2_912
    assert drawn.parameters_of(LatentStack().world_encoder.network) == 18_144
    assert drawn.parameters_of(ObservationEncoder(12)) == 156
    assert drawn.parameters_of(ObservationEncoder(250)) == 62_750


def test_the_first_state_is_the_new_one_scaled_by_its_rate() -> None:
    s = stack(alpha_self=0.5, alpha_world=0.9, alpha_shared=0.1)
    found, wanted = s(BODY, WORLD), up_and_down(s)
    for name, rate, new in zip(NAMES, (0.5, 0.9, 0.1, 0.1, 0.1), wanted, strict=True):
        assert torch.allclose(getattr(found, name), rate * new, atol=1e-6), name
    shapes = [tuple(getattr(found, name).shape) for name in NAMES]
    assert shapes == [(2, 32), (2, 32), (2, 64), (2, 32), (2, 32)]
    assert found.z_harm is None
    assert found.z_harm_a is None


def test_a_constant_world_is_approached_by_the_rate_of_each_latent() -> None:
    s = stack(alpha_self=0.5, alpha_world=0.9, alpha_shared=0.1)
    wanted, state = up_and_down(s), None
    for _ in range(6):
        state = s(BODY, WORLD, state)
    assert state is not None
    for name, rate, new in zip(NAMES, (0.5, 0.9, 0.1, 0.1, 0.1), wanted, strict=True):
        assert torch.allclose(getattr(state, name), (1 - (1 - rate) ** 6) * new, atol=1e-5), name


def test_precision_starts_at_a_half() -> None:
    fresh = LatentStack(generator=drawn.generator())
    assert torch.equal(
        fresh.delta_encoder(WORLD[:, :32]), 0.5 * fresh.delta_encoder.network(WORLD[:, :32])
    )


def test_gradients_reach_the_encoders_and_not_the_step_before() -> None:
    s = stack()
    before = s(BODY, WORLD)
    roots = [getattr(before, name) for name in NAMES]
    for it in roots:
        it.retain_grad()
    state = s(BODY, WORLD, before)
    sum(getattr(state, name).sum() for name in NAMES).backward()
    assert all(it.grad is None for it in roots)
    taught = {name.split(".")[0] for name, it in s.named_parameters() if it.grad is not None}
    assert taught == {name for name, _ in s.named_children()}
    assert not state.detach().z_delta.requires_grad


def test_harm_is_encoded_beside_the_stack_and_not_averaged() -> None:
    s = stack(use_harm_stream=True, use_affective_harm_stream=True, harm_history=3)
    harm, harm_a = drawn.normal(2, 51), drawn.normal(2, 53)
    first = s(BODY, WORLD, harm=harm, harm_a=harm_a)
    second = s(-BODY, -WORLD, first, harm=harm, harm_a=harm_a)
    assert first.z_harm.shape == (2, 32)
    assert first.z_harm_a.shape == (2, 16)
    assert torch.equal(first.z_harm, second.z_harm)
    assert torch.equal(first.z_harm_a, second.z_harm_a)
    assert torch.equal(first.z_harm, s.harm_encoder(harm))
    assert not first.detach().z_harm.requires_grad


def test_streams_that_are_off_cost_no_parameter_no_random_number_and_no_bit() -> None:
    plain = stack()
    harmed = stack(use_harm_stream=True, use_affective_harm_stream=True)
    assert set(harmed.state_dict()) > set(plain.state_dict())
    assert not any("harm" in name for name in plain.state_dict())
    given = harmed(BODY, WORLD, harm=drawn.normal(2, 51), harm_a=drawn.normal(2, 50))
    assert torch.equal(given.z_delta, plain(BODY, WORLD).z_delta)
    assert torch.equal(plain(BODY, WORLD, harm=drawn.normal(2, 51)).z_delta, given.z_delta)
    torch.manual_seed(5)
    LatentStack()
    after = torch.get_rng_state()
    torch.manual_seed(5)
    LatentStack(LatentConfig(use_harm_stream=False))
    assert torch.equal(torch.get_rng_state(), after)


def test_no_rows_give_no_rows() -> None:
    state = stack()(BODY[:0], WORLD[:0])
    assert state.z_world.shape == (0, 32)


def test_it_is_copied_pickled_and_loaded_strictly() -> None:
    s, loaded = stack(), stack(seed=9)
    loaded.load_state_dict(s.state_dict())
    wanted = s(BODY, WORLD).z_delta
    for it in (copy.deepcopy(s), pickle.loads(pickle.dumps(s)), loaded):
        assert torch.equal(it(BODY, WORLD).z_delta, wanted)
    doubled = s.double()(BODY.double(), WORLD.double())
    assert torch.allclose(doubled.z_delta.float(), wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"body": torch.zeros(2, 13)}, r"body must be shaped \[2, 12\], got \[2, 13\]"),
        ({"world": torch.zeros(1, 250)}, r"world must be shaped \[2, 250\], got \[1, 250\]"),
        ({"harm": None}, "harm must be given where its stream is on, got None"),
        ({"harm": torch.zeros(51)}, r"harm must be shaped \[2, 51\], got \[51\]"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(told: dict[str, Any], message: str) -> None:
    given = {"body": BODY, "world": WORLD, "harm": torch.zeros(2, 51)} | told
    with pytest.raises(ValueError, match=message):
        stack(use_harm_stream=True)(**given)


def test_a_field_out_of_its_range_is_named() -> None:
    with pytest.raises(ValueError, match=r"alpha_world must be between 0 and 1, got 1\.5"):
        LatentConfig(alpha_world=1.5)
    with pytest.raises(TypeError, match="use_harm_stream must be True or False, got 1"):
        LatentConfig(use_harm_stream=1)  # type: ignore[arg-type]


def test_an_observation_encoder_is_a_rectified_square_layer() -> None:
    encoder = ObservationEncoder(12, generator=drawn.generator())
    found = encoder(BODY)
    assert torch.equal(found, encoder.linear(BODY).clamp(min=0))
    assert isinstance(stack()(found, WORLD), LatentState)
