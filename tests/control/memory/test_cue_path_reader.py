"""A CuePathReader answers as its module does, now."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control import E1DeepPredictor
from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.slot_attention import SlotSelectionConfig

SMALL: dict[str, Any] = {
    "world_dim": 7,
    "action_object_dim": 5,
    "hidden_dim": 24,
    "memory": ContextMemoryConfig(latent_dim=39, memory_dim=24, num_slots=6),
}


def made(seed: int = 0, **options: Any) -> E1DeepPredictor:
    torch.manual_seed(seed)
    e1 = E1DeepPredictor(sd016_enabled=True, **options).eval()
    with torch.no_grad():
        e1.context_memory.memory.normal_()
    return e1


def same(reader: Any, e1: E1DeepPredictor, cues: Tensor) -> bool:
    wanted = [it.detach().numpy() for it in e1.extract_cue_context(cues)]
    return all(np.allclose(a, b, atol=1e-5) for a, b in zip(reader.read(cues), wanted, strict=True))


@pytest.mark.parametrize(
    "options", [{}, SMALL, {"selection": SlotSelectionConfig(selection="topk", k=2)}]
)
def test_it_reads_any_width_and_any_leading_dimensions(options: dict[str, Any]) -> None:
    e1 = made(**options)
    reader, wide = e1.cue_reader(), e1.config.world_dim
    cues = torch.randn(6, wide)
    assert same(reader, e1, cues)
    action, terrain = reader.read(cues.numpy().reshape(2, 3, wide))
    assert action.shape == (2, 3, e1.config.action_object_dim) and terrain.shape == (2, 3, 2)
    assert np.allclose(action.reshape(6, -1), reader.read(cues.numpy())[0], atol=1e-6)
    assert reader.read(cues[0].numpy())[1].shape == (2,)
    assert reader.read(cues[:0].numpy())[1].shape == (0, 2)
    weights = reader.weights(cues.numpy().reshape(3, 2, wide))
    assert np.allclose(weights.reshape(6, -1), e1.select_slots(cues).detach().numpy(), atol=1e-6)
    with pytest.raises(ValueError, match=rf"z must be of shape \[\.\., {wide}\], got \[3\]"):
        reader.read(np.zeros(3, np.float32))


def test_it_notices_every_way_in_which_a_module_changes() -> None:
    e1, other, cues = made(), made(1), torch.randn(4, 32)
    reader = e1.cue_reader()
    first = reader.read(cues.numpy())[0]
    e1.load_state_dict(other.state_dict())
    assert same(reader, e1, cues) and not np.allclose(
        reader.read(cues.numpy())[0], first, atol=0.01
    )
    e1.context_memory.write(torch.randn(1, 64))
    assert same(reader, e1, cues)
    optimizer = torch.optim.SGD(e1.parameters(), lr=1.0)
    e1.extract_cue_context(cues)[0].sum().backward()
    optimizer.step()
    assert same(reader, e1, cues)
    e1.cue_action_proj = torch.nn.Linear(64, 16)
    assert same(reader, e1, cues)
    e1.cue_action_proj.register_forward_hook(lambda *told: told[2] + 1)
    assert same(reader, e1, cues)


def test_it_is_copied_and_pickled_with_its_module() -> None:
    e1, cues = made(), torch.randn(4, 32)
    reader = e1.cue_reader()
    wanted = reader.read(cues.numpy())
    for again in (copy.deepcopy(reader), pickle.loads(pickle.dumps(reader))):
        for a, b in zip(again.read(cues.numpy()), wanted, strict=True):
            assert np.array_equal(a, b)
    module, follower = copy.deepcopy((e1, reader))
    with torch.no_grad():
        module.cue_terrain_proj.bias.add_(1)
    assert same(follower, module, cues) and same(reader, e1, cues)
