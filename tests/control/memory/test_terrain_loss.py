"""The targets of the terrain weights and their loss, as the seed says and balanced."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.memory.terrain_loss import (
    TerrainTargets,
    TerrainTargetsConfig,
    hazard_in_view,
    terrain_loss,
)

UPSTREAM: dict[str, Any] = {"goal_below": 0.33, "goal_low": 0.2, "reduction": "mean"}


def observations(*hazards: float) -> Tensor:
    """The hazard is the largest in view, wherever it is; what follows the view does not count."""
    harm = torch.full((len(hazards), 51), -1.0)
    for row, hazard in enumerate(hazards):
        harm[row, :25] = hazard - 0.5
        harm[row, (7 * row) % 25] = hazard
    harm[:, 25:] = 9.0
    return harm


def close(found: Tensor, wanted: list[list[float]]) -> bool:
    return torch.allclose(found, torch.tensor(wanted), atol=1e-6)


def test_only_the_view_of_hazards_counts() -> None:
    assert torch.equal(hazard_in_view(observations(0.3, 0.9)), torch.tensor([0.3, 0.9]))
    with pytest.raises(ValueError, match=r"harm_obs must be of shape \[B, >= 25\], got \[2, 24\]"):
        hazard_in_view(torch.zeros(2, 24))


def test_the_defaults_are_the_seeds_numbers_with_strict_comparisons() -> None:
    given = observations(0.05, 0.1, 0.2, 0.3, 0.31)
    found = TerrainTargets()(given)
    assert close(found, [[0.2, 0.8], [0.2, 0.3], [0.2, 0.3], [0.2, 0.3], [0.8, 0.3]])
    lax = TerrainTargets(strict=False)(given)
    assert close(lax, [[0.2, 0.8], [0.2, 0.8], [0.2, 0.3], [0.8, 0.3], [0.8, 0.3]])


def test_each_of_the_numbers_is_a_field() -> None:
    found = TerrainTargets(**UPSTREAM)(observations(0.2, 0.32, 0.4))
    assert close(found, [[0.2, 0.8], [0.8, 0.8], [0.8, 0.2]])
    changed = TerrainTargets(
        harm_above=0.5, goal_below=0.4, harm_high=0.9, harm_low=0.1, goal_high=0.7, goal_low=0.05
    )
    assert close(changed(observations(0.3, 0.6)), [[0.1, 0.7], [0.9, 0.05]])


def test_balanced_thresholds_follow_the_quantiles_of_what_was_seen() -> None:
    targets = TerrainTargets(thresholds="balanced", goal_quantile=0.25, window=100)
    hazards = torch.linspace(1, 2, 101).tolist()
    for at in range(0, 101, 10):
        targets.observe(observations(*hazards[at : at + 10]))
    assert targets.limits == pytest.approx((1.505, 1.2575), abs=1e-4)  # of the last hundred
    assert targets.balance() == pytest.approx((0.5, 0.25))
    found = targets(observations(1.2, 1.4, 1.6))
    assert close(found, [[0.2, 0.8], [0.2, 0.3], [0.8, 0.3]])
    fixed = TerrainTargets()
    fixed.set_seen(targets.get_seen())
    assert fixed.balance() == (1.0, 0.0)  # fact 2: labels that never change


def test_ranked_targets_rise_with_the_hazard_between_low_and_high() -> None:
    targets = TerrainTargets(grading="rank")
    targets.observe(observations(0.1, 0.2, 0.3, 0.3))
    found = targets(observations(0.0, 0.1, 0.25, 0.3, 0.9))
    ranks = torch.tensor([0, 0.125, 0.5, 0.75, 1])
    assert torch.allclose(found[:, 0], 0.2 + 0.6 * ranks, atol=1e-6)
    assert torch.allclose(found[:, 1], 0.8 - 0.5 * ranks, atol=1e-6)


def test_what_was_seen_is_kept_and_copied() -> None:
    targets = TerrainTargets(thresholds="balanced")
    with pytest.raises(ValueError, match=r"observe\(\) must be called before balanced targets"):
        targets(observations(0.5))
    with pytest.raises(ValueError, match="harm_obs must hold numbers in its hazard view, got NaN"):
        targets.observe(observations(float("nan")))
    targets.observe(observations(0.1, 0.5))
    again = TerrainTargets(thresholds="balanced")
    again.set_seen(targets.get_seen())
    assert again.limits == targets.limits == copy.deepcopy(targets).limits
    again.observe(observations(0.9))
    assert again.limits != targets.limits


def test_the_loss_is_the_sum_of_two_means_or_half_of_it() -> None:
    terrain = torch.tensor([[0.5, 0.5], [0.1, 0.9]], requires_grad=True)
    target = torch.tensor([[0.8, 0.3], [0.2, 0.8]])
    wanted = (0.09 + 0.01) / 2 + (0.04 + 0.01) / 2
    assert terrain_loss(terrain, target).item() == pytest.approx(wanted)
    assert terrain_loss(terrain, target, reduction="mean").item() == pytest.approx(wanted / 2)
    terrain_loss(terrain, target).backward()
    assert terrain.grad is not None
    assert torch.allclose(terrain.grad, (terrain - target).detach(), atol=1e-6)


def test_a_loss_that_would_teach_nothing_or_cannot_be_is_refused() -> None:
    terrain = torch.zeros(3, 2, requires_grad=True)
    with pytest.raises(ValueError, match="terrain must carry a gradient, got a detached tensor"):
        terrain_loss(terrain.detach(), torch.zeros(3, 2))
    with torch.no_grad():
        assert terrain_loss(terrain, torch.zeros(3, 2)).item() == 0
    for wrong in (torch.zeros(2, 2), torch.zeros(3, 1), torch.zeros(1, 2)):
        with pytest.raises(ValueError, match=r"terrain and target must both be of shape \[B, 2\]"):
            terrain_loss(terrain, wrong)
    with pytest.raises(ValueError, match="reduction must be one of sum, mean, got 'none'"):
        terrain_loss(terrain, torch.zeros(3, 2), reduction="none")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"harm_high": 1.2}, "harm_high must be between 0 and 1, got 1.2"),
        ({"harm_above": float("nan")}, "harm_above must be finite, got nan"),
        ({"thresholds": "some"}, "thresholds must be one of fixed, balanced, got 'some'"),
        ({"grading": "x"}, "grading must be one of step, rank, got 'x'"),
        ({"window": 1}, "window must be at least 2, got 1"),
    ],
)
def test_a_wrong_field_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TerrainTargetsConfig(**changes)
