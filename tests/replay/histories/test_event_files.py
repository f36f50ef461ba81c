from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.replay.histories import event_files
from prefrontal.replay.histories.event_files import (
    count_lines,
    numbered_lines,
    spool_stdin,
    spooled,
)
from prefrontal.replay.histories.windows import read_windows

LINE = b'{"time": 1, "text": "x", "events": []}'


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        (b"", 0),
        (b"\n \n\r\n", 0),
        (b"\xef\xbb\xbf", 0),
        (LINE, 1),
        (LINE + b"\n", 1),
        (b"\xef\xbb\xbf" + LINE + b"\r\n\r\n" + LINE, 2),
        (b"\n".join([LINE] * 20_000), 20_000),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_count_is_the_number_of_windows(
    tmp_path: Path, raw: bytes, count: int, packed: bool
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(gzip.compress(raw) if packed else raw)
    assert count_lines(path) == count
    assert sum(1 for _ in read_windows(path)) == count


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing", "No such file"), (".", "Is a directory"), ("zero\0byte", "null byte")],
)
def test_a_file_that_cannot_be_opened_is_refused_in_a_sentence(
    tmp_path: Path, name: str, reason: str
) -> None:
    for read in (count_lines, lambda path: list(read_windows(path))):
        with pytest.raises(InputError, match="events file must be readable, got .*" + reason):
            read(tmp_path / name)


@pytest.mark.parametrize(
    "broken",
    [gzip.compress(LINE)[:-9], gzip.compress(LINE)[:-1] + b"!", b"\x1f\x8b\x08" + b"\0" * 40],
    ids=["cut", "checksum", "content"],
)
def test_a_broken_gzip_file_is_refused_in_a_sentence(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(broken)
    with pytest.raises(InputError, match=r"log\.jsonl.gz must be a whole gzip file"):
        list(read_windows(path))


def test_a_line_beyond_the_limit_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_files, "LINE_LIMIT", 50)
    path = tmp_path / "log.jsonl"
    path.write_bytes(LINE + b"\n" + b" " * 51 + b"\n")
    with pytest.raises(InputError, match=r":2: line must be at most 50 bytes, got a longer one"):
        list(numbered_lines(path))


def test_standard_input_is_read_by_its_own_name() -> None:
    program = (
        "from prefrontal.replay.histories.windows import read_windows, spool_stdin, count_lines\n"
        "import os\n"
        "with spool_stdin() as copy:\n"
        "    assert count_lines(copy) == 2\n"
        "    print([window.key for window in read_windows(copy, '-')])\n"
        "print(os.path.exists(copy))"
    )
    direct = (
        "from prefrontal.replay.histories.windows import read_windows\n"
        "print(next(read_windows('-')).key)"
    )
    for source, expected in ((program, "['-:1', '-:2']\nFalse\n"), (direct, "-:1\n")):
        done = subprocess.run(
            [sys.executable, "-c", source],
            input=LINE + b"\n" + LINE,
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == expected


def test_standard_input_given_by_a_program_is_copied_and_the_copy_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINE)))
    with spool_stdin() as copy:
        assert copy.read_bytes() == LINE
        assert copy.parent.stat().st_mode & 0o077 == 0
    assert not copy.parent.exists()


def test_a_pipe_is_copied_to_be_read_twice_and_never_used_up_by_counting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="must be a regular file to be counted"):
        count_lines(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LINE,))
    writer.start()
    with spooled(pipe) as copy:
        assert count_lines(copy) == sum(1 for _ in read_windows(copy)) == 1
    writer.join()


def test_a_regular_file_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(LINE)
    with spooled(path) as same:
        assert same == path
    assert path.exists()
