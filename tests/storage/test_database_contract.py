"""What every `Database` promises, and what is kept in it: SQLite and PostgreSQL alike."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog, NewLabel
from prefrontal.decisions.pages import DecisionPages
from prefrontal.decisions.payloads import FoldedWindow, Moment, WakePayload
from prefrontal.errors import InputError, SourceError
from prefrontal.ledger.forgetting import Forgotten
from prefrontal.ledger.ledger import Ledger
from prefrontal.storage.database import Database, RowError, TextBytes
from prefrontal.storage.migrations import migrate
from prefrontal.storage.opening import open_database
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from prefrontal.testing import ManualClock

from ..decisions.decision_samples import slept, woke
from .postgres_server import PostgresServer, running_server

Place = Callable[[str], Path]
"""The path of a store that nobody has used yet, by its name."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.exhaustive)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return lambda name: tmp_path / f"{name}.sqlite"
    server: PostgresServer = request.getfixturevalue("server")

    def named(name: str) -> Path:
        path = tmp_path / f"{name}.sqlite"
        write_link(path, PostgresUrl.parse(server.url()))
        return path

    return named


@pytest.fixture
def database(place: Place) -> Iterator[Database]:
    with closing(open_database(place("some"))) as database:
        database.execute("CREATE TABLE t (a INTEGER NOT NULL UNIQUE, b ANY, c REAL, d BLOB) STRICT")
        yield database


def numbers(database: Database) -> list[int]:
    return [number for (number,) in database.execute("SELECT a FROM t ORDER BY a")]


def test_a_transaction_is_written_whole_or_not_at_all(database: Database) -> None:
    with database.transaction():
        assert database.execute_many("INSERT INTO t (a) VALUES (?)", [(1,), (2,)]) == 2

    def interrupted() -> None:
        with database.transaction():
            database.execute("INSERT INTO t (a) VALUES (3)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert numbers(database) == [1, 2]


def test_a_transaction_inside_another_is_part_of_it(database: Database) -> None:
    def interrupted() -> None:
        with database.transaction():
            with database.transaction():
                database.execute("INSERT INTO t (a) VALUES (1)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert numbers(database) == []


def test_a_row_that_breaks_a_rule_is_refused_and_the_next_one_taken(database: Database) -> None:
    database.execute("INSERT INTO t (a) VALUES (1)")
    for bad in (1, None):
        with pytest.raises(RowError, match="refuses the row"):
            database.execute("INSERT INTO t (a) VALUES (?)", (bad,))
    database.execute("INSERT INTO t (a) VALUES (2)")
    assert numbers(database) == [1, 2]


@pytest.mark.parametrize(
    "text", ["", "plain", "a\x00b", "\x1a", "\x1ab00", "\x1at\x00", "ünï 🙂", "'; DROP TABLE t; --"]
)
def test_every_text_comes_back_as_it_was(database: Database, text: str) -> None:
    database.execute("INSERT INTO t (a, b) VALUES (?, ?)", (1, text))
    assert database.execute("SELECT b FROM t WHERE b = ?", (text,)) == [(text,)]


def test_values_come_back_as_they_were(database: Database) -> None:
    rows: list[tuple[int, str | bytes | None, float | None, bytes | None]] = [
        (1, TextBytes(b"\xed\xb0\x80"), 0.1, b"\x00\xff"),
        (2, None, math.inf, b""),
        (2**62, "x", -math.inf, None),
        (4, "x", 5e-324, b"x"),
    ]
    database.execute_many("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    assert database.execute("SELECT * FROM t ORDER BY a") == sorted(rows, key=lambda row: row[0])
    database.execute("UPDATE t SET c = ? WHERE a = ?2", (math.nan, 4))
    assert database.execute("SELECT c FROM t WHERE a = 4") == [(None,)]


def test_what_is_read_inside_is_of_one_moment(place: Place) -> None:
    path = place("shared")
    with closing(open_database(path)) as writer, closing(open_database(path)) as reader:
        writer.execute("CREATE TABLE t (a INTEGER)")
        with reader.reading():
            assert numbers(reader) == []
            writer.execute("INSERT INTO t VALUES (1)")
            assert numbers(reader) == []
        assert numbers(reader) == [1]


def test_a_reader_sees_that_others_wrote(place: Place) -> None:
    path = place("shared")
    with closing(open_database(path)) as writer, closing(open_database(path)) as reader:
        writer.execute("CREATE TABLE t (a INTEGER)")
        before = reader.changes()
        assert reader.changes() == before
        writer.execute("INSERT INTO t VALUES (1)")
        assert reader.changes() != before


def test_writers_take_turns(place: Place) -> None:
    path = place("shared")
    with closing(open_database(path)) as first, closing(open_database(path)) as second:
        first.execute("CREATE TABLE t (a INTEGER)")
        started, written = threading.Event(), threading.Event()

        def write() -> None:
            started.set()
            with second.transaction():
                [(last,)] = second.execute("SELECT max(a) FROM t")
                second.execute("INSERT INTO t VALUES (?)", (last + 1,))
            written.set()

        thread = threading.Thread(target=write)
        with first.transaction():
            thread.start()
            started.wait(60)
            first.execute("INSERT INTO t VALUES (1)")
            assert not written.is_set()
        thread.join(60)
        assert numbers(first) == [1, 2]


def test_a_store_knows_its_kind_and_its_schema(place: Place) -> None:
    path = place("some")
    with closing(open_database(path)) as database:
        migrate(database, [lambda each: each.execute("CREATE TABLE t (a INTEGER)")])
        assert database.schema_version() == 1
    with pytest.raises(SourceError, match="is a database of another program"):
        open_database(path, application_id=7)
    with (
        closing(open_database(path)) as database,
        pytest.raises(SourceError, match="newer release"),
    ):
        migrate(database, [])


def test_a_closed_store_says_so(place: Place) -> None:
    database = open_database(place("some"))
    database.close()
    database.close()
    with pytest.raises(SourceError, match="is closed"):
        database.execute("SELECT 1")


def test_a_log_keeps_decisions_labels_and_states_of_one_moment(place: Place) -> None:
    path, record = place("log"), woke(subject="odd \udcff\x00 name", score=math.nan)
    asleep = slept(payload=WakePayload(waits=True, run="r1"))
    with DecisionLog(path, owed_to=("ntfy",)) as log:
        log.keep([record, asleep], [NewLabel(record.id, 1.0, 5.0, "user")], [("at", b"\x00", 3)])
        with pytest.raises(InputError, match="must be new"):
            log.keep([slept(), record], (), [("at", b"\x01", 4)])
    with DecisionLog(path) as log:
        [known] = [each for each in log.records() if each.id == record.id]
        assert replace(known, score=0.0) == replace(record, score=0.0, label=1.0, labelled_at=5.0)
        assert math.isnan(known.score)
        assert log.load_state("at") == (b"\x00", 3)
        assert [each.id for each in log.waiting_windows()] == [asleep.id]
        assert log.ends() == (2, 1)
        owed = log.deliveries()
        first = owed.first("ntfy", now=1e12, longest_s=60.0)
        assert first is not None and first.record.id == record.id
        owed.settle("ntfy", first.seq, "done", 0.0, "ok \x00")
        assert [each.detail for each in owed.of(record.id)] == ["ok \x00"]
        owed.close()


def test_the_label_of_a_question_follows_those_of_what_it_told_of(place: Place) -> None:
    windows = [slept(payload=WakePayload(waits=True)) for _ in range(2)]
    folded = tuple(FoldedWindow(each.id) for each in windows)
    question = woke(payload=WakePayload(late=True, folded=folded))
    with DecisionLog(path := place("log")) as log:
        log.append_many(windows)
        log.keep([question], [NewLabel(windows[0].id, 0.0, 5.0, "preset")])
        log.keep([], [NewLabel(windows[1].id, 1.0, 6.0, "preset")])
        log.label_unanswered(question.subject)
        labels = [(each.label, each.source) for each in log.labels_after(0)]
        assert labels == [(0.0, "preset"), (1.0, "preset"), (1.0, "told")]
        assert [each.label for each in log.records(own_labels=True)] == [0.0, 1.0, None]
    with closing(DecisionPages(path)) as pages:
        rows = list(pages.after(0))
        assert [(each.is_late, each.told_by) for each in rows] == [
            (False, 3),
            (False, 3),
            (True, None),
        ]


def test_pages_read_runs_and_figures(place: Place) -> None:
    path = place("log")
    records = [
        woke(float(n), subject=f"m{n % 2}", payload=WakePayload(run="r1", moment=Moment(n)))
        for n in range(1, 12)
    ]
    with DecisionLog(path) as log:
        log.append_many(records)
        log.add_label(records[0].id, 1.0, 1.0)
        [run] = log.wake_runs().runs()
        assert [each.id for each in log.wake_runs().wakes(run)] == [each.id for each in records]
        assert [each.decision.id for each in log.labels_after(0)] == [records[0].id]
        news = log.news()
        log.append(last := woke(99.0))
        assert [each.id for each in news.look().wakes] == [last.id]
    with closing(DecisionPages(path)) as pages:
        assert [row.event for row in pages.after(0)] == [*range(1, 12), 0]
        assert [name for name, _, time in sorted(pages.latest(99.0)) if time > 9.0] == [
            "m0",
            "m1",
            "papers",
        ]
        assert pages.gate.events() == {"r1": (0, 11)}
        assert sum(each.relevant for each in pages.gate.wakes()) == 1


def test_old_refusals_are_forgotten(place: Place) -> None:
    clock = ManualClock()
    with DecisionLog(place("log"), clock=clock) as log:
        log.append_many([slept(clock.now()), woke(clock.now())])
        clock.advance(3 * 86_400.0)
        assert log.prune(keep_days=1.0) == 1
        assert [each.acted for each in log.records()] == [True]


def test_a_ledger_counts_messages_and_judgments(place: Place) -> None:
    path = place("ledger")
    with Ledger(path, clock=ManualClock()) as ledger:
        for direction in ("in", "out", "in"):
            ledger.record_interaction("ada", direction, event_id=f"e{direction}", preview="hi")
        ledger.record_assessment("ada", 4, "kind")
        assert ledger.judge_interaction("ein", 1.0)
        assert not ledger.judge_interaction("unknown", 1.0)
    with Ledger(path, read_only=True) as ledger:
        totals = ledger.totals()
        assert (totals["in"], totals["out"], totals["assessments"]) == (1, 1, 1)
        assert [each.trust for each in ledger.standings()] == [4]
        assert [each.preview for each in ledger.interactions("ada")] == ["hi", "hi"]
    with Ledger(path) as ledger:
        assert ledger.forget("ada").rows == 4
        assert ledger.list_peers() == []


def test_a_ledger_forgets_a_peer_in_the_reasons_of_others(place: Place) -> None:
    path = place("ledger")
    with Ledger(path, clock=ManualClock()) as ledger:
        for peer_id in ("ada", "bob"):
            ledger.record_interaction(peer_id, "in", preview="hi")
        ledger.record_assessment("bob", 1, "late twice", ())
        ledger.record_assessment("bob", 2, "so they say", ["peer:ada", "peer:bob"])
    with Ledger(path) as ledger:
        assert ledger.latest_origins("bob") == ("peer:ada", "peer:bob")
        assert ledger.forget("ada") == Forgotten(rows=2, reasons=1)
        judgments = [(each.trust, each.rationale) for each in ledger.assessments()]
        assert judgments == [(1, "late twice"), (2, "[forgotten]")]
        assert ledger.latest_origins("bob") == ()
