"""What a gate says of itself can be read from another process."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

import pytest

from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.pulse.status_note import EVERY_S, STATUS, StatusNote
from prefrontal.testing import ManualClock

from .registries import PATIENCE_S, decided, file, raw


def kept(log: DecisionLog) -> dict[str, Any] | None:
    state = log.load_state(STATUS)
    return None if state is None else json.loads(state[0])


class Told:
    """A status that the test sets."""

    def __init__(self) -> None:
        self.events = 0

    def __call__(self) -> dict[str, Any]:
        return {
            "running": True, "events": self.events, "waiting": 0, "refused_by_queue": 0,
            "broken_events": 0, "handler_errors": 0, "decisions": {}, "sources": [], "gate": {},
            "gaps": 0, "held_back": 0, "crowded": 0,
            "more": 1,
        }  # fmt: skip


def test_it_is_there_while_the_gate_runs_and_at_its_end() -> None:
    with DecisionLog() as log:
        _, registry = decided([file("a.pdf")], log=log, clock=ManualClock())
        assert (kept(log) or {})["events"] == 1
        registry.start()
        assert registry.push(file("b.txt"))
        assert registry.stop(PATIENCE_S)
        status = kept(log)
    assert status is not None
    assert (status["running"], status["events"], status["pid"]) == (False, 2, os.getpid())
    assert status["decisions"] == {"below_threshold": 1, "woke": 1}
    assert {each["kind"] for each in status["sources"]} >= {"FilesystemSource", "ClockSource"}
    assert (status["unwritten"], status["waiting"]) == (0, 0)


def test_it_is_written_now_and_then_and_only_when_it_changed() -> None:
    clock, told = ManualClock(100.0), Told()
    with DecisionLog() as log:
        note = StatusNote(log, told, clock)
        seen = []
        for seconds, events in ((0.0, 1), (EVERY_S / 2, 2), (EVERY_S / 2, 3), (EVERY_S, 3)):
            clock.advance(seconds)
            told.events = events
            note.look()
            status = kept(log)
            assert status is not None
            seen.append((status["events"], status["at"]))
        note.look(last=True)
        last = kept(log)
    assert seen == [(1, 100.0), (1, 100.0), (3, 105.0), (3, 105.0)]
    assert last is not None
    assert last["at"] == 110.0
    assert "more" not in last


def test_a_log_that_cannot_be_written_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    log = DecisionLog()
    note = StatusNote(log, Told(), ManualClock())
    log.close()
    with caplog.at_level(logging.ERROR, "prefrontal.pulse"):
        note.look()
    assert "the status could not be kept" in caplog.text
    with pytest.raises(SourceError):
        log.load_state(STATUS)


def test_a_gate_that_is_changed_while_it_runs_does_not_wait_for_itself() -> None:
    clock = ManualClock()
    registry = PulseRegistry(audit_share=0.0, clock=clock)
    registry.register_module("homework", raw())
    registry.start()
    for number in range(50):
        clock.advance(EVERY_S)
        assert registry.push(file(f"{number}.pdf"))
        registry.register_module(f"m{number}", raw(f"m{number}"))
    assert registry.stop(PATIENCE_S)
