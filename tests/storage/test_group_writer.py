"""Group commit: one transaction for all that waits, an acknowledgement for each."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import SourceError
from prefrontal.ledger import Ledger
from prefrontal.storage.database import RowError
from prefrontal.storage.group_writer import GroupWriter
from prefrontal.storage.sqlite_database import SqliteDatabase


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    database = SqliteDatabase(tmp_path / "some.sqlite")
    database.execute("CREATE TABLE t (a UNIQUE)")
    return database


def rows(database: SqliteDatabase) -> list[Any]:
    return [a for (a,) in database.execute("SELECT a FROM t ORDER BY rowid")]


def insert(database: SqliteDatabase, value: object) -> Callable[[], object]:
    def job() -> object:
        database.execute("INSERT INTO t VALUES (?)", (value,))  # type: ignore[arg-type]
        return value

    return job


class Gate:
    """A job that keeps the writer busy until it is opened."""

    def __init__(self, writer: GroupWriter) -> None:
        self._opened, self._entered = threading.Event(), threading.Event()
        self.done = writer.submit(self._wait)
        assert self._entered.wait(60)

    def _wait(self) -> None:
        self._entered.set()
        assert self._opened.wait(60)

    def open(self) -> None:
        self._opened.set()


def commits(database: SqliteDatabase) -> list[str]:
    """Statements that end a transaction, as they happen."""
    seen: list[str] = []

    def commit() -> bool:
        seen.append("commit")
        return False  # go on

    database._connection.set_commit_hook(commit)
    return seen


def test_what_waits_while_the_disk_is_busy_is_one_transaction(database: SqliteDatabase) -> None:
    writer = GroupWriter(database)
    gate = Gate(writer)
    waiting = [writer.submit(insert(database, number)) for number in range(500)]
    seen = commits(database)
    assert not any(future.done() for future in waiting)
    gate.open()
    assert [future.result(60) for future in waiting] == list(range(500))
    writer.end().result(60)
    assert len(seen) == 2  # that of the gate, and one for all
    assert rows(database) == list(range(500))


def test_a_job_is_acknowledged_only_when_another_connection_sees_its_row(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    writer = GroupWriter(database)
    reader = SqliteDatabase(tmp_path / "some.sqlite", read_only=True)
    for number in range(50):
        writer.submit(insert(database, number)).result(60)
        assert rows(reader)[-1] == number
    writer.end().result(60)


def test_a_job_that_refuses_takes_no_other_with_it(database: SqliteDatabase) -> None:
    def refuse() -> None:
        raise ValueError("trust must be smaller")

    writer = GroupWriter(database)
    gate = Gate(writer)
    waiting = [writer.submit(job) for job in (insert(database, 1), refuse, insert(database, 2))]
    gate.open()
    assert isinstance(waiting[1].exception(60), ValueError)
    assert (waiting[0].result(60), waiting[2].result(60)) == (1, 2)
    writer.end().result(60)
    assert rows(database) == [1, 2]


def test_a_row_that_the_database_refuses_takes_no_other_with_it(database: SqliteDatabase) -> None:
    writer = GroupWriter(database)
    gate = Gate(writer)
    waiting = [writer.submit(insert(database, number)) for number in (1, 2, 1, 3, 4)]
    gate.open()
    assert isinstance(waiting[2].exception(60), RowError)
    assert [future.result(60) for future in waiting if future is not waiting[2]] == [1, 2, 3, 4]
    writer.end().result(60)
    assert rows(database) == [1, 2, 3, 4]


def test_a_defect_of_one_job_ends_neither_the_thread_nor_the_others(
    database: SqliteDatabase,
) -> None:
    def broken() -> None:
        database.execute("INSERT INTO t VALUES (77)")
        raise RuntimeError("a defect")

    writer = GroupWriter(database)
    gate = Gate(writer)
    first, second, third = (
        writer.submit(insert(database, 1)),
        writer.submit(broken),
        writer.submit(insert(database, 2)),
    )
    gate.open()
    assert isinstance(second.exception(60), RuntimeError)
    assert (first.result(60), third.result(60)) == (1, 2)
    writer.end().result(60)
    assert rows(database) == [1, 2]


def test_a_failing_disk_is_told_to_all_that_wait_and_the_next_may_succeed(
    database: SqliteDatabase,
) -> None:
    database.execute("PRAGMA max_page_count = 4")
    writer = GroupWriter(database)
    gate = Gate(writer)
    waiting = [writer.submit(insert(database, number)) for number in range(3)]
    waiting.append(writer.submit(insert(database, "x" * 100_000)))
    gate.open()
    errors = [future.exception(60) for future in waiting]
    assert {str(error) for error in errors} == {
        f"{database.path} cannot be written: the disk is full"
    }
    database.execute("PRAGMA max_page_count = 1000")
    assert writer.submit(insert(database, 9)).result(60) == 9
    writer.end().result(60)
    assert rows(database) == [9]


def test_ending_writes_what_waits_and_takes_no_more(database: SqliteDatabase) -> None:
    writer = GroupWriter(database)
    gate = Gate(writer)
    waiting = [writer.submit(insert(database, number)) for number in range(10)]
    ended = writer.end()
    assert not ended.done()
    with pytest.raises(SourceError, match="is closed"):
        writer.submit(insert(database, 11))
    gate.open()
    ended.result(60)
    assert all(future.done() for future in waiting)
    assert rows(database) == list(range(10))
    assert writer.end().done()


def test_a_writer_that_never_wrote_ends_at_once(database: SqliteDatabase) -> None:
    assert GroupWriter(database).end().done()


async def test_who_stops_waiting_in_time_takes_the_job_back(database: SqliteDatabase) -> None:
    writer = GroupWriter(database)
    gate = Gate(writer)
    kept = writer.submit(insert(database, 1))
    dropped = asyncio.wrap_future(writer.submit(insert(database, 2)))
    dropped.cancel()
    await asyncio.sleep(0)
    gate.open()
    await asyncio.wrap_future(kept)
    await asyncio.wrap_future(writer.end())
    assert rows(database) == [1]


async def test_the_event_loop_goes_on_while_the_disk_is_busy(database: SqliteDatabase) -> None:
    writer = GroupWriter(database)
    gate = Gate(writer)
    waiting = asyncio.wrap_future(writer.submit(insert(database, 1)))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    gate.open()
    assert await waiting == 1
    await asyncio.wrap_future(writer.end())


async def test_reading_does_not_wait_for_a_commit(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.record_interaction("alice", "in")
        writer = ledger._file._writer
        assert writer is not None
        gate = Gate(writer)  # its transaction is open until the gate is
        waiting = ledger.submit_interaction("alice", "in")
        assert ledger.list_peers()[0].in_count == 1
        assert ledger.get_peer_assessment_summary("alice", 5)["interaction_count"] == 1
        assert not waiting.done()
        gate.open()
        assert (await asyncio.wrap_future(waiting)) is not None
        assert ledger.list_peers()[0].in_count == 2
