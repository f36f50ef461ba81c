"""A replay counts what a hold kept as told from the question on that tells of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.backtest import Question, replayed
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.types import SignalEvent, Window

START = 1_704_137_400.0


def commits() -> Iterator[Window]:
    """Six that come within six seconds and all matter, then nothing."""
    for number in range(6):
        text, at = f"Fix security hole number {number + 1}", START + number
        event = SignalEvent("git", f"/src/{number}.py", "modified", 1.0, at, {"text": text})
        yield Window(f"c{number}", at, (event,), "", text, True, incident="holes")


def result_of(**policy: float) -> dict[str, object]:
    settings = GateSettings(audit_share=0.0, policy=PolicySettings(**policy))
    question = Question("h", "recorded", 6, labels="asked", warm_up=0)
    result, _ = replayed(commits(), PulseGate(settings=settings), question)
    own = result.policies[-1]
    return {
        "missed": result.missed,
        "recall": result.got_recall,
        "questions": round(own.wakes_per_day * result.days),
        "wasted": result.wasted_count,
        "delay": own.delay_minutes,
        "p90": own.delay_p90_minutes,
        "strip": [each.woke for each in result.strip],
    }


def test_what_a_cooldown_held_back_is_told_when_it_ends() -> None:
    assert result_of(cooldown_s=60.0) == {
        "missed": 0,
        "recall": 1.0,
        "questions": 2,
        "wasted": 0,
        "delay": pytest.approx(56.5 / 60),
        "p90": pytest.approx(58.5 / 60),
        "strip": [True] * 6,
    }


def test_without_a_hold_each_is_told_at_once() -> None:
    found = result_of()
    assert (found["questions"], found["delay"], found["missed"]) == (6, 0.0, 0)


def test_what_still_waits_a_week_after_the_end_counts_as_slept_through() -> None:
    found = result_of(module_wakes_per_hour=0.0, burst=1)
    assert (found["questions"], found["missed"], found["delay"]) == (1, 5, 0.0)
