"""Social channels enter the cue, the part attended to alone, from the bank that is told."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.e1 import E1Config, E1DeepPredictor
from prefrontal.control.memory.social import SocialConfig

SHARP = ContextMemoryConfig(attention="cosine", slot_init="orthogonal")


def made(**options: Any) -> E1DeepPredictor:
    torch.manual_seed(0)
    social = SocialConfig(social_dim=8, **options)
    return E1DeepPredictor(sd016_enabled=True, memory=SHARP, social=social)


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_a_social_read_is_the_formula() -> None:
    e1, z, others = made(), drawn(5, 32), drawn(5, 8, seed=2)
    read, cue, memory = e1.extract_social_context(z, others), e1.social_cue, e1.context_memory
    query = cue.query_proj(torch.cat([z, others], dim=1))
    weights = memory.scores(query).softmax(dim=1)
    context = memory.output_proj(weights @ memory.value_proj(memory.memory))
    assert torch.allclose(read.slot_weights, weights, atol=1e-6)
    assert torch.allclose(read.action_bias, cue.action_proj(context), atol=1e-6)
    assert torch.allclose(read.terrain_weight, torch.sigmoid(cue.terrain_proj(context)), atol=1e-6)
    assert torch.allclose(read.social_weight, torch.sigmoid(cue.social_proj(context)), atol=1e-6)
    assert [tuple(each.shape) for each in read] == [(5, 16), (5, 2), (5, 1), (5, 16)]


@pytest.mark.parametrize("bank", ["shared", "second", "tagged"])
def test_only_the_part_attended_to_enters(bank: Any) -> None:
    e1, z, others = made(bank=bank), drawn(3, 32), drawn(3, 8, seed=2)

    def answer(z_world: Tensor, z_social: Tensor, attend: Any) -> Tensor:
        return torch.cat(e1.social_cue(e1.context_memory, z_world, z_social, attend), dim=1)

    for attend, world_enters, social_enters in (
        ("both", True, True), ("physical", True, False), ("social", False, True),
    ):  # fmt: skip
        wanted = answer(z, others, attend)
        assert torch.equal(answer(2 * z, others, attend), wanted) != world_enters
        assert torch.equal(answer(z, 2 * others, attend), wanted) != social_enters


def test_tagged_slots_are_read_by_their_own_kind_only() -> None:
    e1, z, others = made(bank="tagged", social_slots=4), drawn(3, 32), drawn(3, 8)
    for attend, shut in (("social", slice(0, 12)), ("physical", slice(12, 16))):
        weights = e1.social_cue(e1.context_memory, z, others, attend).slot_weights
        assert bool((weights[:, shut] == 0).all())
        assert torch.allclose(weights.sum(dim=1), torch.ones(3), atol=1e-6)
    assert bool((e1.extract_social_context(z, others).slot_weights > 0).all())


def test_a_second_bank_is_read_in_place_of_the_shared_one() -> None:
    shared, second = made(), made(bank="second")
    for e1, moves in ((shared, True), (second, False)):
        before = e1.extract_social_context(drawn(1, 32), drawn(1, 8)).action_bias
        with torch.no_grad():
            e1.context_memory.memory.copy_(drawn(16, 128, seed=5))
        after = e1.extract_social_context(drawn(1, 32), drawn(1, 8)).action_bias
        assert torch.equal(before, after) != moves
    assert "social_cue.bank.memory" in second.state_dict()


def test_the_shared_memory_has_one_name_and_learns_from_social_cues() -> None:
    e1 = made()
    names = [name for name in e1.state_dict() if name.endswith("memory")]
    assert names == ["context_memory.memory"]
    e1.extract_social_context(drawn(2, 32), drawn(2, 8)).social_weight.sum().backward()
    assert e1.context_memory.memory.grad is not None
    assert bool((e1.context_memory.memory.grad != 0).any())


def test_without_social_channels_there_is_no_trace_of_them() -> None:
    torch.manual_seed(0)
    plain = E1DeepPredictor(sd016_enabled=True, memory=SHARP)
    social = made()
    assert not hasattr(plain, "social_cue")
    found = social.state_dict()
    assert all(torch.equal(found[name], value) for name, value in plain.state_dict().items())
    z = drawn(3, 32)
    assert torch.equal(plain.extract_cue_context(z)[0], social.extract_cue_context(z)[0])
    with pytest.raises(ValueError, match="social must be configured for social cues, got None"):
        plain.extract_social_context(z, drawn(3, 8))


def test_what_does_not_fit_is_refused() -> None:
    e1 = made()
    with pytest.raises(ValueError, match=r"z_social must be of shape \[B, 8\], got \[3, 9\]"):
        e1.extract_social_context(drawn(3, 32), drawn(3, 9))
    with pytest.raises(ValueError, match=r"z_social must be of shape \[B, 8\], got \[2, 8\]"):
        e1.extract_social_context(drawn(3, 32), drawn(2, 8))
    with pytest.raises(ValueError, match=r"z_world must be of shape \[B, 32\], got \[3, 31\]"):
        e1.extract_social_context(drawn(3, 31), drawn(3, 8))
    with pytest.raises(ValueError, match="attend must be one of both, physical, social, got 'x'"):
        e1.social_cue(e1.context_memory, drawn(1, 32), drawn(1, 8), "x")
    with pytest.raises(ValueError, match=r"social_slots must be below num_slots \(16\), got 16"):
        made(bank="tagged", social_slots=16)
    with pytest.raises(ValueError, match="bank must be one of shared, second, tagged, got 'own'"):
        made(bank="own")
    with pytest.raises(ValueError, match="social must be None without sd016_enabled"):
        E1Config(social=SocialConfig(social_dim=8))
