from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.runtime.channels.inbox import MessageInbox
from prefrontal.runtime.channels.line_reader import LineReader

from ..sample_plugins import message

PATIENCE_S = 60.0


class Ear:
    """Hears what a reader reads."""

    def __init__(self, descriptor: int, longest: int = 1 << 20) -> None:
        self.lines: list[bytes | None] = []
        self.ended = threading.Event()
        self.reader = LineReader(descriptor, self.lines.append, self.ended.set, longest)
        self.reader.start()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def read(pipe: tuple[int, int], *pieces: bytes, longest: int = 1 << 20) -> list[bytes | None]:
    ear = Ear(pipe[0], longest)
    for piece in pieces:
        os.write(pipe[1], piece)
    os.close(pipe[1])
    assert ear.ended.wait(PATIENCE_S)
    ear.reader.stop()
    return ear.lines


def test_lines_are_read_however_they_come_in_pieces(pipe: tuple[int, int]) -> None:
    assert read(pipe, b"on", b"e\ntwo\r\n\nla", b"st") == [b"one", b"two", b"", b"last"]


def test_a_line_that_is_too_long_is_told_and_the_next_is_read(pipe: tuple[int, int]) -> None:
    assert read(pipe, b"x" * 50, b"x" * 50, b"\nshort\n", longest=10) == [None, b"short"]


def test_a_line_without_an_end_does_not_fill_the_memory(pipe: tuple[int, int]) -> None:
    ear = Ear(pipe[0], longest=10)
    for _ in range(20):
        os.write(pipe[1], b"x" * 1000)
    os.close(pipe[1])
    assert ear.ended.wait(PATIENCE_S)
    ear.reader.stop()
    assert ear.lines == [None]
    assert len(ear.reader._rest) <= 10


def test_a_last_line_that_is_too_long_is_told_too(pipe: tuple[int, int]) -> None:
    assert read(pipe, b"a\n" + b"x" * 50, longest=10) == [b"a", None]


def test_a_reader_that_waits_can_be_stopped(pipe: tuple[int, int]) -> None:
    before = threading.active_count()
    ear = Ear(pipe[0])
    ear.reader.stop()
    assert threading.active_count() == before
    assert not ear.ended.is_set()


def test_a_plain_file_can_be_read_too(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a\nb\n")
    with path.open("rb") as file:
        ear = Ear(file.fileno())
        assert ear.ended.wait(PATIENCE_S)
        ear.reader.stop()
    assert ear.lines == [b"a", b"b"]


def test_an_inbox_takes_so_many_and_gives_them_once() -> None:
    inbox = MessageInbox(capacity=2)
    assert [inbox.put(message(number=n)) for n in range(3)] == [True, True, False]
    assert [each.id for each in inbox.take_all()] == ["0", "1"]
    assert inbox.take_all() == []


def test_whoever_waits_for_room_is_let_in_or_let_go() -> None:
    inbox = MessageInbox(capacity=1)
    inbox.put(message(number=1))
    answers: list[bool] = []

    def put_two() -> None:
        for n in (2, 3):
            answers.append(inbox.put(message(number=n), wait=True))

    waiting = threading.Thread(target=put_two)
    waiting.start()
    while not (taken := inbox.take_all()) or taken[0].id != "2":
        pass
    inbox.close()
    waiting.join(PATIENCE_S)
    assert answers[0] is True
    assert not inbox.put(message(number=4))
    inbox.open()
    inbox.take_all()
    assert inbox.put(message(number=5))
