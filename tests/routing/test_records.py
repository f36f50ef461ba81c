from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import SourceError
from prefrontal.routing.records import append_record, read_records, record_line
from prefrontal.storage.lock_file import locked

from .children import NO_ROOM, ended, started

ROOT = Path(__file__).parents[2]

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.text(), PLAIN, max_size=4), max_size=4))
def test_what_is_appended_comes_back_in_order(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("records") / "a.jsonl"
    for row in rows:
        append_record(path, row, sync=False)
    found = read_records(path)
    assert list(found.rows) == rows and found.findings == ()


def test_fields_keep_their_order_and_letters_stand_as_they_are(tmp_path: Path) -> None:
    append_record(
        tmp_path / "deep" / "a.jsonl", {"z": "Zürich 🗺", "a": tmp_path / "x", "s": {2, 1}}
    )
    line = (tmp_path / "deep" / "a.jsonl").read_text(encoding="utf-8")
    assert line == f'{{"z": "Zürich 🗺", "a": "{tmp_path}/x", "s": [1, 2]}}\n'


def test_half_a_surrogate_pair_comes_back(tmp_path: Path) -> None:
    append_record(tmp_path / "a.jsonl", {"intent": "caf\udce9"})
    assert read_records(tmp_path / "a.jsonl").rows == ({"intent": "caf\udce9"},)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_of_json_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        record_line({"score": value})
    with pytest.raises(TypeError, match="plain JSON values"):
        record_line({"score": object()})


def test_no_file_is_no_lines_and_a_folder_is_refused(tmp_path: Path) -> None:
    assert read_records(tmp_path / "none.jsonl").rows == ()
    with pytest.raises(SourceError, match="cannot be read"):
        read_records(tmp_path)
    with pytest.raises(SourceError, match="cannot be written"):
        append_record(tmp_path, {})


def test_every_cut_of_a_file_gives_its_whole_lines_and_one_finding(tmp_path: Path) -> None:
    rows = [{"id": f"rev-{number}", "text": "é" * number} for number in range(3)]
    data = b"".join(record_line(row) for row in rows)
    path = tmp_path / "a.jsonl"
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        whole = data[:cut].count(b"\n")
        found = read_records(path)
        torn = data[:cut].rpartition(b"\n")[2]
        complete = torn.endswith(b"}")  # only its line end is missing
        assert list(found.rows) == rows[: whole + complete]
        if torn and not complete:
            [finding] = found.findings
            assert (finding.path, finding.line) == (path, whole + 1)
            assert "torn" in finding.text
        else:
            assert found.findings == ()


def test_a_line_after_a_torn_one_is_read_and_the_torn_one_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1}\n{"id": 2, "na')
    append_record(path, {"id": 3})
    found = read_records(path)
    assert found.rows == ({"id": 1}, {"id": 3})
    assert [str(one) for one in found.findings] == [f"{path}:2: a line is no JSON object"]


@pytest.mark.parametrize("line", [b"[1]", b"\xff", b'{"a": NaN}', b"[" * 100_000, b"null"])
def test_a_line_that_is_no_object_is_reported_and_skipped(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line + b"\n" + b'{"id": 1}\n')
    found = read_records(path)
    assert found.rows == ({"id": 1},)
    assert [one.line for one in found.findings] == [1]


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("kept", encoding="utf-8")
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "target")
    with pytest.raises(SourceError, match="cannot be written"):
        append_record(tmp_path / "a.jsonl", {"id": 1})
    assert (tmp_path / "target").read_text(encoding="utf-8") == "kept"


def append_in_little_room(path: Path, room: int) -> int:
    """Exit status of a process whose files may have `room` bytes at most."""

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        append_record(path, {"text": "x" * 100})

    return ended(started(work))


@pytest.mark.parametrize("room", [10, 50, 119])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, room: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1}\n')
    assert append_in_little_room(path, room) == NO_ROOM
    assert path.read_bytes() == b'{"id": 1}\n'
    assert append_in_little_room(path, 10_000) == 0
    assert len(read_records(path).rows) == 2


APPENDER = """
import sys
from pathlib import Path
from prefrontal.routing.records import append_record

for number in range(100):
    append_record(Path(sys.argv[1]), {"who": sys.argv[2], "number": number, "pad": "x" * 500},
                  sync=False)
"""


def test_lines_of_several_processes_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    words = [sys.executable, "-c", APPENDER, str(path)]
    children = [subprocess.Popen([*words, str(who)], cwd=ROOT) for who in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    found = read_records(path)
    assert found.findings == () and len(found.rows) == 300
    for who in range(3):
        mine = [row["number"] for row in found.rows if row["who"] == str(who)]
        assert mine == list(range(100))


def test_a_line_is_written_while_nobody_else_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, plain, seen = tmp_path / "a.jsonl", os.write, []

    def watched(descriptor: int, data: bytes) -> int:
        with path.open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        seen.append(data)
        return plain(descriptor, data[:5])

    monkeypatch.setattr(os, "write", watched)
    append_record(path, {"id": "a long line"})
    assert len(seen) > 2 and read_records(path).rows == ({"id": "a long line"},)


def test_a_lock_lets_one_thread_in_at_a_time(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(50):
            with locked(tmp_path / "deep" / "lock"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 200 and max(most) == 1


def test_a_lock_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be opened: Is a directory"), locked(tmp_path):
        pass
