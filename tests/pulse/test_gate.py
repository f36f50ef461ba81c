"""The one gate on a kept clock, as a replay opens it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.opening import OpenGate, UnlabelledStates, open_gate
from prefrontal.pulse.recall import RecallPromise
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

from .registries import file, raw

NOW = 1_704_137_400.0


def module(threshold: float | None = None, **told: Any) -> ModuleFingerprint:
    return parse_fingerprint(raw(**told) | {"default_threshold": threshold})


def opened(
    *modules: ModuleFingerprint, store: UnlabelledStates | None = None, **told: Any
) -> OpenGate:
    settings = GateSettings(**{"audit_share": 0.0, "log_refusals": True} | told)
    return open_gate(settings, store or UnlabelledStates(), ManualClock(NOW), modules)


def judged(one: OpenGate, *events: SignalEvent, module_id: str | None = None) -> list[Decision]:
    one.gate.judge(events, module_id)
    return one.gate.drain()


def history(count: int, seed: int = 1) -> list[tuple[SignalEvent, bool]]:
    """Changes of which those by ann matter more often than others."""
    random = Random(seed)
    found = []
    for number in range(count):
        actor = random.choice(("ann", "ben", "cleo"))
        relevant = random.random() < (0.6 if actor == "ann" else 0.05)
        found.append((file(f"{number}.pdf", NOW + number, actor=actor), relevant))
    return found


def test_a_window_of_several_events_is_one_decision() -> None:
    one = opened(module(0.5))
    [decision] = judged(one, file("a.txt"), file("b.pdf"))
    assert [event.location[-5:] for event in decision.window] == ["a.txt", "b.pdf"]
    assert decision.score == one.limbic.score("homework", decision.window)
    assert judged(one, file("b.pdf"), file("a.txt")) == []  # both came before
    assert one.gate.counts == {"woke": 1, "duplicate": 1}


def test_a_module_can_be_asked_alone_whatever_it_watches() -> None:
    one = opened(module(0.5), module(0.5, module_id="other", time={"active_hours": [0, 23]}))
    elsewhere = SignalEvent("filesystem", "/elsewhere/a.pdf", "created", 1.0, NOW)
    assert judged(one, elsewhere) == []
    [decision] = judged(one, SignalEvent("filesystem", "/b.pdf", "created", 1.0, NOW),
                        module_id="other")  # fmt: skip
    assert decision.subject == "other"


def test_what_declares_no_threshold_wakes_on_everything_until_enough_is_known() -> None:
    one = opened(module())
    stream = history(400)
    facts = one.gate.modules["homework"].facts
    assert facts().sentence() == "wakes on everything until 9 relevant answers are known (0 so far)"
    known = 0
    for event, relevant in stream:
        for decision in judged(one, event):
            assert decision.acted or known >= 9
            one.gate.learn(decision, float(relevant))
            known += relevant and decision.acted
    assert one.gate.counts[Reason.BELOW_THRESHOLD] > 20
    assert facts().sentence().endswith("follows recall 0.90")


def test_labels_of_a_preset_count_for_what_slept_and_a_persons_do_not() -> None:
    stream = history(300)
    slept: list[Decision] = []
    one = opened(module())
    for event, relevant in stream:
        for decision in judged(one, event):
            one.gate.learn(decision, float(relevant), "preset")
            slept += [decision] * (not decision.acted)
    control = one.gate.modules["homework"].control
    before = control.to_dict()
    one.gate.learn(slept[-1], 1.0, "user")
    assert control.to_dict() == before
    one.gate.learn(slept[-1], 1.0, "preset")
    assert control.to_dict() != before


def test_with_every_window_labelled_the_threshold_is_that_of_the_promise() -> None:
    one, promise = opened(module(), recall=0.8), RecallPromise(0.8)
    thresholds = set()
    for event, relevant in history(500):
        for decision in judged(one, event):
            assert decision.threshold == promise.threshold
            thresholds.add(decision.threshold)
            one.gate.learn(decision, float(relevant), "preset")
            promise.observe(decision.score, relevant, decision.threshold)
    assert len(thresholds) > 20


@pytest.mark.parametrize("source", ["user", "preset"])
def test_what_was_saved_goes_on_to_the_bit(source: str) -> None:
    stream = history(300)

    def decided(one: OpenGate, part: list[tuple[SignalEvent, bool]]) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        for event, relevant in part:
            for each in judged(one, event):
                found.append((each.score, each.threshold, each.reason, each.propensity, each.why))
                one.gate.learn(each, float(relevant), source)
        return found

    whole = decided(opened(module(), audit_share=0.2), stream)
    store = UnlabelledStates()
    first = opened(module(), store=store, audit_share=0.2)
    begun = decided(first, stream[:150])
    first.learned.save()
    again = opened(module(), store=store, audit_share=0.2)
    assert begun + decided(again, stream[150:]) == whole
    asked = {Reason.WOKE} if source == "preset" else {Reason.WOKE, Reason.AUDIT}
    assert {reason for _, _, reason, *_ in whole} == asked | {Reason.BELOW_THRESHOLD}


def test_a_module_takes_over_what_it_knows_elsewhere() -> None:
    taught, fresh = opened(module()), opened(module(), module(0.5, module_id="other"))
    for event, relevant in history(200):
        for decision in judged(taught, event):
            taught.gate.learn(decision, float(relevant), "preset")
    fresh.take_over("homework", taught)
    event = file("last.pdf", actor="ann")
    [ours], [theirs, _] = judged(taught, event), judged(fresh, event)
    assert (ours.score, ours.threshold, ours.why) == (theirs.score, theirs.threshold, theirs.why)
    assert ours.threshold > 0.0
