"""Bursts of alike windows are one question; other histories say which are worth it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.pulse.incidents.bursts import Bursts
from prefrontal.replay.backtest import Question, backtest
from prefrontal.settings.budget import Budget
from prefrontal.types import SignalEvent, Window

START = 1_704_137_400.0
DAY = 86400.0


def alert(key: str, at: float, text: str, incident: str = "") -> Window:
    event = SignalEvent("alerts", "www", "raised", 1.0, START + at, {"text": text})
    return Window(key, START + at, (event,), "", text, bool(incident), incident=incident)


def site(name: str, attack: str, days: int = 3) -> Iterator[Window]:
    """Noise around the clock, and a burst of 500 on the last day that is an incident."""
    rows = [(60.0 * n * 17, f"noise {n % 5}", "") for n in range(int(days * 1440 / 17))]
    rows += [((days - 0.5) * DAY + n / 10, attack, "theft") for n in range(500)]
    for number, (at, text, incident) in enumerate(sorted(rows)):
        yield alert(f"{name}:{number}", at, text, incident)


def test_a_burst_is_looked_at_when_it_opens_and_each_time_it_has_doubled() -> None:
    bursts = Bursts()
    looks = [bursts.take(n / 10, alert("a:1", n / 10, f"scan {n}").events) for n in range(100)]
    assert [n + 1 for n, each in enumerate(looks) if each.look] == [1, 8, 16, 32, 64]
    again = bursts.take(5_000.0, alert("a:1", 0.0, "scan 9").events)
    assert again.look
    assert dict(again.features)["quiet_name"] == "6h"
    assert dict(looks[0].features)["quiet_name"] == "first"
    late = bursts.take(5_001.0, alert("a:1", 0.0, "dump").events)
    assert dict(late.features)["quiet_name"] == "never"


def test_an_incident_known_from_other_histories_is_told_at_once_in_few_questions() -> None:
    def warm() -> Iterator[Window]:
        yield from site("a", "drop table")
        yield from site("b", "drop table")

    question = Question("h", "recorded", 0, labels="asked", budget=Budget(5, "day"), warm=warm)
    result = backtest(site("own", "drop table"), PulseGate(), question)
    assert result.incidents is not None
    assert (result.incidents.told, result.incidents.total) == (1, 1)
    assert result.incidents.delay_s is not None
    assert result.incidents.delay_s.median == 0.0
    assert result.budget is not None
    assert result.budget.most <= 5
    woken = round(result.share_woken * result.windows)
    assert woken < 15  # of 754 windows, 500 of them in one burst
    narrow = backtest(
        site("own", "drop table"), PulseGate(), replace(question, budget=Budget(1, "day"))
    )
    assert narrow.budget is not None
    assert narrow.budget.most == 1
