"""DACCAdaptiveControl: error, worth of control, and the bias made of them."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control import DACCAdaptiveControl
from prefrontal.control.choice.dacc import DACCConfig

K = 6
ALL: dict[str, Any] = {
    "bias_weight": 0.7,
    "interaction_weight": 0.3,
    "foraging_weight": 0.2,
    "suppression_weight": 0.5,
}


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def control(**options: Any) -> DACCAdaptiveControl:
    return DACCAdaptiveControl(DACCConfig(use_dacc=True, **options))


def test_the_bias_is_that_of_the_formula_in_double() -> None:
    dacc = control(**ALL, goal_weight=0.4, dacc_drive_coupling=0.25, bias_max_abs=0.9)
    harm, predicted, payoffs = drawn(16), drawn(16, seed=2), drawn(K, seed=3)
    efforts, near = torch.arange(K).float(), drawn(K, seed=4)
    for action in (0, 1, 0, 4):
        dacc.record_action(action)
    told: dict[str, Any] = {
        "efforts": efforts,
        "classes": [0, 1, 2, 0, 4, 3],
        "precision": 250.0,
        "drive": 0.8,
    }
    dacc(drawn(16, seed=9), payoffs)
    first = dacc.pe_ema or math.nan
    out = dacc(harm, payoffs, prediction=predicted, goal_proximity=near, **told)

    pay, cost = payoffs.double().numpy(), efforts.double().numpy()
    pe = float((harm - predicted).double().norm()) * 1.5
    average = 0.95 * first + 0.05 * pe
    worth = pay - 0.1 * pe * cost
    interaction = (pay - pay.mean()) * -(cost - cost.mean())
    shares = np.array([2, 1, 0, 2, 1, 0]) / 4
    foraging = max(0.0, pe - average)
    raw = 0.7 * 1.2 * (-worth + 0.3 * -interaction + 0.2 * foraging + 0.5 * shares)
    wanted = np.clip(raw, -0.9, 0.9) - 0.4 * near.double().numpy()
    assert 0 < np.mean(np.abs(raw) > 0.9) < 1
    np.testing.assert_allclose(out.bias.numpy(), wanted, atol=1e-5)
    assert out.pe == pytest.approx(pe, rel=1e-6) and out.control == pytest.approx(0.1 * pe)
    assert out.foraging == pytest.approx(foraging, rel=1e-5)
    assert out.difficulty == pytest.approx(float(worth.std()), rel=1e-5)
    assert dacc.pe_ema == pytest.approx(average, rel=1e-6)
    assert out.signals() == {
        "dacc_pe": out.pe,
        "dacc_foraging": out.foraging,
        "dacc_difficulty": out.difficulty,
    }


@pytest.mark.parametrize(("precision", "gain"), [(0.0, 1.0), (500.0, 2.0), (9e9, 4.0), (-5.0, 1.0)])
def test_precision_raises_the_error_up_to_four_times(precision: float, gain: float) -> None:
    harm = drawn(16)
    found = control()(harm, drawn(K), precision=precision).pe
    assert found == pytest.approx(gain * harm.norm().item(), rel=1e-6)


def test_an_error_is_the_mean_over_rows_and_may_be_capped() -> None:
    harm = drawn(3, 16)
    found = control()(harm, drawn(K)).pe
    assert found == pytest.approx(harm.norm(dim=1).mean().item())
    assert control(pe_cap=0.5)(harm, drawn(K), precision=500).pe == 0.5


def test_the_first_error_is_its_own_average_so_that_nothing_is_worth_foraging_for() -> None:
    dacc, harm = control(), drawn(16)
    assert dacc(harm, drawn(K)).foraging == 0
    pe = harm.norm().item()
    assert dacc(2 * harm, drawn(K)).foraging == pytest.approx(0.95 * pe, rel=1e-5)
    assert dacc(0 * harm, drawn(K)).foraging == 0


def test_an_outcome_that_keeps_coming_back_counts_less_if_asked_for() -> None:
    saturating, plain, harm = control(saturation=True), control(), drawn(16)
    found = []
    for _ in range(10):
        for dacc in (saturating, plain):
            dacc.record_outcome("hazard_approach")
        assert plain(harm, drawn(K)).pe == pytest.approx(harm.norm().item())
        found.append(saturating(harm, drawn(K)).pe / harm.norm().item())
    factors = [1 / (1 + 0.3 * max(0, n - 2)) for n in (1, 2, 3, 4, 5, 6, 7, 8, 8, 8)]
    assert found == pytest.approx(factors)
    saturating.record_outcome("resource")
    assert saturating(harm, drawn(K)).pe == pytest.approx(harm.norm().item())


def test_only_the_last_eight_actions_suppress_their_class() -> None:
    dacc = control(suppression_weight=1.0)
    for action in (3, 3, 1, 1, 1, 1, 0, 0, 0, 0):
        dacc.record_action(action)
    out = dacc(drawn(16), drawn(3), classes=torch.tensor([0, 1, 3]))
    assert out.suppression.tolist() == [0.5, 0.5, 0.0]


def test_all_weights_are_0_at_first_and_the_bias_exactly_nothing() -> None:
    dacc = control()
    dacc.record_action(1)
    out = dacc(drawn(16), drawn(K), efforts=3.0, classes=[1] * K, goal_proximity=drawn(K))
    assert torch.equal(out.bias, torch.zeros(K)) and out.pe > 0


def test_a_constant_effort_leaves_no_interaction_and_the_bias_a_shift_of_the_payoffs() -> None:
    payoffs = drawn(K)
    out = control(**ALL)(drawn(16), payoffs, efforts=30.0)
    assert out.interaction.abs().max() == 0
    torch.testing.assert_close(out.bias - out.bias.mean(), 0.7 * (payoffs.mean() - payoffs))


def test_switched_off_it_remembers_nothing_and_biases_nothing() -> None:
    dacc = DACCAdaptiveControl(DACCConfig(goal_weight=1.0, saturation=True, **ALL))
    dacc.record_action(1)
    for _ in range(8):
        dacc.record_outcome("harm")
    out = dacc(drawn(16), drawn(K), classes=[1] * K, goal_proximity=drawn(K))
    assert torch.equal(out.bias, torch.zeros(K)) and out.suppression.sum() == 0
    assert out.pe == pytest.approx(drawn(16).norm().item())
    assert dacc.pe_ema is None and not list(dacc.parameters()) and not dacc.state_dict()


def test_a_reset_forgets_average_outcomes_and_actions() -> None:
    dacc = control(saturation=True)
    for _ in range(8):
        dacc.record_action(2)
        dacc.record_outcome("harm")
    dacc(drawn(16), drawn(K))
    dacc.reset()
    out = dacc(drawn(16), drawn(K), classes=[2] * K)
    assert dacc.pe_ema == out.pe == pytest.approx(drawn(16).norm().item())
    assert out.suppression.sum() == 0 and out.foraging == 0


def test_no_candidates_strides_double_precision_and_copies_are_taken() -> None:
    dacc = control(**ALL)
    none = dacc(drawn(16), torch.empty(0))
    assert none.bias.shape == (0,) and none.difficulty == 0
    wide = drawn(K, 2)
    wanted = copy.deepcopy(dacc)(drawn(16), wide[:, 0].clone(), efforts=wide[:, 1].clone()).bias
    for other in (copy.deepcopy(dacc), pickle.loads(pickle.dumps(dacc))):
        assert torch.equal(other(drawn(16), wide[:, 0], efforts=wide[:, 1]).bias, wanted)
    assert dacc(drawn(16).double(), drawn(K).double()).bias.dtype == torch.float64
    assert not dacc(drawn(16).requires_grad_(), drawn(K).requires_grad_()).bias.requires_grad


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d(drawn(16), drawn(2, 3)), r"^payoffs must have shape \(K,\), got \(2, 3\)$"),
        (
            lambda d: d(drawn(16), drawn(K), efforts=drawn(2)),
            r"^efforts must have shape \(6,\) or \(\), got \(2,\)$",
        ),
        (lambda d: d(drawn(16), drawn(K), classes=[1]), "^classes must have one for each of 6, go"),
        (
            lambda d: d(drawn(16), drawn(K), prediction=drawn(15)),
            r"^prediction must have shape \(16,\), got \(15,\)$",
        ),
        (lambda d: d(drawn(16), drawn(K), precision=math.nan), "^precision must be a number, got"),
        (lambda d: d(drawn(16), drawn(K), drive=math.nan), "^drive must be a number, got nan$"),
        (lambda d: d(drawn(16), drawn(K), goal_proximity=drawn(2)), "^goal_proximity must have sh"),
        (lambda d: d(torch.empty(0, 16), drawn(K)), r"^z_harm_a must have shape .*got \(0, 16\)$"),
        (
            lambda d: d(drawn(16) * math.nan, drawn(K)),
            "^z_harm_a must give a finite error, got nan",
        ),
    ],
)
def test_what_does_not_fit_is_refused_and_moves_no_average(
    call: Callable[[DACCAdaptiveControl], Any], message: str
) -> None:
    dacc = control()
    dacc(drawn(16), drawn(K))
    before = dacc.pe_ema
    with pytest.raises(ValueError, match=message):
        call(dacc)
    assert dacc.pe_ema == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bias_max_abs": -1.0}, "^bias_max_abs must be between 0 and 1e"),
        ({"pe_decay": 1.5}, "^pe_decay must be between 0 and 1, got 1.5$"),
        ({"memory": 0}, "^memory must be at least 1, got 0$"),
        ({"bias_weight": math.nan}, "^bias_weight must be finite, got nan$"),
        ({"precision_scale": 0.0}, "^precision_scale must be between"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DACCConfig(**options)
