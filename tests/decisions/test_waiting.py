"""What waits in the log: wakes that nobody acted on, and what persons said."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import PAYLOADS


def record(id_: str, kind: str = "wake", cause: str | None = None, **more: object) -> Decision:
    told: dict[str, object] = {"time": 100.0, "acted": True, "question": "why?", **more}
    return Decision(
        id=id_,
        subject="m",
        reason="woke",
        score=0.9,
        threshold=0.5,
        propensity=1.0,
        window=(),
        payload=PAYLOADS[kind](),
        cause=cause,
        **told,  # type: ignore[arg-type]
    )


@pytest.fixture(params=["memory", "file"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DecisionLog]:
    path = ":memory:" if request.param == "memory" else tmp_path / "decisions.sqlite"
    with DecisionLog(path) as log:
        yield log


def test_a_wake_waits_until_an_act_has_followed_it(log: DecisionLog) -> None:
    log.append_many([record("w1"), record("w2"), record("w3")])
    log.append_many([record("r2", "route", "w2"), record("r3", "route", "w3")])
    log.append(record("a3", "act", "r3"))
    assert [each.wake.id for each in log.waiting_wakes(0, -math.inf)] == ["w1", "w2"]


def test_what_woke_nobody_or_asked_nothing_waits_for_nobody(log: DecisionLog) -> None:
    log.append_many([record("s", acted=False), record("q", question=None), record("r", "route")])
    assert log.waiting_wakes(0, -math.inf) == []


def test_one_goes_on_from_a_number_and_from_a_time(log: DecisionLog) -> None:
    log.append_many([record(f"w{n}", time=100.0 + n) for n in range(5)])
    assert [each.wake.id for each in log.waiting_wakes(0, 102.0)] == ["w2", "w3", "w4"]
    first, second = log.waiting_wakes(0, 102.0, limit=2)
    assert [each.wake.id for each in log.waiting_wakes(second.number, 102.0)] == ["w4"]
    assert [each.wake.id for each in log.waiting_wakes(first.number, 104.0)] == ["w4"]


def test_what_persons_said_comes_without_what_outcomes_said(log: DecisionLog) -> None:
    log.append_many([record("w1"), record("r1", "route", "w1")])
    log.add_label("w1", 1.0, 1.0, "outcome")
    log.add_label("r1", 0.0, 2.0)
    log.add_label("w1", 0.25, 3.0, "mcp")
    said = [(n, each.id, label) for n, each, label in log.said_after(0, ("outcome",))]
    assert said == [(2, "r1", 0.0), (3, "w1", 0.25)]
    assert [n for n, *_ in log.said_after(2, ("outcome",))] == [3]
