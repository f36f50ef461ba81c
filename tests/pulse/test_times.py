"""Clocks that are set, daylight saving time, 2038 and the last year: each event is decided once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain, cycle, islice, repeat

import pytest

from prefrontal.assembly.wakes_again import VerifyTally, again
from prefrontal.clock import LAST_MOMENT
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock

from ..exhaustive import first
from .registries import file, raw

EVENTS = 120
SPRING, AUTUMN = 1_774_745_900.0, 1_792_889_900.0  # 20 minutes before the hour is set, 2026
CLOCKS = {
    "an hour back and forth": (SPRING - 86_400, cycle([3600.0, -3600.0])),
    "a year back": (SPRING - 86_400, chain(repeat(0.0, 60), [-365 * 86_400.0], repeat(0.0))),
    "into summer": (SPRING, repeat(0.0)),
    "into winter": (AUTUMN, repeat(0.0)),
    "2038": (2.0**31 - 1200, repeat(0.0)),
    "2106": (2.0**32 - 1200, repeat(0.0)),
    "the end of the calendar": (LAST_MOMENT - 20 * EVENTS - 1, repeat(0.0)),
}
POLICIES = {
    "none": PolicySettings(),
    "cooldown": PolicySettings(cooldown_s=50),
    "quiet hours": PolicySettings(quiet_hours=(1, 3)),
    "groups": PolicySettings(group_s=45, hold_s=30),
    "an hour's wakes": PolicySettings(wakes_per_hour=6, module_wakes_per_hour=5, burst=2),
    "a budget": PolicySettings(budget="4/hour"),
    "incidents": PolicySettings(budget="4/hour", incidents=True),
}


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("policy", first(2, list(POLICIES)))
@pytest.mark.parametrize("name", first(3, list(CLOCKS)))
def test_each_event_is_decided_once_whatever_the_clock_says(name: str, policy: str) -> None:
    start, jumps = CLOCKS[name]
    clock = ManualClock(start)
    settings = GateSettings(threshold=0.0, policy=POLICIES[policy], log_refusals=True)
    with DecisionLog() as log:
        gate = Stepper(log, [parse_fingerprint(raw())], settings, clock=clock)
        for number, jump in zip(range(EVENTS), islice(jumps, EVENTS), strict=True):
            clock.advance(20.0)
            clock.jump(jump)
            gate.wake(file(f"f{number}.pdf", time=clock.now()))
            due = gate.due()
            assert due is None or due <= clock.monotonic() + 3600.0
        gate.close()
        windows = [
            event.location.rpartition("/")[2] for each in log.records() for event in each.window
        ]
        assert set(windows) == {f"f{number}.pdf" for number in range(EVENTS)}
        assert sum(gate.counts().values()) == EVENTS
        assert list(again(log, VerifyTally(), lambda *_: None)) == []
