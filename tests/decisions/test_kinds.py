"""Decisions of every kind in one log: what led to what, and what counts as a wake."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.decisions.decision import KINDS, Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import (
    ACT,
    ASSESSMENT,
    BELIEF,
    DIRECTIVE,
    PAYLOADS,
    ROUTE,
    WAKE,
    RoutePayload,
    WakePayload,
)
from prefrontal.decisions.schema import STEPS
from prefrontal.errors import InputError
from prefrontal.storage.migrations import migrate
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.testing import ManualClock

from .decision_samples import slept, woke

ARGUMENTS = {"scores": [0.1, 1e-300, math.pi], "plan": None, "\u00fc": {"a": "b"}}


@pytest.fixture
def log() -> Iterator[DecisionLog]:
    with DecisionLog(clock=ManualClock(1e9)) as log:
        yield log


def later(cause: str, kind: str, name: str, *, acted: bool = True) -> Decision:
    found = woke(id=name, acted=acted, score=math.nan, threshold=math.nan, cause=cause)
    return replace(found, payload=PAYLOADS[kind](), question="what came of it")


def test_cause_and_payload_come_back_as_they_were(tmp_path: Path) -> None:
    payload = RoutePayload("select", arguments=ARGUMENTS)
    record = replace(later("0123", ROUTE, "4567"), payload=payload)
    with DecisionLog(tmp_path / "log.db") as log:
        log.append(record)
    with DecisionLog(tmp_path / "log.db") as log:
        found = log.get("4567")
    assert found is not None
    assert (found.cause, found.payload) == ("0123", payload)
    assert math.isnan(found.score)


def test_a_kind_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with DecisionLog(path) as log:
        log.append(woke(id="a000"))
        database = SqliteDatabase(path)
        database.execute("UPDATE decisions SET kind = 'nap'")
        database.close()
        with pytest.raises(InputError, match="kind must be one of wake, route, act.*got 'nap'"):
            log.get("a000")


def test_what_a_decision_led_to_is_found_however_far(log: DecisionLog) -> None:
    chain = [woke(id="a000"), later("a000", ROUTE, "a001"), later("a001", ACT, "a002")]
    chain += [later("a002", ASSESSMENT, "a003"), later("a002", BELIEF, "a004")]
    others = [woke(id="b000"), later("b000", ROUTE, "b001")]
    log.append_many([*chain, *others])
    assert [each.id for each in log.followed("a000")] == ["a001", "a002", "a003", "a004"]
    assert [each.id for each in log.followed("a002")] == ["a003", "a004"]
    assert log.followed("a004") == log.followed("none") == []


def test_decisions_that_lead_to_each_other_end_the_search(log: DecisionLog) -> None:
    log.append_many([later("a001", ROUTE, "a000"), later("a000", ACT, "a001")])
    assert {each.id for each in log.followed("a000")} == {"a000", "a001"}


def test_lists_hold_wakes_unless_another_kind_is_asked_for(log: DecisionLog) -> None:
    log.append_many(replace(later("x", kind, f"id-{kind}"), time=1e9) for kind in KINDS)
    assert [each.kind for each in log.recent()] == [WAKE]
    assert [each.kind for each in log.recent(kind=BELIEF)] == [BELIEF]
    assert [each.kind for each in log.recent(kind=None)] == list(reversed(KINDS))
    assert log.recent(kind=DIRECTIVE, acted=False) == []


def test_only_wakes_enter_counts_and_the_recall_estimate(log: DecisionLog) -> None:
    log.append_many([woke(id="a000"), slept(id="a001"), later("a000", ROUTE, "a002")])
    log.append(later("a000", ACT, "a003"))
    assert sum(log.counts().values()) == 2
    assert len(log.audits()) == 1


def test_nothing_but_slept_windows_is_pruned(log: DecisionLog) -> None:
    log.append_many([slept(id="a001", time=0.0)])
    log.append(replace(later("x", BELIEF, "a002", acted=False), time=0.0))
    assert log.prune(keep_days=1) == 1
    assert log.get("a002") is not None


def test_the_few_of_another_kind_are_found_without_a_look_at_every_wake() -> None:
    database = SqliteDatabase(":memory:")
    migrate(database, STEPS)
    sql = "SELECT id FROM decisions WHERE kind = ? AND kind <> 'wake' ORDER BY time DESC LIMIT 5"
    [(*_, plan)] = database.execute(f"EXPLAIN QUERY PLAN {sql}", ("route",))
    assert "decisions_of_kind" in plan


def test_a_log_of_before_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    database = SqliteDatabase(path)
    migrate(database, STEPS[:2])
    values = "1, 'old1', 5.0, 'wake', 'm', 1, 'woke', 0.5, 0.4, 'Q?', 1.0, '[]', '[]'"
    database.execute(f"INSERT INTO decisions VALUES ({values})")
    database.close()
    with DecisionLog(path) as log:
        found = log.get("old1")
        log.append(later("old1", ROUTE, "new1"))
        assert [each.id for each in log.followed("old1")] == ["new1"]
    assert found is not None
    assert (found.cause, found.payload, found.question) == (None, WakePayload(), "Q?")
