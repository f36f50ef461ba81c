"""A context memory reads as the formula says, in every form and with every option."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from prefrontal._core.control import ContextReader
from prefrontal.control.memory.context_memory import ContextMemory
from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.slot_attention import attention_entropy

from .. import state_twins as twins


def made(seed: int = 0, **options: Any) -> ContextMemory:
    """With slots as large as their projections, so that attention is far from flat."""
    torch.manual_seed(seed)
    memory = ContextMemory(**options)
    with torch.no_grad():
        memory.memory.copy_(torch.randn(memory.memory.shape))
    return memory


def rows(n: int, seed: int = 1) -> Tensor:
    return torch.randn(n, 64, generator=torch.Generator().manual_seed(seed))


def numbers(found: Tensor) -> np.ndarray[Any, Any]:
    return found.detach().numpy()


def test_it_has_the_parameters_of_the_specification() -> None:
    memory = ContextMemory()
    shapes = {name: tuple(value.shape) for name, value in memory.state_dict().items()}
    assert shapes == {
        "memory": (16, 128),
        "query_proj.weight": (128, 64),
        "query_proj.bias": (128,),
        "key_proj.weight": (128, 128),
        "value_proj.weight": (128, 128),
        "value_proj.bias": (128,),
        "output_proj.weight": (64, 128),
        "output_proj.bias": (64,),
        "write_gate.weight": (128, 64),
        "write_gate.bias": (128,),
        "slot_write_counts": (16,),
        "recent_slots": (16,),
    }
    assert sum(each.numel() for each in memory.parameters()) == 59_840
    more = ContextMemory(write_content="projected", key_bias=True, write_rule="usage_balanced")
    added = set(more.state_dict()) - set(shapes)
    assert added == {"write_content.weight", "key_proj.bias", "write_usage_ema"}


@pytest.mark.parametrize("attention", ["dot", "cosine"])
@pytest.mark.parametrize("key_bias", [False, True])
@pytest.mark.parametrize("n", [0, 1, 33])
def test_a_read_is_the_formula(n: int, key_bias: bool, attention: Any) -> None:
    memory, x = made(attention=attention, key_bias=key_bias), rows(n)
    parameters = dict(memory.snapshot())
    wanted, read = twins.attend(parameters, numbers(x), cosine=attention == "cosine")
    assert memory.read(x).shape == (n, 64)
    assert np.allclose(numbers(memory.read(x)), read, atol=2e-6)
    assert np.allclose(numbers(memory.read_weights(x)), wanted, atol=2e-6)
    assert torch.equal(memory(x), memory.read(x))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), attention=st.sampled_from(["dot", "cosine"]))
def test_the_order_of_the_slots_and_of_the_rows_is_immaterial(seed: int, attention: Any) -> None:
    memory, x = made(seed, attention=attention), rows(5, seed)
    before, weights = memory.read(x), memory.read_weights(x)
    assert torch.allclose(weights.sum(dim=1), torch.ones(5), atol=1e-6) and bool(
        (weights >= 0).all()
    )
    order = torch.randperm(16, generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        memory.memory.copy_(memory.memory[order].clone())
    assert torch.allclose(memory.read(x), before, atol=1e-5)
    assert torch.allclose(memory.read(x.flip(0)), before.flip(0), atol=1e-5)


def test_a_read_lies_in_the_hull_of_the_slots_and_is_constant_if_they_are_equal() -> None:
    memory, x = made(), rows(9)
    outputs = memory.output_proj(memory.value_proj(memory.memory))
    assert torch.allclose(memory.read_weights(x) @ outputs, memory.read(x), atol=1e-5)
    with torch.no_grad():
        memory.memory.copy_(memory.memory[:1].expand(16, -1).clone())
    read = memory.read(x)
    assert ((read - read[0]).abs().max()).item() < 1e-6


def test_a_read_changes_nothing_and_its_gradient_reaches_all_that_is_read() -> None:
    memory = made()
    before = copy.deepcopy(memory.state_dict())
    memory.read(rows(4)).square().sum().backward()
    assert all(torch.equal(before[name], value) for name, value in memory.state_dict().items())
    assert memory.last_write_index is None and memory.occupancy == 0
    for name, parameter in memory.named_parameters():
        reached = parameter.grad is not None and bool((parameter.grad != 0).any())
        assert reached == (not name.startswith("write_gate"))


def test_the_seeds_first_slots_hardly_attend_and_orthogonal_ones_with_cosine_do() -> None:
    torch.manual_seed(0)
    flat = attention_entropy(ContextMemory().read_weights(rows(200)))
    sound = ContextMemory(attention="cosine", slot_init="orthogonal")
    assert 0 < math.log(16) - flat.item() < 1e-3  # fact 1
    assert math.log(16) - attention_entropy(sound.read_weights(rows(200))).item() > 0.05
    assert torch.allclose(sound.memory @ sound.memory.T, torch.eye(16), atol=1e-6)


@pytest.mark.parametrize("attention", ["dot", "cosine"])
def test_beta_steps_and_normalised_patterns_enter_as_documented(attention: Any) -> None:
    x, cosine = rows(3), attention == "cosine"
    plain, sharp = made(attention=attention), made(attention=attention, beta=2.0)
    logs = plain.read_weights(x).log() * 2
    assert torch.allclose(sharp.read_weights(x), logs.softmax(dim=1), atol=1e-6)

    twice = made(attention=attention, update_steps=2)
    again = plain.read_weights(x) @ plain.key_proj(plain.memory)
    wanted = plain.scores(again).softmax(dim=1)
    assert torch.allclose(twice.read_weights(x), wanted, atol=1e-6)

    scaled = made(attention=attention, normalised_patterns=True)
    parameters = dict(scaled.snapshot())
    parameters["memory"] /= np.linalg.norm(parameters["memory"], axis=1, keepdims=True)
    weights, read = twins.attend(parameters, numbers(x), cosine=cosine)
    assert np.allclose(numbers(scaled.read(x)), read, atol=2e-6)
    assert np.allclose(numbers(scaled.read_weights(x)), weights, atol=2e-6)


def test_double_precision_other_layouts_copies_and_pickles_read_the_same() -> None:
    memory, x = made(), rows(6)
    wanted = memory.read(x)
    assert torch.equal(memory.read(x.T.contiguous().T), wanted)
    assert torch.equal(copy.deepcopy(memory).read(x), wanted)
    assert torch.equal(pickle.loads(pickle.dumps(memory)).read(x), wanted)
    other = ContextMemory()
    other.load_state_dict(memory.state_dict())
    assert torch.equal(other.read(x), wanted)
    doubled = memory.double().read(x.double())
    assert doubled.dtype == torch.float64 and torch.allclose(doubled.float(), wanted, atol=1e-5)


@pytest.mark.exhaustive
def test_meta_tensors_and_fake_tensors_are_read_as_shapes() -> None:
    memory = ContextMemory().to("meta")
    assert memory.read(torch.empty(5, 64, device="meta")).shape == (5, 64)
    with torch._subclasses.FakeTensorMode():
        assert ContextMemory().read(torch.empty(5, 64)).shape == (5, 64)


@pytest.mark.parametrize("attention", ["dot", "cosine"])
def test_the_snapshot_is_what_the_compiled_reader_takes(attention: Any) -> None:
    memory, x = made(attention=attention), rows(7)
    reader = ContextReader(memory.snapshot(), attention=attention)
    assert np.allclose(reader.read(x.numpy()), numbers(memory.read(x)), atol=2e-6)
    memory.write(x)
    assert reader.changed(memory.snapshot()) == ("memory",)


def test_the_diversification_loss_is_the_mean_squared_cosine_of_different_slots() -> None:
    memory = made()
    slots = numbers(memory.memory).astype(float)
    unit = slots / np.linalg.norm(slots, axis=1, keepdims=True)
    squares = (unit @ unit.T) ** 2
    wanted = (squares.sum() - 16) / (16 * 15)
    assert memory.diversification_loss().item() == pytest.approx(wanted, rel=1e-5)
    memory.diversification_loss().backward()
    assert memory.memory.grad is not None and bool((memory.memory.grad != 0).any())
    apart = ContextMemory(slot_init="orthogonal").diversification_loss().item()
    assert apart == pytest.approx(0, abs=1e-7)
    assert made(num_slots=1).diversification_loss().item() == 0


def test_homeostasis_draws_slots_to_their_mean_and_keeps_it() -> None:
    memory = made()
    before = memory.memory.detach().clone()
    memory.homeostasis(0.85)
    mean = before.mean(dim=0)
    assert torch.allclose(memory.memory, mean + 0.85 * (before - mean), atol=1e-6)
    with pytest.raises(ValueError, match="decay must be between 0 and 1, got nan"):
        memory.homeostasis(float("nan"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"attention": "euclid"}, "attention must be one of dot, cosine, got 'euclid'"),
        ({"slot_init": "zeros"}, "slot_init must be one of normal, orthogonal"),
        ({"write_rule": "best"}, "write_rule must be one of matched, usage_balanced"),
        ({"write_content": "x"}, "write_content must be one of query, gate, projected"),
        ({"num_slots": 0}, "num_slots must be at least 1, got 0"),
        ({"write_rate": 1.5}, "write_rate must be between 0 and 1, got 1.5"),
        ({"match_threshold": math.nan}, "match_threshold must be between -1 and 1, got nan"),
        ({"slot_init": "orthogonal", "num_slots": 200}, "num_slots must be at most memory_dim"),
    ],
)
def test_a_wrong_field_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ContextMemoryConfig(**changes)


def test_a_wrong_shape_or_an_unknown_option_is_refused() -> None:
    memory = ContextMemory()
    for wrong in (torch.zeros(64), torch.zeros(2, 63), torch.zeros(1, 2, 64)):
        for call in (memory.read, memory.read_weights, memory.write):
            with pytest.raises(ValueError, match=r"must be of shape \[B, 64\]"):
                call(wrong)
    with pytest.raises(TypeError, match="option must be a field of ContextMemoryConfig, got 'm'"):
        ContextMemory(m=1)


def test_a_loaded_memory_writes_where_the_saved_one_would() -> None:
    memory, loaded = ContextMemory(), ContextMemory()
    for i in range(5):
        memory.write(rows(1, i))
    loaded.load_state_dict(memory.state_dict())
    assert loaded.recent_writes == memory.recent_writes == [0, 1, 2, 3, 4]
    assert loaded.occupancy == 5
    assert loaded.write(rows(1, 9)) == memory.write(rows(1, 9)) == 5  # a slot not written yet
    earlier = {k: v for k, v in memory.state_dict().items() if "slot" not in k}
    loaded.load_state_dict(earlier)  # of a version that kept no write history
    assert loaded.occupancy == 0 and loaded.last_write_index is None


def test_the_gate_of_writing_is_taught_through_the_payload_and_by_no_read() -> None:
    memory = made()
    memory.write(rows(1))
    memory.read(rows(2)).sum().backward()
    assert memory.write_gate.weight.grad is None
    memory.write_payload(rows(2)).sum().backward()
    assert memory.write_gate.weight.grad is not None


class LowRank(nn.Module):
    """A layer with a trained addition of rank 2, as LoRA wraps one."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Linear(layer.in_features, 2, bias=False)
        self.up = nn.Linear(2, layer.out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.layer(x) + self.up(self.down(x))
        return found


@pytest.mark.parametrize("attention", ["dot", "cosine"])
@pytest.mark.parametrize("name", ["query_proj", "value_proj"])
def test_a_layer_that_is_wrapped_is_called(name: str, attention: Any) -> None:
    memory, x = made(attention=attention), rows(3)
    before = memory.read(x)
    wrapper = LowRank(getattr(memory, name))
    setattr(memory, name, wrapper)
    after = memory.read(x)
    assert not torch.allclose(after, before, atol=1e-3)
    after.sum().backward()
    assert wrapper.up.weight.grad is not None
    with torch.no_grad():
        wrapper.up.weight.zero_()
    assert torch.allclose(memory.read(x), before, atol=1e-5)


def test_a_layer_with_a_hook_is_called() -> None:
    memory, x = made(), rows(3)
    calls: list[Any] = []

    def silenced(*told: Any) -> Tensor:
        calls.append(told)
        nothing: Tensor = told[2] * 0
        return nothing

    handle = memory.value_proj.register_forward_hook(silenced)
    silent = memory.read(x)
    assert calls and torch.allclose(silent, memory.output_proj.bias.expand(3, -1))
    handle.remove()
    assert not torch.allclose(memory.read(x), silent, atol=1e-3)


def test_a_memory_with_quantised_layers_reads_nearly_the_same() -> None:
    memory, x = made().eval(), rows(3)
    wanted = memory.read(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.ao is deprecated, and in use
        smaller = torch.ao.quantization.quantize_dynamic(memory, {nn.Linear}, dtype=torch.qint8)
        found = smaller.read(x)
    assert not torch.equal(found, wanted)
    assert torch.allclose(found, wanted, atol=0.1)
