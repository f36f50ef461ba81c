"""Drive, and the goal that benefit leaves."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control import GoalState
from prefrontal.control.choice.goal import GoalConfig, drive_level


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_drive_is_what_is_missing_of_energy() -> None:
    body = torch.zeros(3, 12)
    body[:, 3] = torch.tensor([0.0, 0.75, 1.5])
    assert drive_level(body).tolist() == [1.0, 0.25, 0.0]
    assert drive_level(body[1]).item() == 0.25
    with pytest.raises(ValueError, match=r"^obs_body must have shape \(\.\.\., 4 or more\), got"):
        drive_level(torch.zeros(3))


def test_benefit_seeds_a_goal_where_drive_lifts_it_above_the_threshold() -> None:
    goal, place = GoalState(), drawn(1, 32)
    assert not goal.active
    assert not goal.step(0.1, place)  # 0.1 is not above 0.1
    assert not goal.active
    assert goal.step(0.04, place, drive=1.0)  # 0.04 x 3
    torch.testing.assert_close(goal.z_goal, 0.05 * place)
    assert goal.active
    assert not goal.step(0.03, place, drive=1.0)


def test_a_goal_fades_and_moves_as_its_closed_form_says() -> None:
    goal, place = GoalState().double(), drawn(32).double()
    for _ in range(3):
        goal.step(1.0, place)
    wanted = 0.0
    for _ in range(3):
        wanted = wanted * 0.995 * 0.95 + 0.05
    torch.testing.assert_close(goal.z_goal, wanted * place[None])
    for _ in range(100):
        goal.step(0.0, drawn(32))
    torch.testing.assert_close(goal.z_goal, wanted * 0.995**100 * place[None])


def test_a_batch_counts_as_its_mean_and_proximity_is_1_at_the_goal() -> None:
    goal, batch = GoalState(), drawn(5, 32)
    goal.step(1.0, batch)
    torch.testing.assert_close(goal.z_goal, 0.05 * batch.mean(dim=0, keepdim=True))
    found = goal.proximity(torch.stack([goal.z_goal[0], goal.z_goal[0] + 2]))
    torch.testing.assert_close(found, torch.tensor([1.0, 1 / 129]))
    assert goal.proximity(drawn(4, 7, 32)).shape == (4, 7)
    assert goal.proximity(torch.empty(0, 32)).shape == (0,)


def test_a_slow_trace_of_drive_takes_time_to_count() -> None:
    slow = GoalState(GoalConfig(trace_alpha=0.1))
    seeded = [slow.step(0.05, drawn(32), drive=1.0) for _ in range(12)]
    assert seeded == [1 + 2 * (1 - 0.9**n) > 2 for n in range(1, 13)]
    assert 0 < sum(seeded) < 12


def test_a_reset_leaves_no_goal_and_nothing_is_in_the_state_dict() -> None:
    goal = GoalState()
    goal.step(1.0, drawn(32).requires_grad_(), drive=1.0)
    assert not goal.z_goal.requires_grad and goal.state_dict() == {}
    other = copy.deepcopy(goal)
    goal.reset()
    assert not goal.active and goal.drive_trace == 0 and other.active


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.step(math.nan, drawn(32)), "^benefit must be finite, got nan$"),
        (lambda g: g.step(1.0, drawn(32), drive=math.inf), "^drive must be finite, got inf$"),
        (lambda g: g.step(1.0, drawn(31)), r"^z_world must have shape \(32,\) or \(1 or more, 32"),
        (lambda g: g.step(1.0, drawn(0, 32)), r"^z_world must have shape .*, got \(0, 32\)$"),
        (lambda g: GoalConfig(alpha=2.0), "^alpha must be between 0 and 1, got 2.0$"),
        (lambda g: GoalConfig(world_dim=0), "^world_dim must be at least 1, got 0$"),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[GoalState], Any], message: str) -> None:
    goal = GoalState()
    goal.step(1.0, drawn(32))
    before = goal.z_goal.clone()
    with pytest.raises(ValueError, match=message):
        call(goal)
    assert torch.equal(goal.z_goal, before)
