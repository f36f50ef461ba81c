"""The schema: what it is today, and how an older file gets there."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.schema import STEPS
from prefrontal.errors import SourceError
from prefrontal.storage.database import Database
from prefrontal.storage.migrations import Step, migrate
from prefrontal.storage.sqlite_database import SqliteDatabase

FINAL_SCHEMA = """\
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  time REAL NOT NULL,
  kind TEXT NOT NULL,
  subject ANY NOT NULL,
  acted INTEGER NOT NULL,
  reason TEXT NOT NULL,
  score REAL,
  threshold REAL,
  question ANY,
  propensity REAL NOT NULL,
  events ANY NOT NULL,
  why ANY NOT NULL
, cause TEXT, details ANY) STRICT
CREATE INDEX decisions_acted ON decisions (time) WHERE acted
CREATE INDEX decisions_by_cause ON decisions (cause) WHERE cause IS NOT NULL
CREATE INDEX decisions_by_reason ON decisions (reason, time)
CREATE INDEX decisions_by_time ON decisions (time)
CREATE INDEX decisions_of_kind ON decisions (kind, time) WHERE kind <> 'wake'
CREATE TABLE deliveries (
  decision INTEGER NOT NULL REFERENCES decisions (seq),
  sink TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at REAL NOT NULL,
  detail ANY NOT NULL,
  PRIMARY KEY (decision, sink)
) STRICT, WITHOUT ROWID
CREATE INDEX deliveries_open ON deliveries (state, sink, decision) WHERE state <> 'done'
CREATE TABLE folds (
  held INTEGER PRIMARY KEY REFERENCES decisions (seq),
  question INTEGER REFERENCES decisions (seq)
) STRICT, WITHOUT ROWID
CREATE INDEX folds_waiting ON folds (held) WHERE question IS NULL
CREATE TABLE labels (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  decision INTEGER NOT NULL REFERENCES decisions (seq),
  label REAL NOT NULL,
  at REAL NOT NULL,
  source TEXT NOT NULL
) STRICT
CREATE INDEX labels_by_decision ON labels (decision)
CREATE TABLE states (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  through INTEGER NOT NULL
) STRICT"""


def schema(database: Database) -> str:
    rows = database.execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        "ORDER BY tbl_name, type DESC, name"
    )
    return "\n".join(sql for (sql,) in rows)


def test_the_schema_is_what_this_page_says() -> None:
    database = SqliteDatabase(":memory:")
    migrate(database, STEPS)
    assert schema(database) == FINAL_SCHEMA
    assert database.schema_version() == len(STEPS) == 4


def create_first(database: Database) -> None:
    database.execute("CREATE TABLE first (a)")


def create_second(database: Database) -> None:
    database.execute("CREATE TABLE second (b)")


def test_a_file_gets_only_the_steps_it_has_not_seen(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    database = SqliteDatabase(path)
    migrate(database, [create_first])
    database.execute("INSERT INTO first VALUES (1)")
    database.close()
    database = SqliteDatabase(path)
    migrate(database, [create_first, create_second])
    assert database.schema_version() == 2
    assert database.execute("SELECT a FROM first") == [(1,)]
    assert schema(database) == "CREATE TABLE first (a)\nCREATE TABLE second (b)"


def test_a_step_that_fails_leaves_nothing_and_can_be_tried_again() -> None:
    def half(database: Database) -> None:
        create_second(database)
        raise RuntimeError("the power went")

    database = SqliteDatabase(":memory:")
    with pytest.raises(RuntimeError):
        migrate(database, [create_first, half])
    assert database.schema_version() == 1
    assert schema(database) == "CREATE TABLE first (a)"
    migrate(database, [create_first, create_second])
    assert database.schema_version() == 2


def test_each_step_is_run_once_however_many_open_the_file_at_once(tmp_path: Path) -> None:
    ran: list[int] = []
    steps: list[Step] = [lambda database: ran.append(1), lambda database: ran.append(2)]
    barrier = threading.Barrier(4)

    def open_it() -> None:
        barrier.wait()
        database = SqliteDatabase(tmp_path / "log.db")
        migrate(database, steps)
        database.close()

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran == [1, 2]


def test_a_file_of_a_newer_release_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    DecisionLog(path).close()
    newer = len(STEPS) + 1
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", newer)
    connection.close()
    before = path.read_bytes()
    sentence = (
        f"{path} was written by a newer release (schema {newer}, this one knows {len(STEPS)}): "
        "upgrade prefrontal or choose another store"
    )
    with pytest.raises(SourceError) as caught:
        DecisionLog(path)
    assert str(caught.value) == sentence
    assert path.read_bytes() == before
