"""A ledger that cannot be used: one sentence that names the file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.ledger import Ledger
from prefrontal.storage.sqlite_database import SqliteDatabase

from ..exhaustive import first
from .ledgers import filled, on_disk

HOLDER = """
import os, sys
from prefrontal.ledger import Ledger

with Ledger(sys.argv[1]) as ledger:
    ledger.record_interaction("alice", "in", event_id="1")
    os.write(1, b"open\\n")
    sys.stdin.read()
"""


def holding(path: Path) -> subprocess.Popen[bytes]:
    """A process that has the ledger open to write."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"open\n"
    return child


def test_a_second_writer_is_refused_with_the_process_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    child = holding(path)
    with pytest.raises(SourceError) as caught:
        Ledger(path)
    assert str(caught.value) == (
        f"{path} is in use by another prefrontal agent (process {child.pid});"
        " --workspace takes another folder"
    )
    child.communicate()
    with Ledger(path) as ledger:  # free as soon as it is closed there
        assert ledger.list_peers()[0].in_count == 1


def test_who_reads_is_not_refused_and_sees_what_is_written_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    child = holding(path)
    with Ledger(path, read_only=True) as ledger:
        assert [peer.peer_id for peer in ledger.list_peers()] == ["alice"]
    child.communicate()
    with on_disk(tmp_path) as writer, Ledger(path, read_only=True) as reader:
        filled(writer, "bob", 3)
        assert {peer.peer_id for peer in reader.list_peers()} == {"alice", "bob"}


def test_a_ledger_is_refused_to_a_second_writer_of_the_same_process_too(tmp_path: Path) -> None:
    with on_disk(tmp_path), pytest.raises(SourceError, match=f"process {os.getpid()}"):
        on_disk(tmp_path)
    on_disk(tmp_path).close()


def test_a_failed_opening_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_text("no database, " * 500)
    for _ in range(2):
        with pytest.raises(SourceError, match="is not a database"):
            Ledger(path)
    path.unlink()
    Ledger(path).close()


def test_only_the_owner_may_read_the_ledger(tmp_path: Path) -> None:
    with on_disk(tmp_path) as ledger:
        filled(ledger, interactions=1)
        modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert {"ledger.sqlite", "ledger.lock"} <= set(modes)


def newer(path: Path) -> None:
    on_disk(path.parent).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()


def scribbled(path: Path) -> None:
    with on_disk(path.parent) as ledger:
        filled(ledger, interactions=500)
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\x5a" * (len(content) - 100))


def cut(path: Path) -> None:
    with on_disk(path.parent) as ledger:
        filled(ledger, interactions=500)
    os.truncate(path, path.stat().st_size // 2)


def decisions(path: Path) -> None:
    DecisionLog(path).close()


def no_folder(path: Path) -> None:
    path.parent.rmdir()


FAULTS: list[tuple[Callable[[Path], object], str]] = [
    (newer, "was written by a newer release (schema 99, this one knows 3): upgrade prefrontal or"),
    (scribbled, "is damaged"),
    (cut, "is damaged"),
    (decisions, "is a database of another program"),
    (Path.mkdir, "cannot be opened: it is a folder"),
    (os.mkfifo, "cannot be opened: it is not a regular file"),
]


@pytest.mark.parametrize("read_only", first(1, [False, True]))
@pytest.mark.parametrize(("fault", "sentence"), FAULTS)
def test_a_file_that_cannot_be_used_is_named_with_the_reason_and_left_alone(
    tmp_path: Path, fault: Callable[[Path], object], sentence: str, read_only: bool
) -> None:
    path = tmp_path / "folder" / "ledger.sqlite"
    path.parent.mkdir()
    fault(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(SourceError) as caught, Ledger(path, read_only=read_only) as ledger:
        list(ledger.interactions())
    assert str(caught.value).startswith(f"{path} {sentence}")
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("name", ["missing/ledger.sqlite", "x" * 300, "a\0b"])
def test_a_place_where_no_file_can_be_is_named(tmp_path: Path, name: str) -> None:
    for read_only in (False, True):
        with pytest.raises(SourceError, match="cannot be opened"):
            Ledger(tmp_path / name, read_only=read_only)


def test_a_missing_file_is_not_made_by_reading_it(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        Ledger(tmp_path / "ledger.sqlite", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_made_but_never_written_reads_as_empty(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").touch()
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as ledger:
        assert ledger.list_peers() == []
        with pytest.raises(SourceError, match="was opened only to read"):
            ledger.record_interaction("alice", "in")


FULL_DISK = """
import resource, signal, sys
from prefrontal.errors import SourceError
from prefrontal.ledger import Ledger

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger, kept = Ledger(sys.argv[1]), []
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
for number in range(10_000):
    try:
        ledger.record_interaction("alice", "in", event_id=str(number), preview="x" * 200)
    except SourceError as error:
        print(error)
        break
    kept.append(str(number))
assert kept and [each.event_id for each in ledger.interactions()] == kept
assert ledger.list_peers()[0].in_count == len(kept)
try:
    ledger.record_assessment("alice", 3, "y" * 2000)
except SourceError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
ledger.record_interaction("alice", "in", event_id=str(number), preview="x" * 200)
assert [each.event_id for each in ledger.interactions()] == [*kept, str(number)]
ledger.close()
"""


def test_a_full_disk_is_named_loses_nothing_and_is_got_over(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    for line in done.stdout.splitlines():
        assert line.startswith(f"{path} cannot be ")
        assert "full" in line


def test_the_final_schema_is_known(tmp_path: Path) -> None:
    on_disk(tmp_path).close()
    database = SqliteDatabase(tmp_path / "ledger.sqlite", read_only=True, application_id=0x50464C47)
    names = database.execute("SELECT type, name FROM sqlite_schema WHERE sql NOTNULL ORDER BY name")
    assert names == [
        ("table", "assessments"),
        ("index", "assessments_by_peer"),
        ("table", "interactions"),
        ("index", "interactions_by_peer"),
        ("table", "peers"),
        ("index", "peers_by_last_seen"),
    ]
    columns = database.execute("SELECT name FROM pragma_table_info('assessments')")
    assert [name for (name,) in columns] == [
        *("id", "peer_id", "info_score", "trust", "rationale", "created_at", "origins"),
    ]
    columns = database.execute("SELECT name FROM pragma_table_info('interactions')")
    assert [name for (name,) in columns] == [
        *("id", "peer_id", "direction", "channel_type", "channel_id", "event_id", "preview"),
        *("size", "created_at", "correlation_id", "outcome", "judged_after"),
    ]
    assert database.execute("PRAGMA user_version") == [(3,)]
    database.close()


@pytest.mark.parametrize(
    "row",
    [
        "('nobody', 1, 1, 'so', 0.0)",
        "('alice', 11, 1, 'so', 0.0)",
        "('alice', 1, 11, 'so', 0.0)",
        "('alice', 1, 1, '', 0.0)",
        "('alice', 1, NULL, 'so', 0.0)",
    ],
)
def test_the_database_itself_refuses_what_no_assessment_may_be(tmp_path: Path, row: str) -> None:
    with on_disk(tmp_path) as ledger:
        filled(ledger, interactions=1)
    connection = apsw.Connection(str(tmp_path / "ledger.sqlite"))
    connection.pragma("foreign_keys", True)
    sql = "INSERT INTO assessments (peer_id, info_score, trust, rationale, created_at) VALUES "
    with pytest.raises(apsw.ConstraintError):
        connection.execute(sql + row)
    connection.close()
