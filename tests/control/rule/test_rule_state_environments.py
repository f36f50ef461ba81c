"""A rule for each environment, and what RuleState does not take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prefrontal._core.control import RuleState

from .. import state_twins as twins

PARAMETERS = twins.rule_parameters()
N = 5
OPTIONS: dict[str, Any] = {"override_gain": 1.0, "bias_scale": 10.0}  # no bias at its bound


def rows(*shape: int, seed: int = 1) -> twins.Floats:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def singles() -> list[RuleState]:
    return [RuleState(PARAMETERS, **OPTIONS) for _ in range(N)]


@pytest.mark.parametrize("k", [3, 200])
def test_environments_do_not_touch_each_other(k: int) -> None:
    many = RuleState(PARAMETERS, environments=N, **OPTIONS)
    gates = np.array([1.0, 0.3, 0.05, 0.0, 2.0])
    overrides = np.array([0.0, 1.0, 0.5, 1.0, -1.0], np.float32)
    apart = singles()
    for t in range(4):
        z_delta, z_world = rows(N, 32, seed=t), rows(N, 32, seed=100 + t)
        many.update(z_delta, z_world, gates, overrides)
        for i, each in enumerate(apart):
            each.update(z_delta[i], z_world[i], gates[i], float(overrides[i]))
    assert np.array_equal(many.get_rule_state(), [each.get_rule_state() for each in apart])
    summaries = rows(N, k, 32, seed=7)
    biases = many.bias(summaries)
    assert np.array_equal(biases, [e.bias(s) for e, s in zip(apart, summaries, strict=True)])
    out = np.full((N, k), np.nan, np.float32)
    many.bias_into(summaries, out)
    assert np.array_equal(out, biases)


def test_one_gate_holds_for_all_environments_and_one_of_them_is_reset() -> None:
    many, apart = RuleState(PARAMETERS, environments=N, **OPTIONS), singles()
    z_delta, z_world = rows(N, 32), rows(N, 32, seed=2)
    many.update(z_delta, z_world, 0.4)
    for i, each in enumerate(apart):
        each.update(z_delta[i], z_world[i], 0.4)
    many.reset(2)
    apart[2].reset()
    assert np.array_equal(many.get_rule_state(), [each.get_rule_state() for each in apart])
    summaries = rows(N, 4, 32)
    wanted = [each.bias(s) for each, s in zip(apart, summaries, strict=True)]
    assert np.array_equal(many.bias(summaries), wanted)
    many.reset()
    assert np.array_equal(many.get_rule_state(), np.zeros((N, 16)))


def test_a_tick_of_many_environments_works_between_its_views() -> None:
    many, told = (RuleState(PARAMETERS, environments=N, candidates=6, **OPTIONS) for _ in range(2))
    many.z_delta[:], many.z_world[:], many.summaries[:] = rows(N, 32), rows(N, 32), rows(N, 6, 32)
    gates = np.linspace(0, 1, N)
    many.tick(gates)
    told.update(rows(N, 32), rows(N, 32), gates)
    assert np.array_equal(many.get_rule_state(), told.get_rule_state())
    assert np.array_equal(many.biases, told.bias(rows(N, 6, 32)))
    assert many.biases.shape == (N, 6)


def test_one_environment_has_a_row_of_its_own() -> None:
    one = RuleState(PARAMETERS, environments=1)
    one.update(rows(1, 32), rows(1, 32))
    assert one.get_rule_state().shape == (1, 16) and one.bias(rows(1, 3, 32)).shape == (1, 3)
    with pytest.raises(ValueError, match=r"^z_delta must be of shape \(1, 32\), got \(32,\)$"):
        one.update(rows(32), rows(1, 32))


Z, MANY = rows(32), rows(N, 32)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda s, m: s.update(Z, Z, np.nan), ValueError, "^gate must be a number, got nan$"),
        (lambda s, m: s.update(Z, Z, 1.0, np.nan), ValueError, "^override must be a number, got"),
        (lambda s, m: s.tick(float("nan")), ValueError, "^gate must be a number, got nan$"),
        (lambda s, m: s.update(Z, Z, "1"), TypeError, "^gate must be a number, got '1'$"),
        (lambda s, m: s.update(Z, Z, None), TypeError, "^gate must be a number, got None$"),
        (lambda s, m: s.update(Z, Z, np.ones(2)), ValueError, r"^gate must be of shape \(\), got"),
        (
            lambda s, m: m.update(MANY, MANY, np.ones(4)),
            ValueError,
            r"^gate must be of shape \(5,\)",
        ),
        (lambda s, m: m.update(MANY, MANY, np.array(["a"] * N)), TypeError, "^gate must be an arr"),
        (
            lambda s, m: m.update(MANY, MANY, np.array([1, 1, 1, 1, np.nan])),
            ValueError,
            "^gate must be a number, got nan$",
        ),
        (
            lambda s, m: s.update(Z * np.nan, Z),
            ValueError,
            "^z_delta and z_world must give a finite",
        ),
        (lambda s, m: s.update(Z, Z * np.inf), ValueError, "got NaN or infinity in row 0$"),
        (lambda s, m: s.update(Z[:31], Z), ValueError, r"^z_delta must be of shape \(32,\) or"),
        (
            lambda s, m: s.update(MANY[:0], MANY[:0]),
            ValueError,
            r"or \(1 or more, 32\), got \(0, 32",
        ),
        (
            lambda s, m: s.update(MANY, MANY[:2]),
            ValueError,
            r"as many rows as z_delta \(5\), got 2",
        ),
        (lambda s, m: m.update(MANY[:4], MANY), ValueError, r"^z_delta must be of shape \(5, 32\)"),
        (
            lambda s, m: s.update(Z.astype(float), Z),
            TypeError,
            "^z_delta must be an array of float",
        ),
        (lambda s, m: s.bias(MANY[:0]), ValueError, r"^summaries must be of shape \(1 or more, 32"),
        (lambda s, m: s.bias(MANY[:, ::2]), ValueError, "^summaries must be contiguous in C order"),
        (
            lambda s, m: m.bias(MANY),
            ValueError,
            r"^summaries must be of shape \(5, 1 or more, 32\)",
        ),
        (
            lambda s, m: s.bias_into(MANY, rows(4)),
            ValueError,
            r"^biases must be of shape \(5,\), got",
        ),
        (lambda s, m: s.bias_into(MANY, MANY[0, :5]), ValueError, "^biases must not overlap what"),
        (
            lambda s, m: s.set_rule_state(rows(15)),
            ValueError,
            r"^rule must be of shape \(16,\), got",
        ),
        (lambda s, m: s.set_rule_state(rows(16) * np.nan), ValueError, "^rule must be finite, got"),
        (lambda s, m: m.reset(5), ValueError, "^environment must be 0 to 4, got 5$"),
    ],
)
def test_what_is_refused_changes_no_rule(call: Any, kind: type[Exception], message: str) -> None:
    single, many = RuleState(PARAMETERS), RuleState(PARAMETERS, environments=N)
    single.update(Z, Z)
    many.update(MANY, MANY)
    before = single.get_rule_state(), many.get_rule_state()
    with np.errstate(invalid="ignore"), pytest.raises(kind, match=message):
        call(single, many)
    assert np.array_equal(single.get_rule_state(), before[0])
    assert np.array_equal(many.get_rule_state(), before[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"update_eta": 1.5}, r"^update_eta must be 0 to 1, got 1.5$"),
        ({"update_eta": np.nan}, r"^update_eta must be 0 to 1, got nan$"),
        ({"bias_scale": 0.0}, r"^bias_scale must be 1e-06 to 1e\+06, got 0$"),
        (
            {"override_gain": 20.0},
            r"^update_eta \* \(1 \+ override_gain\) must be 0 to 1, got 1.05$",
        ),
        ({"form": "loud"}, r"^form must be 'per_candidate' or 'uniform' or 'gain', got 'loud'$"),
        ({"bias_bound": "soft"}, r"^bias_bound must be 'clamp' or 'tanh', got 'soft'$"),
        ({"environments": 0}, r"^environments must be 1 to 1048576, got 0$"),
        ({"environments": 1 << 20, "candidates": 99}, r"^environments \* candidates must be 1 to"),
        ({"candidates": 0}, r"^candidates must be 1 to 65536, got 0$"),
        (
            {"form": "uniform"},
            r"^parameters\['rule_bias_head.0.weight'\] must be of shape \(32, 16\)",
        ),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RuleState(PARAMETERS, **options)
