from __future__ import annotations

import logging

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.gate_module import GateModule
from prefrontal.pulse.recall.audit import RecallEstimate
from prefrontal.pulse.status_note import StatusNote
from prefrontal.pulse.threshold_facts import FOLLOWING, ThresholdFacts
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock

from .test_gate import module

LOW = RecallEstimate(0.4, 0.31, 0.55, 12)


FEW = "wakes on everything until {} relevant answers are known (0 so far)"


@pytest.mark.parametrize(
    ("own", "told", "sentence"),
    [
        (0.6, {}, "threshold 0.60, the module's own"),
        (0.6, {"threshold": 0.3}, "threshold 0.30, fixed"),
        (None, {"threshold": 0.3}, "threshold 0.30, fixed"),
        (None, {}, FEW.format(9)),
        (0.6, {"recall": 0.95}, FEW.format(19)),
        (None, {"recall": 1.0}, "wakes on everything: at recall 1 nothing may be missed"),
    ],
)  # fmt: skip
def test_it_says_whose_the_threshold_is(
    own: float | None, told: dict[str, float], sentence: str
) -> None:
    assert GateModule(module(own), GateSettings(**told)).facts().sentence() == sentence


def test_a_wish_stands_in_front_and_can_be_taken_back() -> None:
    one = GateModule(module(), GateSettings())
    one.wish(0.25)
    assert (one.threshold, one.facts().sentence()) == (0.25, "threshold 0.25, set by a person")
    one.wish(None)
    assert one.threshold == 0.0 and one.facts().sentence().startswith("wakes on everything until 9")


def test_it_follows_the_recall_once_enough_is_known() -> None:
    one = GateModule(module(), GateSettings(recall=0.5))
    for score in (0.8, 0.6, 0.7):
        one.decided(score, 1.0)
        one.labelled(score, True, one.threshold, 1.0, score)
    assert one.threshold > 0.0
    sentence = one.facts().sentence()
    assert sentence.startswith(f"threshold {one.threshold:.2f} follows recall 0.50")


def test_it_says_what_is_missing_where_all_answers_are_alike() -> None:
    one = answered(GateModule(module(), GateSettings()), [1.0] * 12)
    sentence = one.facts().sentence()
    assert sentence.startswith("threshold 0.") and sentence.endswith(
        " follows recall 0.90; no answer was 'useless' yet, so little can safely sleep:"
        " say it of wakes that did not matter"
    )
    again = GateModule(module(), GateSettings())
    again.restore(one.control.to_dict())
    assert again.facts().sentence() == sentence
    assert answered(again, [0.0]).facts().sentence().endswith(" follows recall 0.90")
    other = answered(GateModule(module(), GateSettings()), [0.0] * 12)
    assert other.facts().sentence() == (
        "wakes on everything until 9 relevant answers are known (0 so far, 12 useless:"
        " say 'useful' of wakes that mattered, or set a threshold if none ever does)"
    )
    assert answered(other, [1.0]).facts().sentence().endswith("are known (1 so far)")


def test_what_an_earlier_release_did_not_count_is_not_told_of() -> None:
    one = answered(GateModule(module(), GateSettings()), [1.0] * 12)
    raw = one.control.to_dict()
    del raw["useless"]
    one.restore(raw)
    assert answered(one, [1.0]).facts().sentence().endswith(" follows recall 0.90")
    assert "useless" not in one.control.to_dict()


def answered(one: GateModule, labels: list[float]) -> GateModule:
    for label in labels:
        one.decided(0.9, 1.0)
        one.labelled(0.9, label >= 0.5, one.threshold, 1.0, 0.9)
    return one


def test_it_warns_when_what_comes_is_not_what_was() -> None:
    drift = "audits find more than was expected"
    facts = ThresholdFacts(0.43, FOLLOWING, 0.5, 30, 9, LOW, drift)
    assert not facts.alarm and facts.warning() == facts.to_dict()["warning"] == drift
    asked_more = ThresholdFacts(0.43, FOLLOWING, 0.9, 30, 9, LOW, drift)
    assert str(asked_more.warning()).startswith("recall 0.90 was asked and at most 0.55 is caught")
    assert str(asked_more.warning()).endswith(f"; {drift}")


def test_it_warns_when_less_is_caught_than_was_asked() -> None:
    facts = ThresholdFacts(0.43, FOLLOWING, 0.9, 30, 9, LOW)
    assert facts.alarm
    assert facts.line() == (
        "threshold 0.43 follows recall 0.90; recall 0.90 was asked and at most 0.55 is caught"
        " (estimated recall 0.40 (0.31 to 0.55) from 12 audits)"
    )
    for asked in (0.55, 0.5, None):
        assert ThresholdFacts(0.43, FOLLOWING, asked, 30, 9, LOW).warning() is None


def test_a_running_gate_warns_once(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock()
    facts = [ThresholdFacts(0.43, FOLLOWING, 0.9, 30, 9, LOW)]
    status = dict.fromkeys(("running", "events", "waiting", "refused_by_queue", "broken_events",
                            "handler_errors", "gaps", "held_back", "crowded", "decisions",
                            "sources"))  # fmt: skip
    with DecisionLog() as log, caplog.at_level(logging.WARNING):
        note = StatusNote(log, lambda: status | {"gate": {"a": facts[0].to_dict()}}, clock)
        for _ in range(2):
            note.look(last=True)
        facts[0] = ThresholdFacts(0.2, FOLLOWING, 0.5)
        note.look(last=True)
    assert [each.getMessage() for each in caplog.records] == [
        "a: recall 0.90 was asked and at most 0.55 is caught (estimated recall 0.40 (0.31 to 0.55)"
        " from 12 audits)"
    ]
