"""The cue path is the formula, knows the world alone, and learns what it is taught."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.e1 import E1DeepPredictor
from prefrontal.control.memory.slot_attention import SlotSelectionConfig
from prefrontal.control.memory.terrain_loss import TerrainTargetsConfig

from .. import state_twins as twins

SHARP = ContextMemoryConfig(attention="cosine", slot_init="orthogonal")


def made(seed: int = 0, **options: Any) -> E1DeepPredictor:
    torch.manual_seed(seed)
    e1 = E1DeepPredictor(sd016_enabled=True, **options)
    if e1.config.memory.slot_init == "normal":
        with torch.no_grad():
            e1.context_memory.memory.mul_(100)
    return e1


def cues(n: int, seed: int = 1) -> Tensor:
    return torch.randn(n, 32, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("n", [0, 1, 20])
@pytest.mark.parametrize("temperature", [False, True])
@pytest.mark.parametrize("world", [False, True])
@pytest.mark.parametrize("attention", ["dot", "cosine"])
def test_a_cue_is_the_formula(attention: Any, world: bool, temperature: bool, n: int) -> None:
    e1 = made(
        memory=ContextMemoryConfig(attention=attention),
        cue_action_input="context+world" if world else "context",
        selection=SlotSelectionConfig(temperature_learnable=temperature),
    )
    z = cues(n)
    wanted = twins.cue(e1.cue_parameters(), z.numpy(), cosine=attention == "cosine", world=world)
    action, terrain = e1.extract_cue_context(z)
    assert action.shape == (n, 16) and terrain.shape == (n, 2)
    assert np.allclose(action.detach().numpy(), wanted.action_bias, atol=2e-6)
    assert np.allclose(terrain.detach().numpy(), wanted.terrain_weight, atol=2e-6)
    assert e1.cue_weights is not None and not e1.cue_weights.requires_grad
    assert np.allclose(e1.cue_weights.numpy(), wanted.weights, atol=2e-6)


def test_the_slots_weights_are_those_of_the_last_cue() -> None:
    e1 = made(memory=SHARP)
    for n in (3, 2):
        e1.extract_cue_context(cues(n, seed=n))
        found = e1.cue_weights
        assert found is not None and torch.equal(found, e1.select_slots(cues(n, seed=n)).detach())


@pytest.mark.parametrize("options", [{"beta": 1.5}, {"update_steps": 2}])
def test_an_option_of_the_memory_enters_the_cue(options: dict[str, Any]) -> None:
    memory = dataclasses.replace(SHARP, **options)
    e1, z = made(memory=memory), cues(4)
    weights = e1.select_slots(z)
    query = e1.world_query_proj(z)
    assert torch.allclose(weights, e1.context_memory.scores(query).softmax(dim=1), atol=1e-6)
    assert not torch.allclose(weights, made(memory=SHARP).select_slots(z), atol=1e-4)
    context = e1.context_memory.read_with(weights)
    assert torch.allclose(e1.extract_cue_context(z)[0], e1.cue_action_proj(context), atol=1e-6)
    with pytest.raises(ValueError, match="selection, memory and layers must be plain, got"):
        e1.cue_snapshot()


def test_weights_of_terrain_stay_inside_their_bounds_and_the_bias_has_none() -> None:
    e1 = made(memory=SHARP)
    with torch.no_grad():  # D27: inside for |logit| <= 15
        e1.cue_terrain_proj.weight.zero_()
        e1.cue_terrain_proj.bias.copy_(torch.tensor([15.0, -15.0]))
        e1.cue_action_proj.bias.fill_(1e6)
    action, terrain = e1.extract_cue_context(cues(3))
    assert bool(((terrain > 0) & (terrain < 1)).all()) and action.min().item() > 9e5


def test_the_body_the_hidden_state_and_the_mode_do_not_enter() -> None:
    e1, z = made(memory=SHARP), cues(2)
    wanted = e1.extract_cue_context(z)
    e1(torch.randn(2, 64))
    e1.eval()
    for found, first in zip(e1.extract_cue_context(z), wanted, strict=True):
        assert torch.equal(found, first)


@pytest.mark.parametrize("world", ["context", "context+world"])
@pytest.mark.parametrize("attention", ["dot", "cosine"])
def test_a_snapshot_is_the_cue_path_as_it_was(attention: Any, world: Any) -> None:
    memory = ContextMemoryConfig(attention=attention, key_bias=True)
    e1, z = made(memory=memory, cue_action_input=world), cues(5)
    reader = e1.cue_snapshot()
    for found, wanted in zip(reader.read(z.numpy()), e1.extract_cue_context(z), strict=True):
        assert np.allclose(found, wanted.detach().numpy(), atol=2e-6)
    e1.context_memory.write(torch.randn(1, 64))
    assert reader.changed(e1.cue_parameters()) == ("memory",)
    reader.refresh(e1.cue_parameters())
    assert reader.changed(e1.cue_parameters()) == ()


@pytest.mark.parametrize("name", ["world_query_proj", "cue_action_proj", "cue_terrain_proj"])
def test_a_layer_of_the_cue_path_with_a_hook_is_called(name: str) -> None:
    e1, calls = made(memory=SHARP), []
    wanted = e1.extract_cue_context(cues(3))
    getattr(e1, name).register_forward_hook(lambda *told: calls.append(told))
    for found, first in zip(e1.extract_cue_context(cues(3)), wanted, strict=True):
        assert torch.allclose(found, first, atol=1e-5)
    assert calls
    e1.terrain_step(cues(3), torch.rand(3, 51))
    assert e1.cue_terrain_proj.weight.grad is not None


def test_a_cue_teaches_all_that_it_reads() -> None:
    e1 = made(memory=SHARP)
    action, terrain = e1.extract_cue_context(cues(8))
    (action.sum() + terrain.sum()).backward()
    taught = {name for name, value in e1.named_parameters() if value.grad is not None}
    parts = {name.removeprefix("context_memory.").partition(".")[0] for name in taught}
    assert parts == {
        *("memory", "key_proj", "value_proj", "output_proj"),
        *("world_query_proj", "cue_action_proj", "cue_terrain_proj"),
    }


@pytest.mark.exhaustive
def test_the_terrain_loss_is_learnt_and_counts_by_its_weight() -> None:
    e1 = made(memory=SHARP, lambda_terrain=0.25)
    z, harm = cues(64), torch.zeros(64, 51)
    harm[:, 7] = (z[:, 0] > 0).float() * 0.9
    loss = e1.terrain_loss(z, harm)
    assert torch.allclose(e1.learning_loss(z, harm), 0.25 * loss, atol=1e-7)
    assert torch.equal(e1.learning_loss(), torch.zeros(()))
    halved = made(memory=SHARP, terrain=TerrainTargetsConfig(reduction="mean"))
    assert torch.allclose(halved.terrain_loss(z, harm), loss / 2, atol=1e-7)
    optimiser = torch.optim.Adam(e1.parameters(), lr=3e-3)
    for _ in range(150):
        optimiser.zero_grad()
        e1.terrain_loss(z, harm).backward()
        optimiser.step()
    w_harm, w_goal = e1.extract_cue_context(z)[1].unbind(dim=1)
    dangerous = z[:, 0] > 0
    assert (w_harm[dangerous].mean() - w_harm[~dangerous].mean()).item() > 0.4
    assert (w_goal[~dangerous].mean() - w_goal[dangerous].mean()).item() > 0.3


@pytest.mark.parametrize("n", [1, 9])
@pytest.mark.parametrize(
    "options",
    [
        {"memory": SHARP},
        {"memory": ContextMemoryConfig(key_bias=True, attention="cosine"), "lambda_terrain": 0.3},
        {"selection": SlotSelectionConfig(temperature_learnable=True)},
        {"selection": SlotSelectionConfig(selection="topk")},
        {"memory": SHARP, "terrain": TerrainTargetsConfig(reduction="mean")},
    ],
)
def test_a_terrain_step_adds_the_gradients_of_the_loss(options: dict[str, Any], n: int) -> None:
    e1, z, harm = made(**options), cues(n), torch.rand(n, 51)
    twin = copy.deepcopy(e1)
    loss = 0.5 * twin.terrain_loss(z, harm)
    loss.backward()
    (twin.terrain_loss(z, harm) * 2).backward()
    found = e1.terrain_step(z, harm, scale=0.5)
    assert torch.allclose(found, loss, atol=1e-6) and not found.requires_grad
    e1.terrain_step(z, harm, scale=2.0)
    for (name, mine), other in zip(e1.named_parameters(), twin.parameters(), strict=True):
        assert torch.allclose(gradient(mine), gradient(other), atol=1e-6, rtol=1e-4), name
    assert bool(gradient(e1.context_memory.memory).any())


def gradient(parameter: Tensor) -> Tensor:
    """Zeros where nothing was taught: an operator gives those, plain torch gives None."""
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


def test_a_terrain_step_leaves_what_is_frozen() -> None:
    e1 = made(memory=SHARP)
    e1.context_memory.memory.requires_grad_(False)
    e1.terrain_step(cues(3), torch.rand(3, 51))
    assert e1.context_memory.memory.grad is None and e1.world_query_proj.weight.grad is not None
    with pytest.raises(ValueError, match="sd016_enabled must be True for cues, got False"):
        E1DeepPredictor().terrain_step(cues(1), torch.rand(1, 51))


def test_the_terrain_loss_does_not_reach_the_encoder() -> None:
    e1, z = made(memory=SHARP), cues(4).requires_grad_()
    e1.terrain_loss(z, torch.rand(4, 51)).backward()
    assert z.grad is None


def test_auxiliary_losses_are_added_by_their_weights() -> None:
    z, harm = cues(16), torch.rand(16, 51) * 0.6
    harm[:8] *= 0.3
    plain = made(memory=SHARP).learning_loss(z, harm)
    weights = made(memory=SHARP).select_slots(z)
    entropy = -(weights * weights.log()).sum(dim=1).mean()
    slots = made(memory=SHARP).context_memory.diversification_loss()
    dangerous = harm[:, :25].amax(dim=1) > 0.3
    apart = (weights[~dangerous].mean(dim=0) - weights[dangerous].mean(dim=0)).abs().sum()
    for options, more in (
        ({"entropy_weight": 0.5}, 0.5 * entropy),
        ({"divergence_weight": 2.0}, -2 * apart),
        ({"sd016_diversification_weight": 3.0}, 3 * slots),
    ):
        changed: dict[str, Any] = {"memory": SHARP, **options}
        assert torch.allclose(made(**changed).learning_loss(z, harm), plain + more, atol=1e-6)
    assert apart.item() > 0.1 and 0 < int(dangerous.sum()) < 16


def test_what_has_no_cue_path_or_gets_another_shape_is_refused() -> None:
    plain = E1DeepPredictor()
    assert plain.cue_weights is None
    for call in (plain.extract_cue_context, plain.select_slots):
        with pytest.raises(ValueError, match="sd016_enabled must be True for cues, got False"):
            call(cues(1))
    for read in (plain.cue_parameters, plain.cue_reader):
        with pytest.raises(ValueError, match="sd016_enabled must be True for cues"):
            read()
    for wrong in (torch.zeros(32), torch.zeros(1, 64)):
        with pytest.raises(ValueError, match=r"z_world must be of shape \[B, 32\]"):
            made().extract_cue_context(wrong)
