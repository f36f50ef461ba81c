"""An experiment is worth what it says of a broken model: each mechanism, broken, is found out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from torch import Tensor

from prefrontal.control.experiments import attribution, gambling, persistence, rule_head
from prefrontal.control.experiments.record import ExperimentRecord
from prefrontal.control.experiments.trained_cue import CueSizes
from prefrontal.control.rule.lateral_pfc import LateralPFCAnalog
from prefrontal.control.rule.rule_persistence import RulePersistence

FEW = CueSizes(
    worlds=16,
    steps=100,
    encoder_batches=60,
    cue_batches=0,
    held_out_worlds=16,
    held_out_steps=80,
)


def missed(record: ExperimentRecord) -> list[str]:
    """The measurements that the one seed missed."""
    (seed,) = record.seeds
    return [it.name for it in seed.measurements if not it.passed]


def test_slots_say_nothing_of_a_path_that_learned_nothing() -> None:
    record = attribution.run([3], sizes=replace(FEW, encoder_batches=20), banks=2)
    assert record.verdict == "fail"
    assert missed(record) == ["depth, trained slots"]


@pytest.mark.exhaustive
def test_a_recurrent_cell_that_never_moves_is_not_held_by_its_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = RulePersistence.forward

    def frozen(
        self: RulePersistence,
        rule: Tensor,
        source: Tensor,
        gate: float | Tensor,
        step: float | Tensor,
        activity: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        if self.kind == "gru":
            return rule.clone(), activity
        return whole(self, rule, source, gate, step, activity)

    assert missed(persistence.run([0], cues=8)) == []
    monkeypatch.setattr(RulePersistence, "forward", frozen)
    assert missed(persistence.run([0], cues=8)) == ["gru, gate 1: least 1 - cos"]


@pytest.mark.exhaustive
def test_a_uniform_bias_of_nothing_is_no_uniform_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LateralPFCAnalog._uniform
    few: dict[str, Any] = {"subjects": 8, "warm_up": 10, "steps": 5}
    assert "least uniform bias" not in missed(rule_head.run([0], **few))
    monkeypatch.setattr(LateralPFCAnalog, "_uniform", lambda self, seen: 0 * whole(self, seen))
    assert "least uniform bias" in missed(rule_head.run([0], **few))


@pytest.mark.exhaustive
def test_the_record_of_the_gambling_task_says_what_its_form_was_chosen_with() -> None:
    record = gambling.run([0], people=4)
    told = json.loads(record.to_json())["parameters"]["form_chosen_with"]
    for known in ("human block means", "criterion for the lesion", "anticipation", "no blind"):
        assert known in told
    assert "chosen with these people and the lesion in view" in record.criterion
