"""Thresholds move within the operator's bounds, one step at a time, and say so."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.triggers.adaptive import AdaptiveThresholds
from prefrontal.settings.cortex_growth import Adaptive


@dataclass
class Settings:
    adaptive: Adaptive = field(default_factory=lambda: Adaptive(enabled=True))
    interaction_threshold: int = 5
    schedule_minutes: float = 30.0


COUNT, TIMER = ("interaction_count",), ("timer",)


def fed(useful: bool, triggers: tuple[str, ...], times: int, settings: Settings) -> list[str]:
    made = AdaptiveThresholds()
    said = [made.observe(useful, triggers, settings) for _ in range(times)]
    return [each for each in said if each]


def test_it_is_off_unless_it_is_switched_on() -> None:
    off = Settings(Adaptive())
    made = AdaptiveThresholds()
    assert [made.observe(False, COUNT, off) for _ in range(50)] == [None] * 50
    assert made.thresholds(off) == {}


def test_useless_cycles_make_it_fire_later_and_useful_ones_earlier() -> None:
    made, settings = AdaptiveThresholds(), Settings()
    said = [made.observe(False, COUNT, settings) for _ in range(5)]
    assert said[:4] == [None] * 4
    assert said[4] is not None and "interaction_threshold moved from 5 to 6" in said[4]
    assert "bounds 3..20" in said[4] and "0%" in said[4]
    assert made.thresholds(settings) == {"count": 6}
    for _ in range(10):
        made.observe(True, COUNT, settings)
    assert made.thresholds(settings) == {"count": 4}


def test_the_timer_moves_by_a_quarter() -> None:
    made, settings = AdaptiveThresholds(), Settings()
    for _ in range(5):
        made.observe(False, TIMER, settings)
    assert made.thresholds(settings) == {"period_s": 37 * 60.0}


def test_mixed_use_moves_nothing() -> None:
    made, settings = AdaptiveThresholds(), Settings()
    said = [made.observe(useful, COUNT, settings) for useful in (True, False, True, False, True)]
    assert said == [None] * 5


def test_a_cycle_that_another_trigger_started_tells_nothing() -> None:
    assert fed(False, ("farming", "interaction_count"), 30, Settings()) == []
    assert fed(False, (), 30, Settings()) == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([COUNT, TIMER])), max_size=400))
def test_no_history_leads_out_of_the_bounds(history: list[tuple[bool, tuple[str, ...]]]) -> None:
    made, settings = AdaptiveThresholds(), Settings()
    for useful, triggers in history:
        made.observe(useful, triggers, settings)
        moved = made.thresholds(settings)
        assert 3 <= moved.get("count", 5) <= 20
        assert 15 * 60 <= moved.get("period_s", 1800) <= 120 * 60


def test_at_the_bound_nothing_moves_and_nothing_is_said() -> None:
    assert len(fed(True, COUNT, 50, Settings())) == 2
    assert len(fed(False, COUNT, 500, Settings())) == 15


def test_what_moved_survives_a_restart_and_new_bounds_hold_at_once() -> None:
    made, settings = AdaptiveThresholds(), Settings()
    for _ in range(23):
        made.observe(False, COUNT, settings)
    restored = AdaptiveThresholds()
    restored.load(json.loads(json.dumps(made.save())))
    assert restored.thresholds(settings) == {"count": 9}
    assert [restored.observe(False, COUNT, settings) for _ in range(2)][1] is not None
    narrow = Settings(Adaptive(enabled=True, interaction_threshold=(4, 6)))
    assert restored.thresholds(narrow) == {"count": 6}


@pytest.mark.parametrize("raw", [None, [], {"moved": 3, "seen": []}, {"moved": {"timer": "x"}}])
def test_damaged_state_is_the_configured_one(raw: object) -> None:
    made = AdaptiveThresholds()
    made.load(raw)
    assert made.thresholds(Settings()) == {}
