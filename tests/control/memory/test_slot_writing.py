"""A write changes one slot, the one its rule names, and no more than its rate."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from prefrontal.control.memory.context_memory import ContextMemory

RULES = ("matched", "usage_balanced", "refractory", "usage_balanced+refractory", "argmin")


def made(seed: int = 0, **options: Any) -> ContextMemory:
    torch.manual_seed(seed)
    return ContextMemory(**options)


def rows(n: int, seed: int = 1) -> Tensor:
    return torch.randn(n, 64, generator=torch.Generator().manual_seed(seed))


def scores(memory: ContextMemory, state: Tensor) -> Tensor:
    """As the specification writes them: mean over the batch of query . raw slot."""
    found: Tensor = memory.query_proj(state) @ memory.memory.T
    return found.mean(dim=0).detach()


@pytest.mark.parametrize("content", ["query", "gate", "projected"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 5])
def test_a_write_blends_the_mean_content_into_one_slot(n: int, rule: Any, content: Any) -> None:
    memory, state = made(write_rule=rule, write_content=content, allocation_rate=0.3), rows(n)
    gate = torch.sigmoid(memory.write_gate(state))
    factor: dict[str, Any] = {
        "query": memory.query_proj,
        "gate": torch.ones_like,
        "projected": getattr(memory, "write_content", None),
    }
    content_mean = (gate * (1.0 if content == "gate" else factor[content](state))).mean(dim=0)
    before = memory.memory.detach().clone()
    slot = memory.write(state)
    rate = 0.3 if rule == "matched" else 0.1  # nothing matches slots never written
    wanted = before.clone()
    wanted[slot] = (1 - rate) * before[slot] + rate * content_mean.detach()
    assert torch.allclose(memory.memory, wanted, atol=1e-6)
    assert torch.equal(memory.memory[torch.arange(16) != slot], before[torch.arange(16) != slot])
    assert memory.last_write_index == slot and memory.slot_write_counts.tolist()[slot] == 1
    assert memory.occupancy == 1 and memory.memory.grad_fn is None
    assert memory.memory.requires_grad


def test_argmin_takes_the_lowest_score() -> None:
    memory = made(write_rule="argmin")
    for i in range(20):
        state = rows(3, i)
        wanted = int(scores(memory, state).argmin())
        assert memory.write(state) == wanted
        with torch.no_grad():
            memory.memory.normal_(generator=torch.Generator().manual_seed(i))
    assert int(memory.slot_write_counts.sum()) == 20 and memory.occupancy > 2


@pytest.mark.parametrize(("steps", "apart"), [(2, 2), (15, 15), (99, 15)])
def test_a_refractory_slot_waits_its_turn(steps: int, apart: int) -> None:
    memory, state = made(write_rule="refractory", refractory_steps=steps), rows(1)
    written = [memory.write(state) for _ in range(40)]
    for i in range(1, 40):
        assert written[i] not in written[max(0, i - apart) : i]
    assert len(memory.recent_writes) == 16 and memory.recent_writes == written[-16:]


def test_usage_balancing_adds_the_average_use_to_the_scores() -> None:
    memory = made(write_rule="usage_balanced", usage_bias_weight=0.7)
    usage = torch.zeros(16)
    for i in range(30):
        state = rows(2, i)
        wanted = int((scores(memory, state) + 0.7 * usage * 128**0.5).argmin())
        assert memory.write(state) == wanted
        usage *= 0.99
        usage[wanted] += 0.01
    assert torch.allclose(memory.write_usage_ema, usage, atol=1e-6)
    assert "write_usage_ema" in memory.state_dict()


@pytest.mark.parametrize("content", ["query", "projected"])
def test_matching_writes_what_it_knows_where_it_is_and_what_is_new_to_a_free_slot(
    content: Any,
) -> None:
    memory, contexts = made(write_content=content), 4 * rows(6)
    first = [memory.write(contexts[i : i + 1]) for i in range(6)]
    assert sorted(first) == list(range(6))
    for i in (3, 0, 5, 5, 1):
        noisy = contexts[i : i + 1] + 0.4 * rows(1, 50 + i)
        assert memory.write(noisy) == first[i]
    written = memory.write_payload(contexts[2:3])[0]  # a fresh slot begins anew
    assert torch.allclose(memory.memory[first[2]], written, atol=1e-5)


@pytest.mark.exhaustive
def test_the_old_rule_makes_all_slots_alike_and_the_new_one_does_not() -> None:
    def likeness(memory: ContextMemory) -> float:
        unit = functional.normalize(memory.memory.detach(), dim=1)
        return (((unit @ unit.T).sum() - 16) / 240).item()

    old = made(write_rule="argmin", write_content="gate")
    new = made()
    assert abs(likeness(old)) < 0.02
    for state in 0.05 * rows(800):
        old.write(state[None])
    for state in 4 * rows(800):
        new.write(state[None])
    assert likeness(old) > 0.99
    assert abs(likeness(new)) < 0.3 and new.occupancy == 16


def test_what_cannot_be_written_is_refused_and_changes_nothing() -> None:
    memory = made()
    before = memory.memory.detach().clone()
    with pytest.raises(ValueError, match="state must have at least one row, got none"):
        memory.write(torch.zeros(0, 64))
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="state must be finite, got NaN or infinity"):
            memory.write(torch.full((1, 64), wrong))
    assert torch.equal(memory.memory, before) and memory.occupancy == 0


def test_a_write_between_a_read_and_its_backward_is_noticed() -> None:
    memory, state = made(), rows(2)
    read = memory.read(state)
    memory.write(state)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        read.sum().backward()


def test_usage_and_a_refractory_time_may_be_chosen_together() -> None:
    memory = made(write_rule="usage_balanced+refractory", refractory_steps=3)
    for i in range(20):
        state, usage = rows(2, i), memory.write_usage_ema.clone()
        wanted = scores(memory, state) + usage * 128**0.5
        wanted[memory.recent_writes[-3:]] = torch.inf
        assert memory.write(state) == int(wanted.argmin())
        assert len(set(memory.recent_writes[-4:])) == min(4, i + 1)
    assert float(memory.write_usage_ema.sum()) > 0
