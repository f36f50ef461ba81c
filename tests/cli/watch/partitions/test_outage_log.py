"""A server that is away is told of once a minute, however many partitions wait for it."""

from __future__ import annotations

import logging

from prefrontal.cli.watch.partitions.outage_log import OutageFilter
from prefrontal.errors import SourceError
from prefrontal.storage.database import FencedError


def record(error: object) -> logging.LogRecord:
    words = "labels could not be read: %s"
    return logging.LogRecord("prefrontal", logging.ERROR, "", 0, words, (error,), None)


def test_the_same_failure_of_many_stores_is_told_once_a_minute() -> None:
    now = [100.0]
    outage = OutageFilter(60.0, lambda: now[0])
    away = [SourceError(f"/p/{n}.sqlite cannot reach PostgreSQL at h: refused") for n in range(5)]
    assert [outage.filter(record(each)) for each in away] == [True] + 4 * [False]
    now[0] = 159.0
    assert not outage.filter(record(away[0]))
    now[0] = 160.0
    late = record(away[3])
    assert outage.filter(late)
    assert late.getMessage().endswith("refused (and 5 more like it since the last one)")


def test_another_failure_and_all_that_is_none_are_told() -> None:
    outage = OutageFilter(60.0, lambda: 0.0)
    errors = [SourceError("/a cannot reach it"), FencedError("/a has another owner"), 7, "text"]
    assert all(outage.filter(record(each)) for each in errors)
    assert all(outage.filter(record("text")) for _ in range(3))
