"""What the sinks are owed: written with the decision, settled one by one, read by sink."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from prefrontal.decisions.deliveries import _FIRST, DONE, GIVEN_UP, PENDING, Deliveries
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import RoutePayload
from prefrontal.decisions.schema import create_decisions
from prefrontal.errors import SourceError
from prefrontal.storage.migrations import migrate
from prefrontal.storage.sqlite_database import SqliteDatabase

from .decision_samples import slept, woke

NOW = 1_700_000_000.5
HOUR_S = 3600.0


@pytest.fixture
def log(tmp_path: Path) -> Iterator[DecisionLog]:
    with DecisionLog(tmp_path / "log.db", owed_to=["post", "claw"]) as log:
        yield log


@pytest.fixture
def deliveries(log: DecisionLog) -> Iterator[Deliveries]:
    found = log.deliveries()
    yield found
    found.close()


def ids(deliveries: Deliveries, sink: str, now: float = NOW) -> list[str]:
    """All that the sink may be told now, in order."""
    found, after = [], 0
    while (owed := deliveries.first(sink, now, HOUR_S, after)) is not None:
        found.append(owed.record.id)
        after = owed.seq
    return found


def test_each_wake_is_owed_to_each_sink_in_the_order_of_the_log(
    log: DecisionLog, deliveries: Deliveries
) -> None:
    records = [woke(), woke(), woke()]
    log.append_many(records[:2])
    log.append(records[2])
    for sink in ("post", "claw"):
        assert ids(deliveries, sink) == [record.id for record in records]
    assert ids(deliveries, "other") == []
    owed = deliveries.first("post", NOW, HOUR_S)
    assert owed is not None
    assert (owed.attempts, owed.record) == (0, records[0])


def test_what_woke_nobody_asks_nothing_or_is_no_wake_is_owed_to_nobody(
    log: DecisionLog, deliveries: Deliveries
) -> None:
    log.append_many(
        [
            slept(question="Why?"),
            woke(question=None),
            woke(question=" "),
            woke(payload=RoutePayload()),
        ]
    )
    log.append_soon(slept())
    log.flush()
    assert ids(deliveries, "post") == []


def test_a_decision_and_what_is_owed_of_it_are_written_together_or_not_at_all(
    log: DecisionLog, deliveries: Deliveries
) -> None:
    told: list[int] = []
    log.on_owed = lambda: told.append(1)
    log._database.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON deliveries WHEN NEW.sink = 'claw' "
        "BEGIN SELECT raise(FAIL, 'no room'); END"
    )
    with pytest.raises(Exception, match="id must be new|no room"):
        log.append(record := woke())
    assert log.get(record.id) is None
    assert not deliveries.knows(record.id)
    assert told == []
    log._database.execute("DROP TRIGGER refuse")
    log.append(record)
    assert deliveries.knows(record.id)
    assert told == [1]


def test_what_is_settled_is_owed_no_more_and_stays_known(
    log: DecisionLog, deliveries: Deliveries
) -> None:
    log.append_many([first := woke(), second := woke()])
    owed = deliveries.first("post", NOW, HOUR_S)
    assert owed is not None
    deliveries.settle("post", owed.seq, DONE, NOW, "HTTP 204")
    assert ids(deliveries, "post") == [second.id]
    assert ids(deliveries, "claw") == [first.id, second.id]
    claw, post = deliveries.of(first.id)
    assert (claw.sink, claw.state, claw.attempts, claw.detail) == ("claw", PENDING, 0, "")
    assert (post.sink, post.state, post.attempts, post.detail) == ("post", DONE, 1, "HTTP 204")


def test_a_try_that_lies_ahead_is_not_due_and_one_too_far_ahead_is(
    log: DecisionLog, deliveries: Deliveries
) -> None:
    log.append(record := woke(NOW))
    owed = deliveries.first("post", NOW, HOUR_S)
    assert owed is not None
    deliveries.settle("post", owed.seq, PENDING, NOW + 60, "HTTP 400")
    assert ids(deliveries, "post", NOW + 59) == []
    assert deliveries.next_at("post") == NOW + 60
    assert ids(deliveries, "post", NOW + 60) == [record.id]
    assert ids(deliveries, "post", NOW - 2 * HOUR_S) == [record.id]
    assert deliveries.renew("post", NOW) == 1
    assert ids(deliveries, "post", NOW) == [record.id]


def test_only_what_is_pending_and_old_expires(log: DecisionLog, deliveries: Deliveries) -> None:
    log.append_many([done := woke(NOW), old := woke(NOW), young := woke(NOW + 10)])
    owed = deliveries.first("post", NOW, HOUR_S)
    assert owed is not None
    deliveries.settle("post", owed.seq, DONE, NOW, "")
    assert deliveries.expire("post", NOW + 5, "no answer") == 1
    states = [deliveries.of(each.id)[1].state for each in (done, old, young)]
    assert states == [DONE, GIVEN_UP, PENDING]
    assert [deliveries.of(each.id)[0].state for each in (done, old, young)] == [PENDING] * 3


def test_standing_counts_what_is_open_by_sink(log: DecisionLog, deliveries: Deliveries) -> None:
    assert deliveries.standing(since=0.0) == []
    log.append_many([woke(NOW), woke(NOW + 10)])
    deliveries.expire("post", NOW + 5, "no answer\udcff")
    standing = [(each.sink, each.state, each.count) for each in deliveries.standing(since=NOW)]
    assert standing == [("claw", PENDING, 2), ("post", PENDING, 1), ("post", GIVEN_UP, 1)]
    assert deliveries.standing(since=NOW)[2].detail == "no answer\udcff"
    assert len(deliveries.standing(since=NOW + 1)) == 2


def test_the_log_may_be_in_memory() -> None:
    with DecisionLog(owed_to=["post"]) as log:
        deliveries = log.deliveries()
        log.append(record := woke())
        assert ids(deliveries, "post") == [record.id]
        deliveries.close()
        assert log.get(record.id) is not None


def test_a_closed_one_says_so(deliveries: Deliveries) -> None:
    deliveries.close()
    deliveries.close()
    with pytest.raises(SourceError, match="is closed"):
        deliveries.next_at("post")


def test_a_log_of_the_first_release_owes_nothing_of_what_it_holds(tmp_path: Path) -> None:
    old = SqliteDatabase(tmp_path / "log.db")
    migrate(old, [create_decisions])
    old.close()
    with DecisionLog(tmp_path / "log.db", owed_to=["post"]) as log:
        deliveries = log.deliveries()
        log.append(record := woke())
        assert ids(deliveries, "post") == [record.id]
        deliveries.close()


def test_what_is_done_costs_the_search_for_what_is_not_nothing(log: DecisionLog) -> None:
    plan = log._database.execute(f"EXPLAIN QUERY PLAN {_FIRST}", ("post", 0, NOW, HOUR_S))
    assert "INDEX deliveries_open (state=? AND sink=? AND decision>?)" in str(plan)
    assert "TEMP B-TREE" not in str(plan)


def test_labels_prune_and_delivery_do_not_disturb_each_other(
    log: DecisionLog, deliveries: Deliveries
) -> None:
    log.append(record := woke(NOW))
    assert log.add_label(record.id, 1.0, NOW)
    assert log.prune(0.0) == 0
    assert ids(deliveries, "post") == [record.id]


def test_settling_does_not_wait_for_the_disk(log: DecisionLog, deliveries: Deliveries) -> None:
    assert deliveries._database.execute("PRAGMA synchronous") == [(1,)]
    assert log._database.execute("PRAGMA synchronous") == [(2,)]
    connection = apsw.Connection(log.path)
    assert connection.pragma("journal_mode") == "wal"
    connection.close()
