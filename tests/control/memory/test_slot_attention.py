"""How slots are selected: the softmax, one drawn, the best few, or by tags."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.e1 import E1DeepPredictor
from prefrontal.control.memory.slot_attention import (
    SlotSelection,
    SlotSelectionConfig,
    attention_entropy,
    context_divergence,
    slot_scores,
)


def selection(**options: Any) -> SlotSelection:
    return SlotSelection(SlotSelectionConfig(**options))


def scores(n: int = 6, seed: int = 0) -> Tensor:
    return 2 * torch.randn(n, 16, generator=torch.Generator().manual_seed(seed))


def noise(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("training", [False, True])
def test_soft_is_the_softmax(training: bool) -> None:
    given = scores()
    assert torch.equal(selection()(given, training=training), given.softmax(dim=-1))


@pytest.mark.parametrize(("options", "kept"), [({"k": 3}, 3), ({"k": 0}, 1), ({"k": 99}, 16)])
def test_topk_keeps_the_best_and_brings_them_to_one(options: dict[str, Any], kept: int) -> None:
    soft = scores().softmax(dim=-1)
    weights = selection(selection="topk", **options)(scores(), training=True)
    assert ((weights > 0).sum(dim=1) == kept).all()
    best = soft.topk(kept, dim=-1).values
    wanted = best / best.sum(dim=1, keepdim=True)
    assert torch.allclose(weights.topk(kept, dim=-1).values, wanted, atol=1e-6)


def test_hard_keeps_the_best_alone() -> None:
    weights = selection(selection="hard")(scores(), training=False)
    assert torch.allclose(weights, torch.eye(16)[scores().argmax(dim=1)], atol=1e-6)


def test_gumbel_draws_one_slot_in_training_and_nothing_outside_it() -> None:
    select = selection(selection="gumbel")
    drawn = select(scores(400), training=True, generator=noise())
    assert torch.allclose(drawn.sort(dim=1).values, torch.eye(16)[15], atol=1e-6)
    assert torch.equal(drawn, select(scores(400), training=True, generator=noise()).round())
    other = select(scores(400), training=True, generator=noise(1))
    assert not torch.equal(drawn, other)

    state, calls = torch.get_rng_state(), select.training_calls
    outside = select(scores(400), training=False)
    assert torch.allclose(outside, torch.eye(16)[scores(400).argmax(dim=1)], atol=1e-6)
    assert torch.equal(torch.get_rng_state(), state) and select.training_calls == calls == 3


def test_gumbel_draws_slots_as_often_as_the_softmax_says() -> None:
    given = torch.tensor([[0.0, 1.0, 2.0]]).expand(4000, 3)
    drawn = selection(selection="gumbel")(given, training=True, generator=noise())
    assert torch.allclose(drawn.mean(dim=0), given[0].softmax(dim=0), atol=0.03)


def test_the_gumbel_temperature_falls_in_a_line_over_the_calls_in_training() -> None:
    select = selection(selection="gumbel", gumbel_steps=20)
    found = []
    for _ in range(25):
        found.append(select.gumbel_temperature)
        select(scores(1), training=True, generator=noise())
        select(scores(1), training=False)
    wanted = [1.0 - 0.9 * min(i / 20, 1) for i in range(25)]
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("kind", ["topk", "hard"])
def test_gradients_are_those_of_the_softmax(kind: Any) -> None:
    target = torch.randn(6, 16, generator=noise())
    gradients = []
    for select in (selection(), selection(selection=kind)):
        given = scores().requires_grad_()
        (select(given, training=True) * target).sum().backward()
        assert given.grad is not None
        gradients.append(given.grad)
    assert torch.allclose(gradients[0], gradients[1], atol=1e-6)
    assert gradients[0].abs().max().item() > 0.01


def test_scores_are_divided_by_the_temperature() -> None:
    query, keys = torch.randn(3, 128, generator=noise()), torch.randn(16, 128, generator=noise(1))
    wanted = query @ keys.T
    assert torch.allclose(slot_scores(query, keys), wanted / math.sqrt(128), atol=1e-5)
    warm = slot_scores(query, keys, log_tau=torch.tensor([0.5]))
    assert torch.allclose(warm, wanted / (math.exp(0.5) + 1e-3), atol=1e-4)
    cosines = slot_scores(query, keys, cosine=True) / math.sqrt(128)
    assert torch.allclose(
        cosines, torch.cosine_similarity(query[:, None], keys[None], -1), atol=1e-6
    )


def test_entropy_runs_from_nothing_to_the_logarithm_of_the_slots() -> None:
    assert attention_entropy(torch.eye(16)).item() == 0
    assert attention_entropy(torch.full((3, 16), 1 / 16)).item() == pytest.approx(math.log(16))


def test_divergence_rewards_different_slots_in_safety_and_in_danger() -> None:
    weights = torch.eye(16)[[0, 0, 1, 1]]
    dangerous = torch.tensor([False, False, True, True])
    assert context_divergence(weights, dangerous, 0.5).item() == -1.0
    assert context_divergence(weights, dangerous, 0).item() == 0
    assert context_divergence(weights, torch.zeros(4, dtype=torch.bool), 1.0).item() == 0


def cued(**options: Any) -> E1DeepPredictor:
    torch.manual_seed(0)
    return E1DeepPredictor(sd016_enabled=True, selection=SlotSelectionConfig(**options))


def test_a_tagger_chooses_the_slots_in_place_of_query_and_keys() -> None:
    e1, z = cued(tagger=True, tagger_temperature=0.5), torch.randn(5, 32, generator=noise())
    names = [name for name, _ in e1.named_parameters() if "tagger" in name]
    assert names == [f"cue_slot_tagger.{i}.{kind}" for i in (0, 2) for kind in ("weight", "bias")]
    wanted = (e1.cue_slot_tagger(z) / 0.5).softmax(dim=-1)
    assert torch.allclose(e1.select_slots(z), wanted, atol=1e-6)
    action, terrain = e1.extract_cue_context(z)
    context = e1.context_memory.read_with(wanted)
    assert torch.allclose(terrain, torch.sigmoid(e1.cue_terrain_proj(context)), atol=1e-6)
    assert torch.allclose(action, e1.cue_action_proj(context), atol=1e-6)
    assert e1.cue_weights is not None and torch.allclose(e1.cue_weights, wanted, atol=1e-6)


def test_a_learnable_temperature_begins_at_the_fixed_one_and_is_learnt() -> None:
    e1, z = cued(temperature_learnable=True), torch.randn(5, 32, generator=noise())
    assert e1.log_tau.detach().exp().item() == pytest.approx(math.sqrt(128), rel=1e-5)
    assert torch.allclose(e1.select_slots(z), cued().select_slots(z), atol=1e-5)
    e1.extract_cue_context(z)[1].sum().backward()
    assert e1.log_tau.grad is not None and e1.log_tau.grad.abs().item() > 0


def test_one_drawn_slot_is_what_is_read_and_the_same_noise_draws_the_same() -> None:
    e1, z = cued(selection="gumbel"), torch.randn(5, 32, generator=noise())
    action, _ = e1.extract_cue_context(z, noise(3))
    assert e1.cue_weights is not None and bool((e1.cue_weights.round() == e1.cue_weights).all())
    assert torch.equal(e1.extract_cue_context(z, noise(3))[0], action)
    e1.eval()
    assert torch.equal(e1.extract_cue_context(z)[0], e1.extract_cue_context(z)[0])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selection": "best"}, "selection must be one of soft, gumbel, topk, hard, got 'best'"),
        ({"gumbel_last": 0.0}, "gumbel_last must be at least 0.001, got 0.0"),
        ({"tagger": True, "temperature_learnable": True}, "temperature_learnable must be False"),
    ],
)
def test_a_wrong_field_is_refused_by_name(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SlotSelectionConfig(**options)
