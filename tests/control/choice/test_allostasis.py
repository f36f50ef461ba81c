"""A need raises the weight of goals, never lowers it, and leaves that of harm alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.control.choice.allostasis import AllostaticCoupling

WEIGHTS = st.floats(0, 1, width=32)


@given(
    harm=WEIGHTS, goal=WEIGHTS, gain=st.floats(0, 8), floor=st.floats(0, 1),
    drives=st.lists(st.floats(-0.5, 1.5), min_size=2, max_size=6),
)  # fmt: skip
def test_the_goal_never_falls_as_the_drive_rises_and_reaches_its_floor(
    harm: float, goal: float, gain: float, floor: float, drives: list[float]
) -> None:
    couple, terrain = AllostaticCoupling(gain, floor), torch.tensor([[harm, goal]])
    found = [couple(terrain, drive) for drive in sorted(drives)]
    for lower, higher in pairwise(found):
        assert higher[0, 1] >= lower[0, 1] - 1e-6
    assert all(torch.equal(each[:, 0], terrain[:, 0]) for each in found)
    assert all(0 <= each[0, 1].item() <= 1 for each in found)
    assert couple(terrain, 1.0)[0, 1] >= floor - 1e-6
    assert torch.equal(couple(terrain, 0.0), terrain) and torch.equal(couple(terrain, -1), terrain)
    assert torch.equal(couple(terrain, 1.5), couple(terrain, 1.0))


def test_the_lift_is_in_the_logit() -> None:
    terrain = torch.tensor([[0.5, 0.6], [0.5, 0.9]])
    found = AllostaticCoupling(gain=2.0, floor=0.0)(terrain, torch.tensor([0.5, 1.0]))
    wanted = torch.sigmoid(torch.logit(terrain[:, 1]) + 2.0 * torch.tensor([0.5, 1.0]))
    assert torch.allclose(found[:, 1], wanted, atol=1e-6)


def test_each_row_may_have_a_drive_of_its_own_and_a_gradient() -> None:
    terrain = torch.tensor([[0.5, 0.3], [0.5, 0.3], [0.5, 0.3]], requires_grad=True)
    found = AllostaticCoupling()(terrain, torch.tensor([0.0, 0.2, 1.0]))
    assert torch.allclose(found[2, 1], torch.tensor(0.8)) and found[1, 1] > found[0, 1]
    found.sum().backward()
    assert terrain.grad is not None and bool(terrain.grad[:2].isfinite().all())


def test_what_is_no_number_or_no_weight_is_refused() -> None:
    couple, terrain = AllostaticCoupling(), torch.full((3, 2), 0.5)
    with pytest.raises(ValueError, match="drive must be a number, got NaN"):
        couple(terrain, float("nan"))
    with pytest.raises(ValueError, match=r"drive must be of shape \[3\], got \[2\]"):
        couple(terrain, torch.zeros(2))
    with pytest.raises(ValueError, match=r"terrain must be of shape \[.., 2\], got \[3, 1\]"):
        couple(terrain[:, :1], 0.5)
    with pytest.raises(ValueError, match="floor must be between 0 and 1, got 1.1"):
        AllostaticCoupling(floor=1.1)
    with pytest.raises(ValueError, match="gain must be at least 0, got -1.0"):
        AllostaticCoupling(gain=-1.0)
