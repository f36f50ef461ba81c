"""An EpisodeMemory reads and writes each row as a ContextMemory would, and trains through time."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.context_memory import ContextMemory
from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.episode_memory import EpisodeMemory, SlotState

from ...exhaustive import first


def made(*, gated: bool = True, **options: Any) -> EpisodeMemory:
    torch.manual_seed(0)
    small = {"latent_dim": 6, "memory_dim": 8, "num_slots": 3}
    return EpisodeMemory(ContextMemoryConfig(**(small | options)), gated_writes=gated)


def sequence(rows: int = 2, steps: int = 7) -> Tensor:
    return torch.randn(rows, steps, 6, generator=torch.Generator().manual_seed(1))


FORMS: list[dict[str, Any]] = [
    {"attention": "dot"},
    {"attention": "cosine", "slot_init": "orthogonal", "key_bias": True},
    {"write_content": "gate", "match_threshold": 0.9},
    {"write_content": "projected", "write_rate": 0.5, "allocation_rate": 0.7},
]


@pytest.mark.parametrize("options", first(2, FORMS))
def test_each_row_is_read_and_written_as_by_a_context_memory(options: dict[str, Any]) -> None:
    memory, x = made(gated=False, **options), sequence()
    reads, state = memory(x)
    for row in range(len(x)):
        twin = ContextMemory(memory.bank.config)
        twin.load_state_dict(memory.bank.state_dict())
        for t in range(x.shape[1]):
            step = x[row, t : t + 1]
            torch.testing.assert_close(twin.read(step)[0], reads[row, t], atol=1e-6, rtol=1e-5)
            twin.write(step)
        torch.testing.assert_close(twin.memory, state.slots[row], atol=1e-6, rtol=1e-5)
        assert torch.equal(twin.slot_write_counts, state.counts[row])


def test_a_sequence_may_be_given_in_pieces() -> None:
    memory, x = made(), sequence()
    whole, last = memory(x)
    begin, state = memory(x[:, :3])
    rest, end = memory(x[:, 3:], state)
    torch.testing.assert_close(torch.cat([begin, rest], 1), whole)
    torch.testing.assert_close(end.slots, last.slots)


def test_a_share_near_0_writes_next_to_nothing() -> None:
    memory, x = made(), sequence()
    assert memory.write_share is not None
    torch.nn.init.constant_(memory.write_share.bias, -50.0)
    _, state = memory(x)
    torch.testing.assert_close(state.slots, memory.initial(len(x)).slots, atol=1e-6, rtol=0)


def test_a_loss_on_a_later_read_teaches_what_is_written_and_how_much() -> None:
    memory = made()
    memory(sequence())[0][:, -1].sum().backward()
    assert memory.write_share is not None
    for layer in (memory.write_share, memory.bank.write_gate, memory.bank.query_proj):
        assert layer.weight.grad is not None and bool(layer.weight.grad.abs().sum() > 0)


def test_a_step_does_not_see_itself_nor_what_follows() -> None:
    memory, x = made(), sequence()
    other = x.clone()
    other[:, 4:] += 1
    torch.testing.assert_close(memory(x)[0][:, :4], memory(other)[0][:, :4])


@pytest.mark.parametrize("shape", [(2, 3, 5), (3, 6)])
def test_other_shapes_are_refused_by_name(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"x must be of shape \[B, T, 6\]"):
        made()(torch.zeros(shape))


@pytest.mark.parametrize(
    ("options", "name"), [({"write_rule": "argmin"}, "write_rule"), ({"beta": 2.0}, "beta")]
)
def test_banks_of_another_rule_are_refused_by_name(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        made(**options)


@pytest.mark.parametrize(("rows", "steps"), [(0, 3), (2, 0)])
def test_nothing_gives_nothing(rows: int, steps: int) -> None:
    reads, state = made()(torch.zeros(rows, steps, 6))
    assert reads.shape == (rows, steps, 6) and state.slots.shape == (rows, 3, 8)


@pytest.mark.exhaustive
def test_it_is_copied_pickled_and_loaded_whole() -> None:
    memory, x = made(), sequence()
    wanted = memory(x)[0]
    loaded = made()
    loaded.load_state_dict(memory.state_dict())
    for twin in (copy.deepcopy(memory), pickle.loads(pickle.dumps(memory)), loaded):
        assert torch.equal(twin(x)[0], wanted)


@pytest.mark.exhaustive
def test_it_compiles_to_one_graph_and_exports() -> None:
    memory, x = made(attention="cosine"), sequence(steps=3)
    wanted = memory(x)[0]
    torch.compiler.reset()
    whole = torch.compile(memory, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(whole(x)[0], wanted)
    program = torch.export.export(memory, (x,))
    torch.testing.assert_close(program.module()(x)[0], wanted)


@pytest.mark.exhaustive
def test_its_gradients_are_right_in_double() -> None:
    memory = made().double()
    x = sequence(steps=4).double().requires_grad_()
    assert memory(x)[0].dtype == torch.float64
    assert torch.autograd.gradcheck(lambda it: memory(it)[0], (x,))


@pytest.mark.exhaustive
def test_it_runs_in_mixed_precision() -> None:
    memory, x = made(), sequence()
    wanted = memory(x)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        reads, state = memory(x)
    assert isinstance(state, SlotState)
    torch.testing.assert_close(reads.float(), wanted, atol=0.05, rtol=0.05)
    reads.float().sum().backward()
    assert all(bool(it.grad.isfinite().all()) for it in memory.parameters() if it.grad is not None)
