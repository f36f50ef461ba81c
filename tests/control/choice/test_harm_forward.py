"""What harm will be felt: a residual model of z_harm, and the bridge from z_world."""

from __future__ import annotations

import torch

from prefrontal.control.choice.harm_forward import ResidualHarmForward

from .. import drawn


def test_a_rollout_is_one_step_after_the_other() -> None:
    model = ResidualHarmForward(generator=drawn.generator())
    z, actions = drawn.normal(3, 32), drawn.normal(3, 4, 5, seed=1)
    found = model.rollout(z, actions)
    assert found.shape == (3, 4, 32)
    assert model.rollout(z[:0], actions[:0]).shape == (0, 4, 32)
    for t in range(4):
        z = model(z, actions[:, t])
        assert torch.allclose(found[:, t], z, atol=1e-6)


def test_without_its_networks_share_harm_stays_as_it_is() -> None:
    model = ResidualHarmForward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    z = drawn.normal(2, 32)
    assert torch.equal(model(z, drawn.normal(2, 5)), z)


def test_it_learns_what_follows_and_the_target_takes_no_gradient() -> None:
    z, action = drawn.normal(64, 32), drawn.normal(64, 5, seed=1)
    wanted = (0.5 * z).requires_grad_()
    model = ResidualHarmForward(generator=drawn.generator())
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(60):
        loss = model.prediction_loss(z, action, wanted)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.25 * losses[0]
    assert wanted.grad is None
