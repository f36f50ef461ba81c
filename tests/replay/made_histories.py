"""Made histories, replayed with the real gate: one for each thing that a replay can come to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.result import ReplayResult
from prefrontal.types import Window

from .streams import HOUR, START, WORDS, history, window

TURN = 0.85
"""Where in a history that turns what matters becomes something else."""

LATE_DAYS = 140
"""How long nobody learns what mattered there."""


def replayed(name: str, windows: Sequence[Window], preset: str = "path:changes/*") -> ReplayResult:
    asked = Question(name, preset, len(windows), origin="git")
    return replace(backtest(windows, PulseGate(), asked), seconds=0.05)


def spread(windows: Sequence[Window], hours: float) -> list[Window]:
    """The same windows at times that are no rhythm, `hours` apart in the mean."""
    rng = random.Random(1)
    time, found = START, []
    for each in windows:
        time += rng.expovariate(1 / (hours * HOUR))
        events = tuple(replace(event, timestamp=time) for event in each.events)
        found.append(replace(each, time=time, events=events))
    return found


def turned(seed: int, count: int) -> list[Window]:
    """src/ matters until docs/ does instead; labels come late, so that the gate goes on asleep."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        relevant = rng.random() < 0.3
        late = number > count * TURN
        part = "docs/index.md" if relevant == late and rng.random() < 0.9 else "src/core.py"
        found.append(window(number, part, relevant=relevant, text=f"{rng.choice(WORDS)} {number}"))
    return found


def chance(seed: int, count: int) -> list[Window]:
    """What matters is drawn by lot."""
    rng = random.Random(seed)
    return [replace(each, relevant=rng.random() < 0.3) for each in history(seed, count)]


@cache
def kept() -> ReplayResult:
    return replayed("kept", spread(history(3, 1500, noise=0.04), 20))


@cache
def missed() -> ReplayResult:
    windows = spread(turned(3, 700), 20)
    late = [replace(each, known_at=each.time + LATE_DAYS * 24 * HOUR) for each in windows]
    return replayed("missed", late, "followup")


@cache
def without_labels() -> ReplayResult:
    windows = [replace(each, relevant=False) for each in history(3, 400)]
    return replayed("without-labels", spread(windows, 20), "message:^security")


@cache
def tiny() -> ReplayResult:
    return replayed("tiny", spread(history(3, 8), 20))


@cache
def by_lot() -> ReplayResult:
    return replayed("by-lot", spread(chance(3, 1500), 20))


@cache
def young() -> ReplayResult:
    return replayed("young", spread(history(3, 60), 20))
