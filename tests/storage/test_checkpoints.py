"""The write-ahead log is moved into the database by a thread that no writer waits for."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from prefrontal.storage import checkpoints
from prefrontal.storage.sqlite_database import SqliteDatabase

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(checkpoints, "PAGES", 40)
    monkeypatch.setattr(checkpoints, "MORE_PAGES", 10)
    return tmp_path / "some.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[SqliteDatabase]:
    made = SqliteDatabase(path)
    made.execute("CREATE TABLE rows (content BLOB)")
    yield made
    made.close()


def fill(database: SqliteDatabase, rows: int) -> None:
    for _ in range(rows):
        with database.transaction():
            database.execute("INSERT INTO rows VALUES (zeroblob(?))", (PAGE,))


def wait(database: SqliteDatabase) -> None:
    assert database._checkpoints is not None
    database._checkpoints.close()


def test_what_was_written_reaches_the_file_and_the_log_begins_anew(
    database: SqliteDatabase, path: Path
) -> None:
    wal = path.with_name(path.name + "-wal")
    for _ in range(60):
        fill(database, 5)
        wait(database)
    assert wal.stat().st_size < 120 * PAGE
    assert path.stat().st_size > 250 * PAGE
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM rows").fetchone() == (300,)


def test_the_thread_is_not_that_of_the_writer_and_ends(database: SqliteDatabase) -> None:
    fill(database, 60)
    wait(database)
    assert not [each for each in threading.enumerate() if each.name == "prefrontal-log-mover"]
    assert database._checkpoints is not None
    assert database._checkpoints._thread is not None


def test_a_reader_that_stays_keeps_nobody_from_writing(
    database: SqliteDatabase, path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM rows").fetchone() == (0,)
        fill(database, 100)
        wait(database)
        assert reader.execute("SELECT count(*) FROM rows").fetchone() == (0,)
    fill(database, 100)
    assert database.execute("SELECT count(*) FROM rows") == [(200,)]


def test_what_grew_too_long_begins_anew_though_somebody_writes_all_the_time(
    database: SqliteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "MOST_PAGES", 60)
    fill(database, 500)
    wal = path.with_name(path.name + "-wal")
    assert wal.stat().st_size < 70 * PAGE
    assert database.execute("SELECT count(*) FROM rows") == [(500,)]


def test_a_file_that_is_gone_stops_nothing(database: SqliteDatabase, path: Path) -> None:
    assert database._checkpoints is not None
    database._checkpoints._path = str(path.with_name("gone.sqlite"))
    fill(database, 60)
    wait(database)
    assert database.execute("SELECT count(*) FROM rows") == [(60,)]
