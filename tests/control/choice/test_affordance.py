"""The two ways a cue's action bias is taught, and its term in the scores."""

from __future__ import annotations

import pytest
import torch

from prefrontal.control.choice.affordance import (
    affordance_loss,
    affordance_policy_loss,
    affordance_scores,
)

from .. import drawn


def test_the_term_is_lowest_where_the_first_object_points_as_the_bias_does() -> None:
    many = drawn.candidates(4, agents=2)
    bias = 3.0 * many.action_objects[1, :, 0]
    found = affordance_scores(many.action_objects, bias, 0.7)
    assert found.shape == (4, 2)
    assert torch.allclose(found[1], torch.full((2,), -0.7))
    assert bool((found[[0, 2, 3]] > -0.7).all())
    assert torch.equal(
        affordance_scores(many.action_objects, torch.zeros(1, 16), 0.7), torch.zeros(4, 2)
    )


def test_the_loss_draws_the_bias_to_what_the_executed_action_means() -> None:
    e2, z, action = drawn.e2(), drawn.normal(8, 32), torch.eye(5).repeat(2, 1)[:8]
    wanted = e2.action_object(z, action).detach()
    bias = torch.zeros(8, 16, requires_grad=True)
    loss = affordance_loss(bias, e2, z, action)
    assert torch.allclose(loss, (bias - wanted).square().mean())
    loss.backward()
    assert bias.grad is not None
    assert torch.allclose(bias.grad, -2 * wanted / bias.numel(), atol=1e-7)
    assert float(affordance_loss(wanted, e2, z, action)) == 0.0
    assert all(it.grad is None for it in e2.parameters())


def test_actions_that_turned_out_badly_do_not_count() -> None:
    e2, z, action = drawn.e2(), drawn.normal(3, 32), torch.eye(5)[:3]
    bias = drawn.normal(3, 16)
    only_first = affordance_loss(bias, e2, z, action, torch.tensor([0.5, 0.0, 0.0]))
    assert torch.allclose(only_first, affordance_loss(bias[:1], e2, z[:1], action[:1]))
    assert float(affordance_loss(bias, e2, z, action, torch.zeros(3))) == 0.0
    with pytest.raises(ValueError, match=r"weight must be shaped \[3\], got \[1\]"):
        affordance_loss(bias, e2, z, action, torch.ones(1))
    with pytest.raises(ValueError, match="weight must be at least 0, got -1.0"):
        affordance_loss(bias, e2, z, action, torch.tensor([1.0, -1.0, 0.0]))


@pytest.mark.parametrize("advantage", [1.0, -1.0])
def test_the_policy_loss_turns_the_bias_to_choices_that_paid(advantage: float) -> None:
    many, scores = drawn.candidates(5), drawn.normal(5, seed=9).requires_grad_()
    bias = drawn.normal(1, 16, seed=10).requires_grad_()
    loss = affordance_policy_loss(scores, many.action_objects, bias, 2, advantage, kappa=0.5)
    term = affordance_scores(many.action_objects, bias, 0.5)[:, 0]
    chances = torch.softmax(-(scores + term), dim=0)
    assert torch.allclose(loss, -advantage * chances[2].log(), atol=1e-6)
    loss.backward()
    assert scores.grad is None
    assert bias.grad is not None
    with torch.no_grad():
        moved = affordance_scores(many.action_objects, bias - 0.1 * bias.grad, 0.5)[:, 0]
        after = torch.softmax(-(scores + moved), dim=0)
    assert (float(after[2]) > float(chances.detach()[2])) == (advantage > 0)
