"""`SqliteDatabase`: durable transactions, and a sentence for every way a file can fail."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import SourceError
from prefrontal.storage import aside
from prefrontal.storage.database import APPLICATION_ID, RowError
from prefrontal.storage.sqlite_database import SqliteDatabase

from ..decisions.decision_samples import woke


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    database = SqliteDatabase(tmp_path / "some.db", busy_timeout_s=0.01)
    database.execute("CREATE TABLE t (a UNIQUE)")
    return database


def numbers(database: SqliteDatabase) -> list[object]:
    return [number for (number,) in database.execute("SELECT a FROM t ORDER BY a")]


def test_a_commit_waits_for_the_disk(database: SqliteDatabase) -> None:
    assert database.execute("PRAGMA journal_mode") == [("wal",)]
    assert database.execute("PRAGMA synchronous") == [(2,)]  # FULL
    assert database.execute("PRAGMA foreign_keys") == [(1,)]


def test_only_the_owner_may_read_a_new_file(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log.db") as log:
        log.append(woke())
        for name in ("log.db", "log.db-wal", "log.db-shm"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_transaction_is_written_whole_or_not_at_all(database: SqliteDatabase) -> None:
    with database.transaction():
        database.execute_many("INSERT INTO t VALUES (?)", [(1,), (2,)])

    def interrupted() -> None:
        with database.transaction():
            database.execute("INSERT INTO t VALUES (3)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert numbers(database) == [1, 2]


def test_an_inner_transaction_joins_the_outer_one(database: SqliteDatabase) -> None:
    def twice() -> None:
        with database.transaction():
            with database.transaction():
                database.execute("INSERT INTO t VALUES (1)")
            database.execute("INSERT INTO t VALUES (1)")

    with pytest.raises(RowError, match="UNIQUE constraint failed"):
        twice()
    assert numbers(database) == []


def test_a_file_that_another_process_writes_is_waited_for_and_then_named(
    database: SqliteDatabase,
) -> None:
    other = SqliteDatabase(database.path, busy_timeout_s=0.01)
    with other.transaction(), pytest.raises(SourceError) as caught, database.transaction():
        pass
    sentence = f"{database.path} is locked by another process for more than 0.01 s"
    assert str(caught.value) == sentence
    with database.transaction():
        database.execute("INSERT INTO t VALUES (1)")
    assert numbers(other) == [1]


@pytest.fixture
def begun(tmp_path: Path) -> apsw.Connection:
    """A file of ours without a write-ahead log, which another process is writing."""
    other = apsw.Connection(str(tmp_path / "new.db"))
    other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    other.execute("BEGIN IMMEDIATE")
    return other


def test_who_opens_a_new_file_waits_until_another_process_has_begun_it(
    begun: apsw.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: begun.execute("COMMIT"))
    database = SqliteDatabase(tmp_path / "new.db")
    assert database.execute("PRAGMA journal_mode") == [("wal",)]


def test_a_new_file_that_another_process_does_not_give_back_is_named(
    begun: apsw.Connection, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match=r"new\.db is locked by another process for more than 0"):
        SqliteDatabase(tmp_path / "new.db", busy_timeout_s=0.01)
    begun.execute("COMMIT")
    SqliteDatabase(tmp_path / "new.db").close()


def test_a_path_means_the_same_file_after_the_working_directory_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database = SqliteDatabase("file:some.db?mode=memory")
    assert database.path == str(tmp_path / "file:some.db?mode=memory")
    assert (tmp_path / "file:some.db?mode=memory").is_file()


def test_who_only_reads_sees_what_is_committed_and_never_waits(database: SqliteDatabase) -> None:
    reader = SqliteDatabase(database.path, busy_timeout_s=0.01, read_only=True)
    with database.transaction():
        database.execute("INSERT INTO t VALUES (1)")
        assert numbers(reader) == []
    assert numbers(reader) == [1]
    with reader.reading():
        assert numbers(reader) == [1]
        database.execute("INSERT INTO t VALUES (2)")
        assert numbers(reader) == [1]
    assert numbers(reader) == [1, 2]
    with pytest.raises(SourceError, match="cannot be written: it is read-only"):
        reader.execute("INSERT INTO t VALUES (3)")
    reader.close()


def test_a_file_that_is_to_be_read_is_never_made(tmp_path: Path) -> None:
    for name in ("new.db", "x" * 300, "a\0b"):
        with pytest.raises(SourceError, match="cannot be opened"):
            SqliteDatabase(tmp_path / name, read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_bears_another_mark_is_refused(
    database: SqliteDatabase, read_only: bool
) -> None:
    with pytest.raises(SourceError, match="is a database of another program"):
        SqliteDatabase(database.path, read_only=read_only, application_id=7)
    SqliteDatabase(database.path, read_only=read_only).close()


def no_folder(path: Path) -> None:
    path.parent.rmdir()


def foreign(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE visits (url)")
    connection.close()


def text(path: Path) -> None:
    path.write_text("# a list of things to do\n" * 500)


def cut(path: Path) -> None:
    with DecisionLog(path) as log:
        log.append_many(woke() for _ in range(1000))
    os.truncate(path, path.stat().st_size // 2)


def scribbled(path: Path) -> None:
    with DecisionLog(path) as log:
        log.append_many(woke() for _ in range(1000))
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\x5a" * (len(content) - 100))


FAULTS: list[tuple[Callable[[Path], object], str]] = [
    (Path.mkdir, "cannot be opened: it is a folder"),
    (os.mkfifo, "cannot be opened: it is not a regular file"),
    (no_folder, "cannot be opened: No such file or directory"),
    (foreign, "is a database of another program"),
    (text, "is not a database"),
    (cut, "is damaged"),
    (scribbled, "is damaged"),
]


@pytest.mark.parametrize(("fault", "sentence"), FAULTS)
def test_a_file_that_cannot_be_used_is_named_with_the_reason_and_left_alone(
    tmp_path: Path, fault: Callable[[Path], object], sentence: str
) -> None:
    path = tmp_path / "folder" / "log.db"
    path.parent.mkdir()
    fault(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(SourceError) as caught, DecisionLog(path) as log:
        list(log.records())
    assert str(caught.value) == f"{path} {sentence}"
    assert before is None or path.read_bytes() == before


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 300):
        with pytest.raises(SourceError, match="cannot be opened"):
            DecisionLog(tmp_path / name)
    with pytest.raises(SourceError, match="cannot be opened: it is a folder"):
        DecisionLog("")


def test_a_name_that_is_no_utf8_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.db")
    with pytest.raises(SourceError, match="its name must be UTF-8"):
        DecisionLog(path)
    assert list(tmp_path.iterdir()) == []


def child(program: str, argument: object) -> subprocess.CompletedProcess[str]:
    """What a Python process that runs `program` says."""
    return subprocess.run(
        [sys.executable, "-c", program, str(argument)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


FULL_DISK = """
import resource, signal, sys
from prefrontal.errors import SourceError
from prefrontal.decisions.log import DecisionLog
from tests.decisions.decision_samples import woke

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log, kept = DecisionLog(sys.argv[1]), []
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
for _ in range(10_000):
    record = woke()
    try:
        log.append(record)
    except SourceError as error:
        print(error)
        break
    kept.append(record)
assert kept and list(log.records()) == kept, "what was acknowledged is there"
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append(record)
assert list(log.records()) == [*kept, record], "and it goes on when there is room again"
"""


def test_a_full_disk_is_named_and_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    done = child(FULL_DISK, path)
    assert done.stderr == ""
    assert done.stdout.startswith(f"{path} cannot be ")
    assert "full" in done.stdout


READ_ONLY = """
import os, sys
from prefrontal.errors import SourceError
from prefrontal.decisions.log import DecisionLog
from tests.decisions.decision_samples import woke

DecisionLog("/".join([sys.argv[1], "old.db"])).close()
os.chmod(sys.argv[1] + "/old.db", 0o444)
os.chmod(sys.argv[1], 0o555)
if os.geteuid() == 0:
    DecisionLog(":memory:").append(woke())  # all is imported before the rights are gone
    os.seteuid(65534)  # nobody
for name in ("new.db", "old.db"):
    try:
        with DecisionLog(f"{sys.argv[1]}/{name}") as log:
            log.append(woke())
    except SourceError as error:
        print(error)
"""


def test_a_folder_that_cannot_be_written_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = child(READ_ONLY, folder)
    assert done.stderr == ""
    new, old = done.stdout.splitlines()
    assert new == f"{folder}/new.db cannot be opened: Permission denied"
    assert old.startswith(f"{folder}/old.db cannot be ")


FORBIDDEN = """
import os, sys
from prefrontal.errors import SourceError
from prefrontal.decisions.log import DecisionLog
from prefrontal.storage.memory_files import MemoryFiles

texts = MemoryFiles(sys.argv[1] + "/texts")
texts.store("key", "text")
DecisionLog(sys.argv[1] + "/log.db").close()
os.chmod(sys.argv[1] + "/log.db", 0)
os.chmod(sys.argv[1] + "/texts", 0)
os.chmod(sys.argv[1], 0o777)
if os.geteuid() == 0:
    DecisionLog(":memory:").close()  # all is imported before the rights are gone
    os.setuid(65534)  # nobody
for act in (lambda: DecisionLog(sys.argv[1] + "/log.db"), texts.keys):
    try:
        act()
    except SourceError as error:
        print(error)
"""


def test_what_this_user_may_not_read_is_said_to_be_that_and_not_empty() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = child(FORBIDDEN, folder)
        Path(folder, "texts").chmod(0o700)
    assert done.stderr == ""
    log, texts = done.stdout.splitlines()
    assert log == f"{folder}/log.db cannot be opened: Permission denied"
    assert texts == f"{folder}/texts cannot be read: Permission denied"


def hinder(path: Path) -> None:
    """Let SQLite make no shared memory beside the file, as on a full or a read-only disk."""
    Path(f"{path}-shm").symlink_to("nowhere")


def crashed(folder: Path, wal: bool) -> Path:
    """A file as a killed process leaves it: with a row, which is in its log alone if `wal`."""
    source = folder / "live.db"
    writer = SqliteDatabase(source)
    writer.execute("CREATE TABLE t (a UNIQUE)")
    if not wal:
        writer.execute("INSERT INTO t VALUES (1)")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if wal:
        writer.execute("INSERT INTO t VALUES (1)")
    path = folder / "left.db"
    for end in ("", "-wal"):
        shutil.copyfile(f"{source}{end}", f"{path}{end}")
    writer.close()
    return path


@pytest.mark.parametrize("wal", [False, True])
def test_what_lies_where_nothing_can_be_written_is_read_whole(tmp_path: Path, wal: bool) -> None:
    path = crashed(tmp_path, wal)
    assert (Path(f"{path}-wal").stat().st_size > 0) is wal
    hinder(path)
    before = sorted(each.name for each in tmp_path.iterdir())
    database = SqliteDatabase(path, read_only=True)
    beside = database.beside()
    assert numbers(database) == [1] == numbers(beside)
    with pytest.raises(SourceError, match=f"{path} cannot be written: it is read-only"):
        database.execute("INSERT INTO t VALUES (2)")
    beside.close()
    database.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == before


def test_a_link_to_such_a_file_is_read_with_its_log(tmp_path: Path) -> None:
    path = crashed(tmp_path, wal=True)
    hinder(path)
    (tmp_path / "link.db").symlink_to(path)
    database = SqliteDatabase(tmp_path / "link.db", read_only=True)
    assert numbers(database) == [1]
    database.close()


def test_the_copy_of_such_a_file_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    path = crashed(tmp_path, wal=True)
    hinder(path)
    database = SqliteDatabase(path, read_only=True)
    [folder] = copies.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    database.close()
    assert not list(copies.iterdir())


def test_changes_that_can_be_copied_nowhere_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crashed(tmp_path, wal=True)
    hinder(path)
    monkeypatch.setattr(aside, "PLACES", (str(tmp_path / "nowhere"),))
    with pytest.raises(SourceError, match=r"[0-9,]+ bytes of later changes wait beside it") as told:
        SqliteDatabase(path, read_only=True)
    assert "No such file or directory" in str(told.value)
