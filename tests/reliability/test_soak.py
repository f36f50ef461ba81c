"""What a long run measures: growth, leaks, lost lines."""

from __future__ import annotations

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.shells.watch import Watch
from prefrontal.settings.gate import GateSettings
from soak import Soaked, lines_decided, slope


def test_the_slope_is_that_of_the_line_through_the_points() -> None:
    assert slope([0, 1, 2, 3], [5, 7, 9, 11]) == pytest.approx(2.0)
    assert slope([4], [1]) == slope([], []) == 0.0


@pytest.mark.parametrize(
    ("growth", "leak", "lost", "wake_ups", "words"),
    [
        (0.0, 0, 0, 9.0, []),
        (0.5, 0, 0, 0.0, []),
        (2.0, 0, 0, 0.0, ["memory"]),
        (0.0, 1, 0, 0.0, ["descriptors"]),
        (0.0, 0, 1, 11.0, ["lines", "wake-ups"]),
    ],
)
def test_what_passes_a_limit_is_told(
    growth: float, leak: int, lost: int, wake_ups: float, words: list[str]
) -> None:
    seconds = range(400)
    seen = Soaked(written=10, decided=10 - lost, idle_wake_ups=wake_ups)
    seen.memory = [(at, 100.0 + (50.0 if at < 150 else 0.0) + growth * at / 3600) for at in seconds]
    seen.descriptors = [9 + leak * at // 60 for at in seconds]
    assert [each.split()[0] for each in seen.broken()] == words


def test_ticks_of_the_clock_are_no_lines() -> None:
    with DecisionLog() as log:
        status = Watch(GateSettings(), log).status()
    kinds = {each["kind"]: each for each in status["sources"]}
    kinds["ClockSource"]["events"] = 5
    assert lines_decided(status | {"events": 305}) == 300
