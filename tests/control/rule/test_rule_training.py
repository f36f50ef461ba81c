"""The phases P0, P1 and P2 of a rule head: what learns in each, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from prefrontal.control import LateralPFCAnalog, LateralPFCConfig
from prefrontal.control.rule.rule_training import RuleTraining, reinforce_loss, rule_label_loss


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def module(head: Any = "trained", **options: Any) -> LateralPFCAnalog:
    config = LateralPFCConfig(use_lateral_pfc_analog=True, head=head, **options)
    return LateralPFCAnalog(config, generator=torch.Generator().manual_seed(0))


def training(**options: Any) -> tuple[RuleTraining, LateralPFCAnalog, nn.Linear]:
    pfc, encoder = module(bias_bound="tanh"), nn.Linear(8, 32)
    pfc.set_rule_state(drawn(16))
    return RuleTraining(pfc, [encoder], **options), pfc, encoder


def learns(part: nn.Module) -> set[bool]:
    return {it.requires_grad for it in part.parameters()}


def test_each_phase_lets_one_part_learn_and_no_phase_the_projections() -> None:
    run, pfc, encoder = training()
    found = []
    for _ in range(3):
        found.append((run.phase, learns(encoder), learns(pfc.rule_bias_head), encoder.training))
        assert learns(pfc.delta_proj) == learns(pfc.world_proj) == {False}
        if run.phase != "P2":
            run.advance()
    assert found == [
        ("P0", {True}, {False}, True),
        ("P1", {False}, {True}, False),
        ("P2", {False}, {False}, False),
    ]
    with pytest.raises(ValueError, match="^phase must be P0 or P1 to advance, got 'P2'$"):
        run.advance()


def test_the_head_is_trained_in_p1_only_and_without_a_graph_into_the_encoder() -> None:
    run, pfc, encoder = training(learning_rate=0.01)
    raw, right = drawn(6, 8), torch.tensor(4)
    before = {name: it.clone() for name, it in pfc.state_dict().items()}
    weights = encoder.weight.detach().clone()

    def loss() -> Tensor:
        return rule_label_loss(pfc.compute_bias(run.latent(encoder(raw))), right, temperature=0.02)

    with pytest.raises(ValueError, match="^phase must be P1 to train the head, got 'P0'$"):
        run.step(loss())
    run.advance()
    first = run.step(loss())
    for _ in range(30):
        last = run.step(loss())
    assert last < 0.2 * first and pfc.compute_bias(encoder(raw)).argmin() == right
    changed = {name for name, it in pfc.state_dict().items() if not torch.equal(it, before[name])}
    assert changed == {name for name in before if name.startswith("rule_bias_head.")}
    assert torch.equal(encoder.weight, weights) and encoder.weight.grad is None
    run.advance()
    with pytest.raises(ValueError, match="^phase must be P1 to train the head, got 'P2'$"):
        run.step(first * drawn(1).requires_grad_().sum())
    assert not pfc.compute_bias(encoder(raw)).requires_grad


def test_a_latent_keeps_its_graph_in_p0_only() -> None:
    run, _, encoder = training()
    z = encoder(drawn(8))
    assert run.latent(z).requires_grad
    run.advance()
    assert not run.latent(z).requires_grad


def test_a_head_that_is_not_to_be_trained_is_refused() -> None:
    for head in ("frozen_zero", "frozen_random"):
        with pytest.raises(ValueError, match=f"^head must be 'trained' to be trained, got '{head}"):
            RuleTraining(module(head))
    with pytest.raises(ValueError, match="^head must be 'trained' .*got 'a module that is off'$"):
        RuleTraining(LateralPFCAnalog(LateralPFCConfig(head="trained")))


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (torch.tensor(math.nan, requires_grad=True), "^loss must be one finite number, got"),
        (torch.ones(2, requires_grad=True), "^loss must be one finite number, got"),
        (torch.tensor(1.0), "^loss must depend on the head, got one without a graph$"),
    ],
)
def test_a_loss_that_teaches_nothing_is_refused(loss: Tensor, message: str) -> None:
    run, _, _ = training()
    run.advance()
    with pytest.raises(ValueError, match=message):
        run.step(loss)


def test_rule_labels_ask_for_the_lowest_bias() -> None:
    bias = torch.tensor([[0.1, -0.1], [0.1, -0.1]], requires_grad=True)
    loss = rule_label_loss(bias, torch.tensor([1, 0]), temperature=0.1)
    wanted = (math.log(1 + math.exp(-2)) + math.log(1 + math.exp(2))) / 2
    assert loss.item() == pytest.approx(wanted, rel=1e-5)
    single = rule_label_loss(bias[0], torch.tensor(1), temperature=0.1)
    assert single.item() == pytest.approx(math.log(1 + math.exp(-2)), rel=1e-5)


def test_reinforcement_raises_the_probability_of_what_was_rewarded() -> None:
    log_prob = torch.tensor([-0.5, -2.0], requires_grad=True)
    reinforce_loss(log_prob, torch.tensor([1.0, 0.0]), baseline=0.5).backward()
    assert log_prob.grad is not None
    assert log_prob.grad.tolist() == [-0.25, 0.25]
