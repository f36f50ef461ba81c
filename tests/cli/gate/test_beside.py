"""A gate beside a running watch, and from call to call under one policy."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from prefrontal.cli.gate.plan import GatePlan
from prefrontal.cli.watch.session import build_watch
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.settings import load_settings
from prefrontal.storage.state_folder import CALL_LOCK, StateFolder
from prefrontal.types import SignalEvent

from .turns import Place


def watch_asks(place: Place) -> bytes:
    """What a gate answers beside a watch that has just asked."""
    session = build_watch(load_settings(place.folder / "prefrontal.yml"))
    session.start()
    try:
        location, text = str(place.log), {"text": "ERROR"}
        session.watch.push(SignalEvent("log", location, "line", 1.0, 1_700_000_000.0, text))
        session.watch.stop()  # decided and stored
        return place.take().output
    finally:
        session.stop()


def test_what_a_watch_without_sinks_asks_goes_to_who_calls(place: Place) -> None:
    place.take()
    assert b"ERROR" in watch_asks(place)
    assert not place.take().wake  # once


def test_beside_a_watch_that_owes_nothing_nothing_is_new_until_it_ends(place: Place) -> None:
    place.take()
    session = build_watch(load_settings(place.folder / "prefrontal.yml"))
    session.start()
    assert GatePlan(place.call().key()).nothing_new()
    assert not place.take().wake
    assert GatePlan(place.call().key()).nothing_new()
    session.stop()
    assert not GatePlan(place.call().key()).nothing_new()


def test_what_a_sink_is_told_nobody_else_is_told(place: Place) -> None:
    place.take()
    place.settings("sources: {logs: [app.log]}\nstate: state\nsinks: [{lines: asked.jsonl}]\n")
    assert watch_asks(place) == b""
    assert not place.take().wake


def test_a_watch_that_tells_nobody_who_calls_is_a_fault(place: Place) -> None:
    assert b"tells nobody who calls: start it again" in watch_asks(place)


def test_a_watch_of_other_settings_does_not_look_for_who_calls(
    place: Place, tmp_path: Path
) -> None:
    place.take()
    other = tmp_path / "other.yml"
    other.write_text(f"sources: {{logs: [other.log]}}\nstate: {place.state}\n")
    session = build_watch(load_settings(other))
    session.start()
    try:
        assert not GatePlan(place.call().key()).nothing_new()
        answer = place.take("json")
        fault = json.loads(answer.output)["fault"]
        assert answer.wake
        assert f"watches what {other} names" in fault
        assert f"nobody looks at what {place.folder / 'prefrontal.yml'} names" in fault
    finally:
        session.stop()
    assert not place.take().wake


def test_the_same_settings_by_another_name_are_those_of_the_watch(
    place: Place, tmp_path: Path
) -> None:
    place.take()
    link = tmp_path / "link.yml"
    link.symlink_to(place.folder / "prefrontal.yml")
    settings = load_settings(link, {"state": str(place.state)})
    session = build_watch(settings)
    session.start()
    try:
        assert not place.take().wake
    finally:
        session.stop()


def test_a_watch_waits_for_the_look_of_a_gate_but_for_no_other_watch(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = StateFolder(place.state)
    state.make()
    monkeypatch.setattr("prefrontal.storage.state_folder.LONGEST_LOOK_S", 0.05)
    waits = list[float]()
    monkeypatch.setattr("prefrontal.storage.state_folder.time.sleep", waits.append)
    with state.watched():
        with pytest.raises(SourceError, match=f"process {os.getpid()}"), state.watched():
            raise AssertionError
        assert not waits
        (place.state / "watch.lock").write_text("1\n")  # as if another process had both
        (place.state / CALL_LOCK).write_text("1\n")
        with pytest.raises(SourceError), state.watched():
            raise AssertionError
    assert waits


def test_cooldown_and_budgets_go_on_from_call_to_call(place: Place) -> None:
    policy = "policy: {cooldown_s: 3600}\n"
    place.settings(f"sources: {{logs: [app.log]}}\nstate: state\n{policy}")
    place.take()
    place.write("first")
    assert len(place.questions()) == 1
    place.write("second")
    assert place.questions() == []
    with DecisionLog(place.state / "decisions.sqlite") as log:
        [waiting] = log.waiting_windows()
    assert waiting.window[0].features["text"] == "second"
    assert GatePlan(place.call().key()).nothing_new()  # until the cooldown ends
    place.settings("sources: {logs: [app.log]}\nstate: state\n")
    [question] = place.questions()
    assert "second" in question["question"]


def test_an_hourly_budget_is_not_filled_again_by_the_next_call(place: Place) -> None:
    policy = "policy: {wakes_per_hour: 1, burst: 1}\n"
    place.settings(f"sources: {{logs: [app.log]}}\nstate: state\n{policy}")
    place.take()
    asked = 0
    for number in range(4):
        place.write(f"line {number}")
        asked += len(place.questions())
    assert asked == 1


def test_what_quiet_hours_hold_back_is_looked_at_when_they_end(place: Place) -> None:
    policy = "policy: {quiet_hours: [0, 23]}\n"
    place.settings(f"sources: {{logs: [app.log]}}\nstate: state\n{policy}")
    place.take()
    place.write("ERROR at night")
    assert place.questions() == []
    fields = Path(f"{GatePlan(place.call().key())._file.path}").read_bytes().split(b"\0")
    assert 0 < float(fields[3]) < float("inf")
    place.settings("sources: {logs: [app.log]}\nstate: state\n")
    [question] = place.questions()
    assert "ERROR at night" in question["question"]
