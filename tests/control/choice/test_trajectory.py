"""Trajectories are looked at, stacked and summarised without a loop over candidates."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from prefrontal.control.choice.trajectory import Trajectories

from .. import drawn


def test_a_candidate_is_a_view_of_the_stack_and_stacks_back_to_it() -> None:
    many = drawn.candidates(5, agents=3)
    assert len(many) == 5
    assert (many.batch, many.horizon, many[2].horizon) == (3, 4, 4)
    again = Trajectories.stack(list(many))
    for name in ("states", "world_states", "actions", "action_objects"):
        assert torch.equal(getattr(again, name), getattr(many, name))
        assert getattr(many[-1], name).data_ptr() == getattr(many, name)[4].data_ptr()
    assert torch.equal(many.first_actions, many.actions[:, :, 0])


@pytest.mark.parametrize(("source", "place"), [("t0", 0), ("t1", 1), ("final", -1)])
@pytest.mark.parametrize("agents", [1, 3])
def test_a_summary_is_one_world_state_a_candidate(source: Any, place: int, agents: int) -> None:
    many = drawn.candidates(5, agents=agents)
    wanted = many.world_states[:, :, place].mean(dim=1)
    assert torch.equal(many.summaries(source), wanted)


def test_the_summary_after_the_first_action_is_the_one_meant_unless_told() -> None:
    many = drawn.candidates(5)
    assert torch.equal(many.summaries(), many.world_states[:, 0, 1])
    wanted = many.world_states[:, 0].double().mean(dim=1)
    assert torch.allclose(many.summaries("mean").double(), wanted, atol=1e-7)


def test_a_detached_set_has_the_numbers_and_no_graph() -> None:
    parts = drawn.candidates(3)
    many = Trajectories(
        parts.states, parts.world_states * torch.ones(1, requires_grad=True), parts.actions,
        parts.action_objects, torch.ones(3, 1, requires_grad=True),
    )  # fmt: skip
    assert many.world_states.requires_grad
    freed = many.detach()
    assert not freed.world_states.requires_grad
    assert freed.residue_scores is not None
    assert not freed.residue_scores.requires_grad
    assert torch.equal(freed.world_states, parts.world_states)
    assert not many[1].detach().world_states.requires_grad


def test_what_is_no_set_of_candidates_is_refused() -> None:
    many = drawn.candidates(3)
    with pytest.raises(ValueError, match="candidates must hold at least one trajectory, got 0"):
        Trajectories.stack([])
    with pytest.raises(ValueError, match="candidates must be of one shape"):
        Trajectories.stack([many[0], drawn.candidates(1, steps=2)[0]])
    with pytest.raises(ValueError, match="source must be one of t0, t1, final, mean, got 'last'"):
        many.summaries("last")  # type: ignore[arg-type]
    for index in (3, -4):
        with pytest.raises(IndexError, match="index must be within 3 candidates"):
            many[index]
