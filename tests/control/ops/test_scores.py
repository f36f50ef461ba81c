"""score_trajectories: each column by hand, rows on their own, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.ops import score_trajectories
from prefrontal.control.ops.scores import plain_residue, plain_score_trajectories

from ..operator_cases import drawn, head, residue, scores_case

forms = pytest.mark.parametrize("score", [score_trajectories, plain_score_trajectories])


def nothing(hidden: int = 64) -> list[Tensor]:
    """A residue of no centre whose network gives 0."""
    return [*residue(0, places=0, hidden=hidden)[:6], torch.zeros(1, hidden), torch.zeros(1)]


@forms
def test_effort_is_the_mean_square_of_the_steps(score: Any) -> None:
    states = torch.zeros(2, 4, 32)
    states[1, :, 0] = torch.tensor([0.0, 1.0, 3.0, 3.0])
    found = score(states, head(1), nothing())
    torch.testing.assert_close(found[:, 0], torch.tensor([0.0, 5.0 / 3.0]))
    assert score(states[:, :1], head(1), nothing())[:, 0].tolist() == [0.0, 0.0]


@forms
def test_harm_sums_the_head_over_all_states(score: Any) -> None:
    states, (w1, b1, w2, b2) = drawn(3, 5, 32), head(7)
    raw = (torch.relu(states @ w1.T + b1) @ w2.T + b2)[..., 0]
    wanted = torch.sigmoid(raw).sum(1)
    torch.testing.assert_close(score(states, [w1, b1, w2, b2], nothing())[:, 1], wanted)
    linear = score(states, [w1, b1, w2, b2], nothing(), harm_sigmoid=False)
    torch.testing.assert_close(linear[:, 1], raw.sum(1))


@forms
def test_a_mark_in_the_residue_fades_with_the_distance_to_its_centre(score: Any) -> None:
    network = nothing()[2:]
    centres, weights = torch.zeros(1, 32), torch.tensor([2.0])
    states = torch.zeros(2, 1, 32)
    states[1, 0, 5] = 3.0
    found = score(states, head(1), [centres, weights, *network], bandwidth=1.5)[:, 2]
    ground = 0.1 * math.log(2.0)  # softplus of nothing
    wanted = torch.tensor([2.0 + ground, 2.0 * math.exp(-9.0 / (2 * 1.5**2)) + ground])
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("level", [-200.0, -20.0, -3.0, -1e-4, 0.0, 1e-4, 2.0, 19.9, 20.1, 300.0])
def test_softplus_holds_from_end_to_end(level: float) -> None:
    network = [*nothing()[:7], torch.tensor([level])]
    found = score_trajectories(torch.zeros(1, 1, 32), head(1), network)[0, 2].item()
    wanted = 0.1 * (max(level, 0.0) + math.log1p(math.exp(-abs(level))))
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-30)


@forms
def test_goal_nearness_is_one_at_the_goal(score: Any) -> None:
    goal = drawn(32, seed=3)
    states = goal.expand(1, 2, 32).clone()
    states[0, 1, 0] += 2.0
    found = score(states, head(1), nothing(), benefit=head(4), goal=goal)
    assert found[0, 4].item() == pytest.approx(1.0 + 1.0 / 5.0, rel=1e-6)
    assert 0.0 < found[0, 3].item() < 2.0
    assert score(states, head(1), nothing())[0, 3:].tolist() == [0.0, 0.0]


def test_a_trajectory_scores_the_same_in_any_company() -> None:
    case = scores_case(37, 7)
    states, *rest = case.tensors
    together = case.call(states, *rest)
    for i in (0, 1, 4, 20, 36):
        assert torch.equal(case.call(states[i : i + 1], *rest)[0], together[i])
    assert torch.equal(case.call(states.flip(0), *rest), together.flip(0))


@forms
def test_no_trajectories_give_no_scores(score: Any) -> None:
    assert score(torch.zeros(0, 4, 32), head(1), residue(2)).shape == (0, 5)


@forms
def test_nan_stays_in_its_trajectory(score: Any) -> None:
    states = drawn(3, 4, 32)
    states[1, 2, 7] = torch.nan
    found = score(states, head(1), residue(2), benefit=head(3), goal=states[0, 0])
    assert found.isnan().any(1).tolist() == [False, True, False]
    assert found[1].isnan().all()


@forms
def test_far_states_are_finite_where_the_formula_is(score: Any) -> None:
    found = score(torch.full((1, 2, 32), 1e4), head(1), residue(2), goal=torch.zeros(32))
    assert found.isfinite().all()


def test_wide_layers_and_other_states_take_the_plain_form() -> None:
    wide = scores_case(3, 4, hidden=200)
    torch.testing.assert_close(wide.call(*wide.tensors), wide.plain(*wide.tensors))
    layers = [torch.zeros(4, 3), torch.zeros(4), torch.zeros(1, 4), torch.zeros(1)]
    field = [torch.zeros(2, 3), torch.ones(2), *layers[:2], torch.zeros(4, 4), torch.zeros(4)]
    found = score_trajectories(torch.zeros(2, 3, 3), layers, [*field, *layers[2:]])
    torch.testing.assert_close(found[0], torch.tensor([0, 1.5, 6 + 0.3 * math.log(2), 0, 0]))


def test_the_plain_residue_is_the_column_of_a_single_state() -> None:
    states, field = drawn(4, 1, 32), residue(2)
    torch.testing.assert_close(
        score_trajectories(states, head(1), field)[:, 2], plain_residue(states[:, 0], field)
    )


@forms
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"world_states": torch.zeros(4, 32)}, r"world_states must have shape \[any, any, any\]"),
        ({"world_states": torch.zeros(2, 0, 32)}, r"world_states must have at least one state"),
        ({"world_states": torch.zeros(1, 2, 32).long()}, "world_states must have a floating dtype"),
        ({"harm": head(1)[:3]}, "harm must be w1, b1, w2, b2, got 3 tensors"),
        ({"harm": [torch.zeros(64, 8), *head(1)[1:]]}, r"harm w1 must have shape \[any, 32\]"),
        ({"harm": [t.double() for t in head(1)]}, "harm w1 must have dtype torch.float32, got"),
        ({"residue": residue(1)[:7]}, "residue must be centres, .*, got 7 tensors"),
        (
            {"residue": [torch.zeros(3, 32), *residue(1)[1:]]},
            r"residue centre_weights must .*\[3\]",
        ),
        ({"residue": [*residue(1)[:6], *head(1)[:2]]}, r"residue w3 must have shape \[1, 64\]"),
        ({"benefit": head(1)[:1]}, "benefit must be w1, b1, w2, b2, got 1 tensors"),
        ({"goal": torch.zeros(1, 32)}, r"goal must have shape \[32\], got \[1, 32\]"),
        ({"bandwidth": 0.0}, "bandwidth must be finite and above 0, got 0"),
        ({"bandwidth": math.nan}, "bandwidth must be finite and above 0, got nan"),
    ],
)
def test_what_does_not_fit_is_refused(score: Any, change: dict[str, Any], message: str) -> None:
    given = {"world_states": drawn(2, 3, 32), "harm": head(1), "residue": residue(2)} | change
    with pytest.raises(ValueError, match=message):
        score(**given)
