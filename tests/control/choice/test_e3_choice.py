"""E3 commits below its threshold, draws above it, and takes bias and gain as told."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from prefrontal.control.choice.affordance import affordance_scores
from prefrontal.control.choice.e3 import E3TrajectorySelector

from .. import drawn


def committed(**fields: Any) -> E3TrajectorySelector:
    return drawn.e3(variance_init=0.1, **fields)


def test_committed_the_lowest_score_is_taken() -> None:
    e3, many = committed(), drawn.candidates(8)
    found = e3.select(many)
    assert found.committed
    assert found.index == int(found.scores.argmin())
    assert torch.equal(found.scores, e3.score(many)[:, 0])
    assert torch.equal(found.action, many.actions[found.index, :, 0])
    assert torch.equal(found.trajectory.world_states, many.world_states[found.index])
    assert found.precision == pytest.approx(1 / (0.1 + 1e-6), rel=1e-6)


def test_the_threshold_is_strict() -> None:
    many = drawn.candidates(3)
    assert not drawn.e3(variance_init=0.5, commitment_threshold=0.5).select(many).committed
    assert drawn.e3(variance_init=0.5, commitment_threshold=0.5000001).select(many).committed


def test_uncommitted_candidates_are_drawn_by_softmax_of_their_scores() -> None:
    e3, many = drawn.e3(), drawn.candidates(4)
    generator, counts = drawn.generator(), torch.zeros(4)
    with torch.no_grad():
        for _ in range(400):
            found = e3.select(many, temperature=5.0, generator=generator)
            counts[found.index] += 1
    chances = torch.softmax(-found.scores / 5.0, dim=0)
    assert not found.committed
    assert torch.allclose(counts / 400, chances, atol=0.07)
    assert found.log_prob == pytest.approx(float(chances[found.index].log()), abs=1e-5)
    assert float(chances.max() - chances.min()) > 0.1  # so that equal shares would be seen


def test_a_generator_decides_the_draw_and_the_global_one_is_left_alone() -> None:
    e3, many = drawn.e3(temperature=30.0), drawn.candidates(8)
    before = torch.get_rng_state()
    runs = [
        [e3.select(many, generator=it).index for _ in range(12)]
        for it in (drawn.generator(1), drawn.generator(1), drawn.generator(2))
    ]
    assert runs[0] == runs[1] != runs[2]
    assert torch.equal(torch.get_rng_state(), before)
    e3.select(many)
    assert not torch.equal(torch.get_rng_state(), before)


def test_a_committed_choice_draws_no_random_number() -> None:
    before = torch.get_rng_state()
    committed().select(drawn.candidates(4))
    assert torch.equal(torch.get_rng_state(), before)


def test_bias_is_added_and_gain_multiplied_after_the_mean_over_agents() -> None:
    e3, many = committed(), drawn.candidates(5, agents=3)
    plain = e3.score(many).mean(dim=1)
    bias, gain = drawn.normal(5), 1.0 + 0.1 * drawn.normal(5, seed=1)
    assert torch.equal(e3.select(many).scores, plain)
    assert torch.allclose(e3.select(many, score_bias=bias).scores, plain + bias)
    assert torch.allclose(e3.select(many, score_gain=gain).scores, plain * gain)
    both = e3.select(many, score_gain=gain, score_bias=bias).scores
    assert torch.allclose(both, plain * gain + bias)
    forced = torch.zeros(5)
    forced[3] = -1000.0
    assert e3.select(many, score_bias=forced).index == 3


def test_a_bias_learns_from_the_log_probability_of_the_choice() -> None:
    e3, many = drawn.e3(), drawn.candidates(4)
    bias = torch.zeros(4, requires_grad=True)
    found = e3.select(many, score_bias=bias, temperature=5.0, generator=drawn.generator())
    found.log_prob.backward()
    chances = torch.softmax(-found.scores.detach() / 5.0, dim=0)
    wanted = chances / 5.0
    wanted[found.index] -= 0.2
    assert bias.grad is not None
    assert torch.allclose(bias.grad, wanted, atol=1e-6)


def test_the_affordance_term_changes_scores_only_in_its_modes() -> None:
    many, bias = drawn.candidates(6), drawn.normal(1, 16, seed=8)
    plain = committed().select(many).scores
    term = affordance_scores(many.action_objects, bias, 2.0)[:, 0]
    assert torch.equal(committed().select(many, action_bias=bias).scores, plain)
    for mode in ("e3_score", "both"):
        e3 = committed(affordance_mode=mode, affordance_kappa=2.0)
        assert torch.equal(e3.select(many).scores, plain)
        assert torch.allclose(e3.select(many, action_bias=bias).scores, plain + term, atol=1e-5)
    towards = many.action_objects[4, :, 0]
    strong = committed(affordance_mode="both", affordance_kappa=1000.0)
    assert strong.select(many, action_bias=towards).index == 4


def test_breath_and_urgency_lower_the_threshold() -> None:
    e3, felt = drawn.e3(urgency_weight=0.1), torch.full((1, 16), 0.5)
    assert e3.threshold() == 0.4
    assert e3.threshold(breath_sweep=0.25) == pytest.approx(0.3)
    assert e3.threshold(felt) == pytest.approx(0.4 * (1 - 0.1 * 2.0))
    assert e3.threshold(100 * felt) == pytest.approx(0.2)  # by a half at most
    assert drawn.e3().threshold(felt) == 0.4
    barely = drawn.e3(variance_init=0.39)
    assert barely.select(drawn.candidates(3)).committed
    assert not barely.select(drawn.candidates(3), breath_sweep=0.25).committed


def test_the_running_variance_follows_the_error_of_the_prediction() -> None:
    e3 = drawn.e3()
    predicted, found = drawn.normal(2, 32), drawn.normal(2, 32, seed=1)
    error = float((found - predicted).square().mean())
    assert e3.update_running_variance(found, predicted) == pytest.approx(0.95 * 0.5 + 0.05 * error)
    for _ in range(200):
        e3.update_running_variance(predicted, predicted)
    assert e3.precision == pytest.approx(1 / (float(e3.running_variance) + 1e-6))
    assert float(e3.running_variance) < 1e-4
    before = float(e3.running_variance)
    with pytest.raises(ValueError, match=r"predicted must be shaped \[2, 32\], got \[1, 32\]"):
        e3.update_running_variance(predicted, predicted[:1])
    with pytest.raises(ValueError, match="z_world must be finite and near predicted, got nan"):
        e3.update_running_variance(predicted * float("nan"), predicted)
    assert float(e3.running_variance) == before


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"score_bias": torch.zeros(4)}, r"score_bias must be shaped \[5\] .* got \[4\]"),
        ({"score_bias": torch.zeros(5, 1)}, r"score_bias must be shaped \[5\] .* got \[5, 1\]"),
        ({"score_gain": torch.ones(1)}, r"score_gain must be shaped \[5\] .* got \[1\]"),
        ({"temperature": 0.0}, "temperature must be finite and above 0, got 0.0"),
        ({"temperature": float("nan")}, "temperature must be finite and above 0, got nan"),
        ({"breath_sweep": 1.5}, "breath_sweep must be between 0 and 1, got 1.5"),
        ({"breath_sweep": float("nan")}, "breath_sweep must be between 0 and 1, got nan"),
        ({"terrain_weight": torch.full((1, 2), float("nan"))}, "scores must be finite, got"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(told: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn.e3().select(drawn.candidates(5), **told)


def test_a_bridge_changes_what_is_chosen() -> None:
    e3, many = committed(f_weight=0.0, rho=0.0), drawn.candidates(16)
    bridge = drawn.bridge()
    wanted = e3.harm_eval_z_harm(bridge(many.world_states)).sum(-1)[:, 0].argmin()
    found = e3.select(many, harm_bridge=bridge)
    assert found.index == int(wanted) != e3.select(many).index
