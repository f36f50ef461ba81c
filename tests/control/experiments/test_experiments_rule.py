"""X7, X8 and X9, small: what they measure, what their verdict follows from, and their figures."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from prefrontal.control import LateralPFCAnalog, SalienceCoordinator
from prefrontal.control.choice.salience_config import MODES
from prefrontal.control.experiments import persistence, rule_head, write_gate
from prefrontal.control.experiments.figure import render_png
from prefrontal.control.experiments.record import ExperimentRecord
from prefrontal.control.experiments.rule_task import RuleTask

SMALL: dict[ModuleType, dict[str, Any]] = {
    persistence: {"cues": 4},
    write_gate: {"shuffles": 200},
    rule_head: {"subjects": 16, "warm_up": 30, "steps": 40},
}


@pytest.fixture(scope="module")
def records() -> dict[ModuleType, ExperimentRecord]:
    return {module: module.run([3], **small) for module, small in SMALL.items()}


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", SMALL)
def test_a_verdict_is_that_of_its_measurements(
    records: dict[ModuleType, ExperimentRecord], module: ModuleType
) -> None:
    record = records[module]
    passed = all(it.passed for it in record.seeds[0].measurements)
    assert record.verdict == ("pass" if passed else "fail")
    assert (record.name, record.criterion) == (module.NAME, module.CRITERION)


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", [persistence, write_gate])
def test_the_same_seed_gives_the_same_record_whatever_torch_drew_before(
    records: dict[ModuleType, ExperimentRecord], module: ModuleType
) -> None:
    torch.manual_seed(77)
    told: list[str] = []
    again = module.run([3], report=told.append, **SMALL[module])
    assert again.to_json() == records[module].to_json()
    assert told and all(it.startswith("seed 3: ") for it in told)


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", SMALL)
def test_the_figure_is_drawn_from_the_json(
    records: dict[ModuleType, ExperimentRecord], module: ModuleType
) -> None:
    pytest.importorskip("matplotlib")
    found = render_png(ExperimentRecord.from_json(records[module].to_json()), module.draw)
    assert found.startswith(b"\x89PNG") and len(found) > 20_000


@pytest.mark.exhaustive
def test_persistence_measures_the_half_lives_and_four_ways_to_hold(
    records: dict[ModuleType, ExperimentRecord],
) -> None:
    record = records[persistence]
    assert record.raw["half_lives"][0] == {"0.05": 277.0, "0.3": 46.0, "1.0": 14.0}
    curves = record.raw["cosines"][0]
    assert set(curves) == set(persistence.KINDS)
    assert np.all(curves["ema"]["opposite 0.0"] == 1) and np.all(
        curves["gru"]["unrelated 0.0"] == 1
    )
    assert curves["gru_gate_input"]["opposite 0.0"][-1] < 0.9
    for which in ("opposite", "unrelated"):
        kept = [curves["ema"][f"{which} {gate}"][-1] for gate in persistence.GATES]
        assert kept == sorted(kept, reverse=True) and kept[0] > 0.99
    worse = min(curves["ema"][f"{which} 0.3"][-1] for which in ("opposite", "unrelated"))
    assert record.measured["cos at gate 0.3"] == pytest.approx(worse)
    assert record.measured["cos at gate 1"] == pytest.approx(curves["ema"]["opposite 1.0"][-1])


def test_a_gate_that_leaks_would_fail_the_persistence(monkeypatch: pytest.MonkeyPatch) -> None:
    update = LateralPFCAnalog.update
    monkeypatch.setattr(
        LateralPFCAnalog,
        "update",
        lambda self, z_delta, z_world, gate=1.0: update(self, z_delta, z_world, max(gate, 0.3)),
    )
    record = persistence.run([3], cues=2)
    assert record.verdict == "fail"
    missed = {it.name for it in record.seeds[0].measurements if not it.passed}
    assert {"cos at gate 0.05", "gru, gate 0: 1 - cos"} <= missed


@pytest.mark.exhaustive
def test_pulses_out_of_phase_move_the_rule_as_much_less_as_theory_says(
    records: dict[ModuleType, ExperimentRecord],
) -> None:
    record = records[write_gate]
    numbers = record.raw["seeds"][0]
    n = np.arange(1, 21)
    theory = (1 - 0.9975**n) / (1 - 0.95**n)
    assert theory[0] == pytest.approx(0.050, abs=5e-4)
    assert theory[-1] == pytest.approx(0.076, abs=5e-4)
    np.testing.assert_allclose(numbers["ratio"], theory, atol=1e-5)
    assert record.measured["drift, task, gate shut"] == 0
    assert numbers["soft_ratio"][-1] > 0.08  # signals alone do not shut the gate far enough
    assert np.argmax(numbers["tuning"]) == 0 and np.argmin(numbers["tuning"]) == 8
    assert numbers["outside"][-1] < numbers["null"].min() < numbers["null"].max()
    assert numbers["null"].max() < numbers["inside"][-1]


def test_a_table_that_does_not_shut_in_replay_would_fail_the_write_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = SalienceCoordinator.write_gate
    monkeypatch.setattr(
        SalienceCoordinator, "write_gate", lambda self, target: max(gate(self, target), 0.3)
    )
    record = write_gate.run([3], shuffles=50)
    missed = {it.name for it in record.seeds[0].measurements if not it.passed}
    assert record.verdict == "fail"
    assert missed >= {"largest ratio out / in, n to 20", "off theory", "drift, task, gate shut"}


def test_a_head_learns_the_rule_and_what_it_chooses_needs_the_rule(
    records: dict[ModuleType, ExperimentRecord],
) -> None:
    record = records[rule_head]
    numbers = record.raw["seeds"][0]
    assert numbers["losses"][-1] < 0.2 < numbers["losses"][0]
    assert record.measured["accuracy"] > 0.85 > 0.7 > record.measured["rule zeroed"]
    assert record.measured["summaries t0"] < 0.7
    assert record.measured["choices changed, uniform"] == 0
    assert record.measured["bits changed, frozen zero"] == 0
    assert numbers["by_trial"]["delay 100, gate open"].mean() < 0.8
    assert np.allclose(numbers["by_trial"]["delay 20"].mean(), record.measured["accuracy"])


@pytest.mark.exhaustive
def test_the_summaries_of_the_seed_profile_leave_the_head_nothing_to_choose_by() -> None:
    record = rule_head.run([3], profile="seed", **SMALL[rule_head])
    assert record.verdict == "fail" and record.measured["accuracy"] < 0.7


@pytest.mark.exhaustive
def test_the_rule_turns_around_every_four_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, trial = [], RuleTask.trial

    def watched(self: RuleTask, now: torch.Tensor, **options: Any) -> Any:
        rules.append(now)
        return trial(self, now, **options)

    monkeypatch.setattr(RuleTask, "trial", watched)
    rule_head.run([3], subjects=4, warm_up=1, steps=1)
    session = torch.stack(rules[1:13])  # after the one step of P1
    assert all(torch.equal(row, session[0]) for row in (*session[:4], *session[8:]))
    assert all(torch.equal(row, 1 - session[0]) for row in session[4:8])


def test_a_trial_hides_the_rule_from_all_but_the_cue() -> None:
    task = RuleTask(torch.Generator().manual_seed(1), shapes=24)
    rules = task.any_kinds(2000)
    trial = task.trial(rules, delay=3)
    assert trial.distractors.shape == (2000, 3, 40) and trial.candidates.shape == (2000, 2, 40)
    assert 0.4 < trial.right.double().mean() < 0.6
    by_rule = [trial.candidates[rules == it].mean(dim=(0, 1)) for it in (0, 1)]
    torch.testing.assert_close(by_rule[0], by_rule[1], atol=0.25, rtol=0)
    chosen = trial.candidates[torch.arange(2000), trial.right]
    other = trial.candidates[torch.arange(2000), 1 - trial.right]
    apart = [(chosen - other)[rules == it].mean(dim=0) for it in (0, 1)]
    assert torch.cosine_similarity(apart[0], -apart[1], dim=0) > 0.95 and apart[0].norm() > 2


def test_the_modes_forced_in_the_experiments_exist() -> None:
    assert set(write_gate.TASK) | set(write_gate.REPLAY) <= set(MODES)
