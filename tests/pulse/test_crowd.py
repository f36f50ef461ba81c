"""So many windows of a module wait at most; a question counts those beyond, which the log keeps."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from threading import Event

import pytest

from prefrontal.assembly.wakes_again import again
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.words import facts
from prefrontal.pulse import holds
from prefrontal.pulse.event_bytes import size_of
from prefrontal.pulse.gate_module import SHARING
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from .test_folding import NOW, module, payload

SETTINGS = GateSettings(
    audit_share=0.0, policy=PolicySettings(key_ttl_s=0.0, cooldown_s=60.0, module_budget=None)
)
MOST = 40


@pytest.fixture(autouse=True)
def _few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holds, "MOST_WAITING", MOST)
    monkeypatch.setattr(holds, "LITTLE", 3)


def said(text: str, source: str = "flood") -> SignalEvent:
    return SignalEvent(source, "/src", "said", 1.0, NOW, {"text": text})


def flooded(gate: Stepper, events: int) -> None:
    for number in range(events):
        gate.wake(said(f"{number}"))


def crowd_of(decisions: list[Decision]) -> list[int]:
    return [payload(each).crowd for each in decisions if each.acted]


def test_the_next_question_counts_what_found_no_place_and_the_log_has_it() -> None:
    clock = ManualClock(NOW)
    with DecisionLog(clock=clock) as log:
        gate = Stepper(log, [module()], SETTINGS, clock=clock)
        flooded(gate, 101)  # the first is asked about
        places = MOST - MOST // holds.RESERVE
        clock.advance(61.0)
        [question] = gate.tick()
        assert len(payload(question).folded) == places
        assert payload(question).crowd == 100 - places
        assert question.question is not None
        assert question.question.endswith(
            f" Besides, {100 - places} held back windows are in the log."
        )
        texts = [each.window[0].features["text"] for each in log.records() if not each.acted]
        assert texts == [f"{number}" for number in range(1, 101)]
        assert crowd_of([*log.records()]) == [0, 100 - places]
        names = [fact.name for each in log.records() for fact in facts(each)]
        assert (names.count("crowded"), names.count("counts")) == (100 - places, 1)
        assert log.waiting_windows() == []


def test_a_flood_leaves_places_to_a_source_of_which_little_waits() -> None:
    clock = ManualClock(NOW)
    with DecisionLog(clock=clock) as log:
        gate = Stepper(log, [module()], SETTINGS, clock=clock)
        flooded(gate, 2 * MOST)
        for number in range(5):
            gate.wake(said(f"quiet {number}", "quiet"))
        clock.advance(61.0)
        [question] = gate.tick()
        quiet = [each.name for each in payload(question).folded if each.name.startswith("quiet")]
        assert quiet == ["quiet 0", "quiet 1", "quiet 2"]


def test_a_flood_of_one_module_takes_no_place_of_another() -> None:
    clock = ManualClock(NOW)
    opened = open_gate(SETTINGS, UnlabelledStates(), clock, [module("one"), module("two")])
    for number in range(2 * MOST):
        opened.gate.judge([said(f"{number}")], "one")
    opened.gate.judge([said("first")], "two")
    opened.gate.judge([said("second")], "two")
    assert opened.gate.holds.crowd == {"one": 2 * MOST - 1 - (MOST - MOST // holds.RESERVE)}
    assert holds.HeldWindows().crowd_state() == {}  # nothing is kept where nobody was turned away


def test_what_is_counted_survives_a_restart_and_is_decided_again_to_the_bit(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    with DecisionLog(tmp_path / "decisions.sqlite", clock=clock) as log:
        flooded(Stepper(log, [module()], SETTINGS, clock=clock), 71)  # and it is killed
        places = MOST - MOST // holds.RESERVE
        second = Stepper(log, [module()], SETTINGS, clock=clock)
        second.wake(said("one more"))
        clock.advance(61.0)
        asked = [each for each in [*log.records(), *second.tick()] if each.acted]
        assert sum(crowd_of(asked)) == 70 - places
        third = Stepper(log, [module()], SETTINGS, clock=clock)
        clock.advance(61.0)
        assert crowd_of([*third.wake(said("last")), *third.tick()]) == [0]
        assert list(again(log)) == []


def test_what_waited_before_a_start_leaves_the_memory_and_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "MOST_BYTES", 10_000)
    clock = ManualClock(NOW)
    with DecisionLog(tmp_path / "decisions.sqlite", clock=clock) as log:
        flooded(Stepper(log, [module()], SETTINGS, clock=clock), 31)  # and it is killed
        watch = Watch(SETTINGS, log, clock=clock)
        watch.add(module())
        waiting = watch._worker._gate.holds
        assert 0 < waiting.bytes <= 10_000 < 30 * size_of([said("0")])
        asked = Event()
        watch.on_wake(lambda _: asked.set())
        clock.advance(61.0)
        watch.start()
        assert asked.wait(10.0)
        assert watch.stop(10.0)
        told = [payload(each).folded for each in log.records() if each.acted]
        assert [len(each) for each in told] == [0, 30]


def test_by_the_rules_of_before_all_wait() -> None:
    clock = ManualClock(NOW)
    opened = open_gate(SETTINGS, UnlabelledStates(), clock, [module()], version=SHARING)
    for number in range(2 * MOST):
        opened.gate.judge([said(f"{number}")])
    assert opened.gate.holds.count == 2 * MOST - 1


def test_a_watch_says_that_there_was_no_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock(NOW)
    caplog.set_level(logging.WARNING)
    with DecisionLog(tmp_path / "decisions.sqlite", clock=clock) as log:
        watch = Watch(SETTINGS, log, clock=clock)
        watch.add(module())
        watch.start()
        for number in range(101):
            assert watch.push(said(f"{number}"))
        while watch.status()["events"] < 101:
            Event().wait(0.01)
        assert watch.stop(10.0)
        crowd = watch.status()["crowded"]
        assert crowd == 100 - (MOST - MOST // holds.RESERVE)
        kept = log.load_state(holds.CROWD)  # for the question of the next watch
        assert kept is not None and json.loads(kept[0]) == {"code": crowd}
    assert "windows found no room to wait: questions count them" in caplog.text
