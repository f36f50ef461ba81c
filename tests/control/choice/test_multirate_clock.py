"""When E1, E2 and E3 tick, and when the commitment of E3 is swept."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch

from prefrontal.control.choice.multirate_clock import MultirateClock, MultirateClockConfig


def ticks(clock: MultirateClock, part: str, steps: int, z_beta: Any = None) -> list[int]:
    found = [clock.advance(z_beta) for _ in range(steps)]
    return [it.step for it in found if getattr(it, part)]


def test_the_first_step_ticks_all_and_then_each_part_at_its_own_rate() -> None:
    assert ticks(MultirateClock(), "e1", 7) == list(range(7))
    assert ticks(MultirateClock(), "e2", 10) == [0, 3, 6, 9]
    assert ticks(MultirateClock(), "e3", 61) == [0, 20, 40, 60]


@pytest.mark.parametrize(
    ("arousal", "period"),
    [(0.0, 20), (0.1, 18), (0.5, 12), (0.99, 5), (1.0, 5), (7.0, 5), (-1.0, 20)],
)
def test_arousal_makes_e3_tick_more_often(arousal: float, period: int) -> None:
    clock = MultirateClock()
    assert ticks(clock, "e3", 3 * period + 1, arousal) == [0, period, 2 * period, 3 * period]
    assert clock.e3_period == period == max(5, min(20, int(20 - 15 * max(0, min(1, arousal)))))


def test_arousal_is_the_norm_of_z_beta_and_stays_until_told_anew() -> None:
    clock, z_beta = MultirateClock(), torch.zeros(2, 64)
    z_beta[0, 0], z_beta[1, 0] = 0.25, 0.75
    clock.advance(z_beta)
    assert clock.e3_period == 12
    clock.advance()
    assert clock.e3_period == 12
    clock.advance(z_beta[0])
    assert clock.e3_period == 16


def test_a_phase_reset_makes_the_next_step_a_tick_and_counts_from_there() -> None:
    clock = MultirateClock()
    found = []
    for step in range(31):
        if step == 7:
            clock.phase_reset()
        found += [step] if clock.advance().e3 else []
    assert found == [0, 7, 27]


def test_a_rising_arousal_takes_effect_at_once() -> None:
    clock = MultirateClock()
    assert ticks(clock, "e3", 8) == [0]
    assert clock.advance(1.0).e3


def test_the_last_five_of_fifty_steps_sweep_the_commitment() -> None:
    clock = MultirateClock()
    swept = {it.step: it.sweep for it in (clock.advance() for _ in range(120)) if it.sweep}
    assert list(swept) == [*range(45, 50), *range(95, 100)] and set(swept.values()) == {0.25}
    still = MultirateClock(MultirateClockConfig(sweep_steps=0))
    assert not any(still.advance().sweep for _ in range(120))


def test_a_reset_begins_anew_and_copies_go_on_by_themselves() -> None:
    clock = MultirateClock()
    ticks(clock, "e3", 9, 1.0)
    other = copy.deepcopy(clock)
    clock.reset()
    assert clock.advance() == (0, True, True, True, 0.0) and clock.e3_period == 20
    assert other.advance().step == 9 and other.e3_period == 5


def test_what_cannot_be_is_refused_and_the_clock_stands_still() -> None:
    clock = MultirateClock()
    for bad in (math.nan, torch.full((64,), math.inf)):
        with pytest.raises(ValueError, match="^z_beta must be finite, got (nan|inf)$"):
            clock.advance(bad)
    assert clock.advance().step == 0
    for options, message in (
        ({"e3_fast": 30}, r"^e3_fast must be at most e3_slow \(20\), got 30$"),
        ({"e2_period": 0}, "^e2_period must be at least 1, got 0$"),
        ({"sweep_amplitude": 1.5}, "^sweep_amplitude must be between 0 and 1, got 1.5$"),
        ({"sweep_steps": 51}, r"^sweep_steps must be at most sweep_period \(50\), got 51$"),
    ):
        with pytest.raises(ValueError, match=message):
            MultirateClockConfig(**options)
