"""The forms of the bias, its bounds, rules for many environments, snapshots, and refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control import LateralPFCAnalog, LateralPFCConfig
from prefrontal.control.choice.trajectory import Trajectories
from prefrontal.control.layers import layer_tensors

from .. import state_twins as twins

N = 3
CALLS = [("per_candidate", False), ("per_candidate", True), ("uniform", False), ("gain", True)]


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def held(seed: int = 0, head: Any = "frozen_random", **options: Any) -> LateralPFCAnalog:
    config = LateralPFCConfig(use_lateral_pfc_analog=True, head=head, **options)
    module = LateralPFCAnalog(config, generator=torch.Generator().manual_seed(seed))
    module.set_rule_state(drawn(*module.rule_state.shape, seed=2))
    return module


@pytest.mark.parametrize("bound", ["clamp", "tanh"])
@pytest.mark.parametrize(("form", "centred"), CALLS)
def test_a_bias_is_within_1e_6_of_the_formula_in_double(
    form: Any, centred: bool, bound: Any
) -> None:
    module = held(bias_form=form, centre_summaries=centred, bias_bound=bound)
    summaries = drawn(40, 32) * 2
    read = summaries - summaries.double().mean(dim=0) if centred else summaries
    shown = read[:, :0] if form == "uniform" else read
    rule = module.rule_state[0].double().numpy()
    raw = twins.raw_bias(module.rule_parameters(), rule, shown.numpy())
    wanted = np.clip(raw, -0.1, 0.1) if bound == "clamp" else 0.1 * np.tanh(raw / 0.1)
    found = module(summaries)
    assert found.shape == (40,)
    assert np.abs(found.detach().numpy() - wanted - (form == "gain")).max() <= 1e-6
    assert form == "uniform" or 0 < np.mean(np.abs(raw) > 0.1) < 1


def test_a_uniform_bias_is_constant_over_candidates_and_never_changes_the_best() -> None:
    module = held(bias_form="uniform")
    for seed in range(20):
        scores, summaries = drawn(32, seed=seed), drawn(32, 32, seed=seed)
        bias = module.compute_bias(summaries)
        assert bias.unique().numel() == 1 and bias[0] != 0
        assert module.biased(scores, summaries).argmin() == scores.argmin()


@pytest.mark.exhaustive
def test_a_gain_multiplies_the_scores_within_its_scale() -> None:
    module, scores, summaries = held(bias_form="gain"), drawn(32), drawn(32, 32, seed=3)
    factor = module.compute_bias(summaries)
    assert (factor - 1).abs().max() <= 0.1 + 1e-6 and factor.unique().numel() > 1
    assert torch.equal(module.biased(scores, summaries), scores * factor)
    additive = held()
    torch.testing.assert_close(factor - 1, additive.compute_bias(summaries))


def test_beyond_the_bound_a_clamp_has_no_gradient_and_tanh_has() -> None:
    grads = {}
    for bound in ("clamp", "tanh"):
        module = held(bias_bound=bound)
        _, _, weight, last = layer_tensors(module.rule_bias_head)
        with torch.no_grad():
            last.fill_(0.25)
            weight.mul_(0.1)
        module.compute_bias(drawn(8, 32)).sum().backward()
        assert last.grad is not None
        grads[bound] = last.grad.abs().item()
    assert grads["clamp"] == 0 and grads["tanh"] > 1e-3


def test_a_head_to_be_trained_begins_at_a_quarter_and_a_frozen_one_is_offered_to_no_optimizer() -> (
    None
):
    trained, random, zero = (held(head=it) for it in ("trained", "frozen_random", "frozen_zero"))
    for name in ("weight", "bias"):
        last = [getattr(it.rule_bias_head[2], name) for it in (trained, random, zero)]
        assert torch.equal(last[0], last[1] * 0.25) and last[1].abs().sum() > 0
        assert torch.equal(last[2], torch.zeros_like(last[2]))
    assert len(list(trained.trainable_parameters())) == 4
    assert not list(random.trainable_parameters()) and not list(zero.trainable_parameters())


@pytest.mark.parametrize("source", ["t0", "t1", "final", "mean"])
def test_candidates_are_summed_up_as_the_configuration_says(source: Any) -> None:
    worlds = drawn(5, 1, 4, 32)
    worlds[:, :, 0] = worlds[0, 0, 0]
    candidates = Trajectories(worlds, worlds, drawn(5, 1, 3, 5), drawn(5, 1, 3, 16))
    found = held(candidate_summary=source).summarise(candidates)
    at = {"t0": worlds[:, 0, 0], "t1": worlds[:, 0, 1], "final": worlds[:, 0, 3]}
    assert torch.equal(found, at.get(source, worlds[:, 0].mean(dim=1)))
    bias = held(candidate_summary=source).compute_bias(found).detach()
    assert (np.ptp(bias.numpy()) < 1e-7) == (source == "t0")


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["per_candidate", "uniform", "gain"])
@pytest.mark.parametrize("gates", [0.4, [2.0, 0.05, -1.0]])
def test_environments_have_rules_of_their_own(form: Any, gates: Any) -> None:
    options: dict[str, Any] = {"bias_form": form, "override_gain": 1.0}
    many, apart = held(environments=N, **options), [held(**options) for _ in range(N)]
    for i, each in enumerate(apart):
        each.set_rule_state(many.rule_state[i])
    override = torch.tensor([0.0, 1.0, 0.5])
    for t in range(3):
        z_delta, z_world = drawn(N, 32, seed=t), drawn(N, 32, seed=10 + t)
        told = torch.tensor(gates) if isinstance(gates, list) else gates
        many.update(z_delta, z_world, told, override)
        for i, each in enumerate(apart):
            gate = gates[i] if isinstance(gates, list) else gates
            each.update(z_delta[i], z_world[i], gate, override[i])
    torch.testing.assert_close(many.rule_state, torch.cat([it.rule_state for it in apart]))
    summaries = drawn(N, 6, 32, seed=20)
    wanted = [each(rows) for each, rows in zip(apart, summaries, strict=True)]
    torch.testing.assert_close(many(summaries), torch.stack(wanted))
    many.reset(1)
    assert many.rule_state[1].abs().sum() == 0 and many.rule_state[2].abs().sum() > 0


@pytest.mark.parametrize(("form", "centred"), CALLS)
@pytest.mark.parametrize("environments", [None, N])
def test_a_snapshot_goes_on_as_the_module_does(
    form: Any, centred: bool, environments: int | None
) -> None:
    module = held(
        bias_form=form, centre_summaries=centred, environments=environments, bias_bound="tanh"
    )
    state = module.snapshot(candidates=4)
    rows = () if environments is None else (environments,)
    for t in range(3):
        z_delta, z_world = drawn(*rows, 32, seed=t), drawn(*rows, 32, seed=9 + t)
        module.update(z_delta, z_world, 0.3)
        state.update(z_delta.numpy(), z_world.numpy(), 0.3)
    rule = module.rule_state if environments else module.rule_state[0]
    np.testing.assert_allclose(state.get_rule_state(), rule.numpy(), atol=1e-6)
    summaries = drawn(*rows, 4, 32, seed=30)
    found = module(summaries).detach().numpy()
    np.testing.assert_allclose(state.bias(summaries.numpy()), found, atol=1e-6)
    with torch.no_grad():
        module.delta_proj.weight.mul_(2)
    assert state.changed(module.rule_parameters()) == ("delta_proj.weight",)


Z, MANY = drawn(32), drawn(N, 32)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda s, m: s.update(Z, Z, math.nan), ValueError, "^gate must be a number, got nan$"),
        (lambda s, m: s.update(Z, Z, torch.tensor(math.nan)), ValueError, "^gate must be a num"),
        (lambda s, m: s.update(Z, Z, 1.0, math.nan), ValueError, "^override must be a number, got"),
        (lambda s, m: s.update(Z, Z, "1"), TypeError, "^gate must be a number, got '1'$"),
        (lambda s, m: s.update(Z, Z, None), TypeError, "^gate must be a number, got None$"),
        (lambda s, m: s.update(Z, Z, MANY[:2, 0]), ValueError, r"^gate must have shape \(\), got"),
        (
            lambda s, m: m.update(MANY, MANY, MANY[:2, 0]),
            ValueError,
            r"^gate must have shape \(\) or \(3,\), got \(2,\)$",
        ),
        (
            lambda s, m: m.update(MANY, MANY, torch.tensor([1.0, math.nan, 0])),
            ValueError,
            "^gate must be a number, got nan$",
        ),
        (lambda s, m: s.update(Z * math.nan, Z), ValueError, "^rule must be finite, got NaN or"),
        (lambda s, m: s.update(Z[:31], Z), ValueError, r"^z_delta must have shape \(32,\) or \(1"),
        (lambda s, m: s.update(Z, MANY[:0]), ValueError, r"^z_world must have shape .*\(0, 32\)$"),
        (lambda s, m: s.update(MANY, MANY[:2]), ValueError, "^z_world must have 3 rows as z_delta"),
        (lambda s, m: m.update(MANY[:2], MANY), ValueError, r"^z_delta must have shape \(3, 32\)"),
        (lambda s, m: s(Z), ValueError, r"^summaries must have shape \(K, 32\), got \(32,\)$"),
        (lambda s, m: s(MANY[None]), ValueError, r"^summaries must have shape \(K, 32\), got \(1,"),
        (lambda s, m: m(MANY), ValueError, r"^summaries must have shape \(3, K, 32\), got \(3, 32"),
        (lambda s, m: s.set_rule_state(Z), ValueError, r"^rule must have shape \(1, 16\), got"),
        (lambda s, m: s.set_rule_state(Z[:16] * math.inf), ValueError, "^rule must be finite"),
        (lambda s, m: m.reset(3), ValueError, "^environment must be 0 to 2, got 3$"),
        (lambda s, m: s.ping(), ValueError, "^persistence must be 'synaptic_hold' for a ping, got"),
        (
            lambda s, m: held(persistence="gru").snapshot(),
            ValueError,
            "^persistence must be 'ema' for a snapshot .*, got 'gru'$",
        ),
    ],
)
def test_what_is_refused_changes_no_rule(call: Any, kind: type[Exception], message: str) -> None:
    single, many = held(), held(environments=N)
    before = single.get_rule_state(), many.get_rule_state()
    with pytest.raises(kind, match=message):
        call(single, many)
    assert torch.equal(single.rule_state, before[0]) and torch.equal(many.rule_state, before[1])


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"update_eta": 1.5}, ValueError, "^update_eta must be between 0 and 1, got 1.5$"),
        ({"update_eta": math.nan}, ValueError, "^update_eta must be between 0 and 1, got nan$"),
        ({"bias_scale": 0.0}, ValueError, "^bias_scale must be finite and above 0, got 0.0$"),
        ({"override_gain": 20}, ValueError, r"^update_eta \* \(1 \+ override_gain\) must be at"),
        ({"bias_form": "loud"}, ValueError, "^bias_form must be one of per_candidate, uniform, g"),
        ({"head": "thawed"}, ValueError, "^head must be one of frozen_zero, frozen_random, trai"),
        ({"persistence": "rnn"}, ValueError, "^persistence must be one of ema, gru, gru_gate_inp"),
        ({"bias_bound": "soft"}, ValueError, "^bias_bound must be one of clamp, tanh, got 'soft'$"),
        ({"candidate_summary": "t9"}, ValueError, "^candidate_summary must be one of t0, t1, fin"),
        ({"update_clock": "e9"}, ValueError, "^update_clock must be one of e3, step, got 'e9'$"),
        ({"rule_dim": 0}, ValueError, "^rule_dim must be at least 1, got 0$"),
        ({"environments": 2.5}, TypeError, "^environments must be a whole number, got 2.5$"),
        ({"tau_trace": 0.5}, ValueError, "^tau_trace must be between 1 and 1e"),
        ({"use_lateral_pfc_analog": 1}, TypeError, "^use_lateral_pfc_analog must be True or Fal"),
    ],
)
def test_options_out_of_range_are_refused(
    options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        LateralPFCConfig(**options)
