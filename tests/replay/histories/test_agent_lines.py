from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.replay.histories import agent_lines as agent_history_lines
from prefrontal.replay.histories.agent_lines import session_entries

GOOD = b'{"type": "user"}\n'


def read(path: Path, raw: bytes) -> tuple[list[tuple[int, dict[str, Any]]], Counter[str]]:
    path.write_bytes(raw)
    counts: Counter[str] = Counter()
    return list(session_entries(path, counts)), counts


@pytest.mark.parametrize(
    ("raw", "counted"),
    [
        (b"", {}),
        (b"\n \r\n", {}),
        (GOOD * 2, {"lines": 2}),
        (b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD.replace(b"\n", b"\r\n"), {"lines": 2}),
        (GOOD + b"{broken\n" + GOOD, {"lines": 3, "broken": 1}),
        (b"[1]\n" + GOOD + b"3\n" + GOOD, {"lines": 4, "broken": 2}),
        (GOOD * 2 + b'{"type": "us', {"lines": 3, "growing": 1}),
        (GOOD + GOOD.rstrip(), {"lines": 2}),
        (GOOD + b'{"a": "\xff\xfe"}\n', {"lines": 2, "mended": 1}),
        (GOOD * 2 + b"[" * 100_000 + b"\n", {"lines": 3, "broken": 1}),
        (GOOD * 2 + b'{"a": ' + b"1" * 9_000 + b"}\n", {"lines": 3, "broken": 1}),
        (GOOD * 2 + b"\0\0\0\n", {"lines": 3, "broken": 1}),
    ],
)
def test_two_good_lines_are_read_whatever_stands_beside_them(
    tmp_path: Path, raw: bytes, counted: dict[str, int]
) -> None:
    entries, counts = read(tmp_path / "s.jsonl", raw)
    assert len(entries) == (2 if raw.strip() else 0)
    assert +counts == counted


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_file_with_the_mark_of_utf_16_is_read(tmp_path: Path, encoding: str) -> None:
    mark = "\N{BYTE ORDER MARK}" if encoding.endswith("be") else ""
    raw = (mark + '{"type": "übung"}\r\n{"type": "b"}\n').encode(encoding)
    entries, counts = read(tmp_path / "s.jsonl", raw)
    assert [entry["type"] for _, entry in entries] == ["übung", "b"]
    assert +counts == {"lines": 2}


def test_a_line_that_is_too_long_is_counted_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_history_lines, "LINE_LIMIT", 32)
    long = b'{"type": "' + b"x" * 100 + b'"}\n'
    entries, counts = read(tmp_path / "s.jsonl", GOOD + long + GOOD + long.rstrip())
    assert [number for number, _ in entries] == [1, 3]
    assert +counts == {"lines": 2, "long": 2}


def test_what_is_appended_while_reading_waits_for_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD * 3)
    entries = session_entries(path, Counter())
    next(entries)
    with path.open("ab") as file:
        file.write(GOOD * 50_000)
    assert len(list(entries)) == 2


def test_the_bytes_that_were_read_are_told(tmp_path: Path) -> None:
    path, told = tmp_path / "s.jsonl", list[int]()
    path.write_bytes(GOOD * 9)
    list(session_entries(path, Counter(), told.append))
    assert sum(told) == len(GOOD) * 9


def test_a_file_that_cannot_be_read_raises(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        list(session_entries(tmp_path, Counter()))


@given(raw=st.lists(st.one_of(st.just(GOOD), st.binary(max_size=40))).map(b"".join))
def test_any_bytes_are_read_or_counted(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    entries, counts = read(tmp_path_factory.mktemp("s") / "s.jsonl", raw)
    assert len(entries) + counts["broken"] + counts["growing"] == counts["lines"]


def test_a_reader_of_utf_16_may_stop_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes((GOOD * 3).decode().encode("utf-16"))
    entries = session_entries(path, Counter())
    assert next(entries) == (1, {"type": "user"})
    del entries
    gc.collect()  # what cannot be raised any more is a warning
