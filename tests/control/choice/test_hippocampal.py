"""Proposals: the cross-entropy method over action objects, its bias, and its forms."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.choice.cross_entropy import hard_refit, search, soft_refit
from prefrontal.control.choice.hippocampal import HippocampalConfig, HippocampalModule

from .. import drawn

Z_SELF, Z_WORLD, PRIOR = (
    drawn.normal(1, 32),
    drawn.normal(1, 32, seed=1),
    drawn.normal(1, 32, seed=2),
)
BIAS = drawn.normal(1, 16, seed=3)


def proposed(h: HippocampalModule, seed: int = 0, **told: Any) -> Any:
    return h.propose(Z_SELF, Z_WORLD, PRIOR, generator=drawn.generator(seed), **told)


def by_hand(h: HippocampalModule, noise: Tensor, bias: Tensor | None) -> list[dict[str, Tensor]]:
    """The method written out, a candidate at a time, in double precision; a dict an iteration."""
    h = copy.deepcopy(h).double()
    z_self, z_world, noise = Z_SELF.double(), Z_WORLD.double(), noise.double()
    residue = h.residue_field(z_world).unsqueeze(-1)
    known = torch.cat([z_world, PRIOR.double(), residue], -1)
    mean = h.terrain_prior(known).view(h.config.horizon, 16)
    std, told = torch.ones_like(mean), []
    for drawn_now in noise:
        actions = [h.action_object_decoder(mean + std * it) for it in drawn_now]
        bias = None if bias is None else bias.double()
        ways = [h.e2.rollout_with_world(z_self, z_world, it.unsqueeze(0), bias) for it in actions]
        scores = torch.stack([h.residue_field(it.world_states).sum() for it in ways])
        objects = torch.stack([it.action_objects[0] for it in ways])
        elites = objects[scores.argsort()[: h.config.n_elite]]
        told.append({"mean": mean, "std": std, "actions": torch.stack(actions), "scores": scores})
        told[-1]["worlds"] = torch.stack([it.world_states[0] for it in ways])
        told[-1]["objects"] = objects
        mean, std = elites.mean(0), elites.std(0) + 1e-6
    return told


def noise_of(h: HippocampalModule, seed: int = 0) -> Tensor:
    c = h.config
    sizes = (c.num_cem_iterations, c.num_candidates, 1, c.horizon, 16)
    return torch.randn(sizes, generator=drawn.generator(seed))[:, :, 0]


def test_it_has_the_parameters_of_the_specification_beside_those_it_shares() -> None:
    h = drawn.hippocampal(horizon=30)
    assert (
        drawn.parameters_of(h.terrain_prior) + drawn.parameters_of(h.action_object_decoder)
        == 73_189
    )
    assert drawn.parameters_of(h) == 122_066
    assert HippocampalConfig().horizon == 10
    assert HippocampalConfig().n_elite == 6
    assert HippocampalConfig(num_candidates=4).n_elite == 2


@pytest.mark.parametrize("iterations", [1, 2, 3])
@pytest.mark.parametrize("bias", [None, BIAS])
def test_proposals_are_those_of_the_method_written_out(
    iterations: int, bias: Tensor | None
) -> None:
    h = drawn.hippocampal(num_cem_iterations=iterations)
    found = proposed(h, action_bias=bias)
    wanted = by_hand(h, noise_of(h), bias)[-1]
    assert len(found) == 12
    for name, part in (("actions", found.actions), ("worlds", found.world_states)):
        assert torch.allclose(part[:, 0].double(), wanted[name], atol=1e-4), name
    assert torch.allclose(found.action_objects[:, 0].double(), wanted["objects"], atol=1e-4)
    assert torch.allclose(found.residue_scores[:, 0].double(), wanted["scores"], atol=1e-4)


def test_more_iterations_bring_less_residue() -> None:
    marks = drawn.hippocampal(num_cem_iterations=1, num_candidates=64)
    more = drawn.hippocampal(num_cem_iterations=4, num_candidates=64)
    few, many = (float(proposed(it).residue_scores.mean()) for it in (marks, more))
    assert many < few


def test_with_one_iteration_a_bias_moves_nothing_but_the_objects_told() -> None:
    h = drawn.hippocampal(num_cem_iterations=1)
    plain, biased = proposed(h), proposed(h, action_bias=BIAS)
    assert torch.equal(plain.actions, biased.actions)
    assert torch.equal(plain.world_states, biased.world_states)
    assert torch.equal(plain.states, biased.states)
    assert torch.allclose(biased.action_objects, plain.action_objects + BIAS, atol=1e-6)


def test_a_bias_moves_the_next_mean_by_exactly_itself() -> None:
    h = drawn.hippocampal(num_cem_iterations=2)
    noise = noise_of(h)
    plain, biased = (by_hand(h, noise, it)[1] for it in (None, BIAS))
    shift = biased["mean"] - plain["mean"]
    assert torch.allclose(shift, BIAS.double().expand_as(shift), atol=1e-12)
    assert torch.allclose(biased["std"], plain["std"], atol=1e-12)
    moved = h.decode((plain["mean"] + BIAS.double() + plain["std"] * noise[1].double()).float())
    assert torch.allclose(proposed(h, action_bias=BIAS).actions[:, 0], moved, atol=1e-4)


def test_a_batch_is_many_agents_each_with_its_own_elites_and_bias() -> None:
    h = drawn.hippocampal()
    z_self, z_world, prior = (drawn.normal(3, 32, seed=it) for it in (7, 8, 9))
    bias, noise = drawn.normal(3, 16, seed=10), drawn.normal(3, 12, 3, 4, 16, seed=11)
    mean = h.terrain_mean(z_world, prior)
    refit, parts = hard_refit(2), (h.e2, h.action_object_decoder, h.residue_field)
    both = search(*parts, (z_self, z_world), mean, noise, refit, bias)
    assert both.world_states.shape == (12, 3, 5, 32)
    for agent in range(3):
        one = slice(agent, agent + 1)
        alone = search(
            *parts, (z_self[one], z_world[one]), mean[one], noise[:, :, one], refit, bias[one]
        )
        assert torch.allclose(both.actions[:, one], alone.actions, atol=1e-5)
        assert torch.allclose(both.action_objects[:, one], alone.action_objects, atol=1e-5)
    found = h.propose(z_self, z_world, prior, action_bias=bias, generator=drawn.generator())
    assert found.actions.shape == (12, 3, 4, 5)
    assert h.propose(z_self[:0], z_world[:0]).world_states.shape == (12, 0, 5, 32)


def test_one_agent_in_the_operator_is_one_agent_in_the_batched_form() -> None:
    h = drawn.hippocampal()
    wanted = proposed(h, action_bias=BIAS)
    mean, noise = h.terrain_mean(Z_WORLD, PRIOR), noise_of(h).unsqueeze(2)
    parts = (h.e2, h.action_object_decoder, h.residue_field)
    refit = hard_refit(h.config.n_elite)
    found = search(*parts, (Z_SELF, Z_WORLD), mean, noise, refit, BIAS)
    assert torch.allclose(found.actions, wanted.actions, atol=1e-5)
    assert torch.allclose(found.states, wanted.states, atol=1e-5)
    assert found.residue_scores is not None
    assert torch.allclose(found.residue_scores, wanted.residue_scores, atol=1e-4)


def test_the_softly_refitted_form_teaches_the_bias_the_prior_and_the_decoder() -> None:
    h = drawn.hippocampal()
    bias = BIAS.clone().requires_grad_()
    found = h.propose_differentiable(
        Z_SELF, Z_WORLD, PRIOR, action_bias=bias, generator=drawn.generator()
    )
    found.world_states.square().sum().backward()
    for grad in (bias.grad, *(it.grad for it in h.terrain_prior.parameters())):
        assert grad is not None
        assert bool(torch.isfinite(grad).all())
        assert float(grad.abs().sum()) > 0.0
    assert all(it.grad is not None for it in h.action_object_decoder.parameters())


def test_a_soft_refit_at_a_low_temperature_is_the_best_candidate() -> None:
    objects, scores = drawn.normal(6, 2, 3, 16), drawn.normal(6, 2, seed=1)
    mean, std = soft_refit(1e-4)(objects, scores)
    for agent in range(2):
        best = objects[int(scores[:, agent].argmin()), agent]
        assert torch.allclose(mean[agent], best, atol=1e-4)
    assert float(std.max()) < 1e-2
    mean, std = soft_refit(1e9)(objects, scores)
    assert torch.allclose(mean, objects.mean(0), atol=1e-5)
    assert torch.allclose(std, objects.std(0, correction=0), atol=1e-5)


def test_acting_keeps_no_graph_and_the_generator_decides() -> None:
    h = drawn.hippocampal()
    bias = BIAS.clone().requires_grad_()
    before = torch.get_rng_state()
    first, second, other = (proposed(h, seed, action_bias=bias) for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert not first.world_states.requires_grad
    assert torch.equal(first.actions, second.actions)
    assert not torch.equal(first.actions, other.actions)


def test_no_prior_counts_as_zero_and_residue_is_part_of_what_is_known() -> None:
    h = drawn.hippocampal()
    assert torch.equal(h.terrain_mean(Z_WORLD), h.terrain_mean(Z_WORLD, torch.zeros(1, 32)))
    assert not torch.equal(h.terrain_mean(Z_WORLD), h.terrain_mean(Z_WORLD, PRIOR))
    before = h.terrain_mean(Z_WORLD)
    h.residue_field.accumulate(Z_WORLD, 50.0)
    assert not torch.equal(h.terrain_mean(Z_WORLD), before)


def test_a_clamp_of_e2_holds_in_proposals_too() -> None:
    e2 = drawn.e2(output_norm_clamp=0.5)
    config = HippocampalConfig(action_dim=5, horizon=3, num_candidates=6)
    h = HippocampalModule(config, e2, drawn.field(), generator=drawn.generator(6))
    found = h.propose(Z_SELF, Z_WORLD)
    longest = found.world_states[:, :, 1:].norm(dim=-1).max()
    assert float(longest) <= 0.5 * float(Z_WORLD.norm()) + 1e-4


def test_the_decoder_learns_to_invert_e2_and_e2_learns_nothing_by_it() -> None:
    h = drawn.hippocampal()
    optimiser = torch.optim.Adam(h.action_object_decoder.parameters(), lr=1e-2)
    z, actions = drawn.normal(100, 32), torch.eye(5).repeat(20, 1)
    losses = []
    for _ in range(80):
        loss = h.decoder_loss(z, actions)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.2 * losses[0]
    assert all(it.grad is None for it in h.e2.parameters())


def test_it_is_copied_pickled_and_saved_with_what_it_shares() -> None:
    h, loaded = drawn.hippocampal(), drawn.hippocampal()
    h.residue_field.accumulate(Z_WORLD, 3.0)
    loaded.load_state_dict(h.state_dict())
    for it in (copy.deepcopy(h), pickle.loads(pickle.dumps(h)), loaded):
        assert torch.equal(proposed(it).actions, proposed(h).actions)
    assert copy.deepcopy(h).e2 is not h.e2


@pytest.mark.parametrize(
    ("place", "given", "message"),
    [
        ("z_world", torch.zeros(32), r"z_world must be shaped \[B, 32\], got \[32\]"),
        ("z_self", torch.zeros(2, 32), r"z_self must be shaped \[1, 32\], got \[2, 32\]"),
        ("e1_prior", torch.zeros(1, 64), r"e1_prior must be shaped \[1, 32\], got \[1, 64\]"),
        ("action_bias", torch.zeros(2, 16), r"action_bias must be shaped \[1, 16\], got \[2, 16\]"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(place: str, given: Tensor, message: str) -> None:
    told: dict[str, Any] = {
        "z_self": Z_SELF,
        "z_world": Z_WORLD,
        "e1_prior": PRIOR,
        "action_bias": BIAS,
    }
    with pytest.raises(ValueError, match=message):
        drawn.hippocampal().propose(**{**told, place: given})


def test_sizes_must_be_those_of_e2_and_of_the_field() -> None:
    with pytest.raises(ValueError, match=r"action_dim must be that of E2 \(5\), got 4"):
        HippocampalModule(HippocampalConfig(), drawn.e2(), drawn.field())
    with pytest.raises(ValueError, match=r"world_dim must be the field's \(8\), got 32"):
        HippocampalModule(HippocampalConfig(action_dim=5), drawn.e2(), drawn.field(0, world_dim=8))
    with pytest.raises(ValueError, match="num_candidates must be at least 2, got 1"):
        HippocampalConfig(num_candidates=1)
