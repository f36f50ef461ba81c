from __future__ import annotations

import math
import time

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources.clock import ClockSource, time_features
from prefrontal.testing import ManualClock

from .receiver import Receiver


def test_hour_and_weekday_are_points_on_circles_with_monday_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    try:
        features = time_features(4 * 3_600 + 1_800, 2.006)  # Thursday 1970-01-01 04:30
    finally:
        monkeypatch.undo()
        time.tzset()
    assert features == {
        "hour_sin": pytest.approx(math.sin(2 * math.pi * 4 / 24)),
        "hour_cos": pytest.approx(math.cos(2 * math.pi * 4 / 24)),
        "dow_sin": pytest.approx(math.sin(2 * math.pi * 3 / 7)),
        "dow_cos": pytest.approx(math.cos(2 * math.pi * 3 / 7)),
        "minutes_since_last_activation": 2.01,
    }


def test_a_tick_has_the_minutes_it_is_told_or_else_those_since_the_start() -> None:
    clock = ManualClock()
    told: list[float | None] = [7.0, None, math.nan]
    source = ClockSource(lambda: told.pop(0), clock=clock)
    clock.advance(90)
    minutes = [source.tick().features["minutes_since_last_activation"] for _ in range(3)]
    assert minutes == [7.0, 1.5, 1.5]
    assert source.tick().timestamp == clock.now()


def test_a_callback_that_raises_does_not_end_the_ticks(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> float:
        raise RuntimeError("no idea")

    receiver = Receiver()
    source = ClockSource(fails, interval_s=0.005)
    source.start(receiver)
    source.start(receiver)
    events = receiver.take(3)
    source.stop()
    source.stop()
    assert {event.delta_type for event in events} == {"tick"}
    assert isinstance(failures := source.status()["failures"], int) and failures >= 3
    assert "no idea" in caplog.text
    receiver.rest()
    source.start(receiver)
    receiver.take()
    source.stop()


@pytest.mark.parametrize("interval_s", [0, -1, math.nan, math.inf])
def test_the_interval_must_be_a_number_above_zero(interval_s: float) -> None:
    with pytest.raises(InputError, match="interval_s must be a number of seconds above 0"):
        ClockSource(interval_s=interval_s)
