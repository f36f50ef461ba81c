"""A recording asks its source once, and only keeps what was read to its end."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from prefrontal.replay.histories.recording import Readable, Recording

CONTENT = bytes(range(256)) * 40


class Source:
    """Bytes that know how often they were asked for."""

    def __init__(self) -> None:
        self.asked = 0

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        self.asked += 1
        yield io.BytesIO(CONTENT)


def read_all(output: Readable) -> bytes:
    return b"".join(iter(lambda: output.read(1000), b""))


def test_the_second_reader_gets_the_same_bytes_and_the_source_is_asked_once() -> None:
    source = Source()
    recording = Recording(source.open)
    for _ in range(3):
        with recording.open() as output:
            assert read_all(output) == CONTENT
    assert source.asked == 1


def test_a_reader_that_stops_early_leaves_nothing_for_the_next() -> None:
    source = Source()
    recording = Recording(source.open)
    with recording.open() as output:
        output.read(1000)
    with recording.open() as output:
        assert read_all(output) == CONTENT
    assert source.asked == 2


def test_two_readers_at_once_each_have_their_own_position() -> None:
    recording = Recording(Source().open)
    with recording.open() as output:
        read_all(output)
    with recording.open() as one, recording.open() as two:
        assert one.read(300) == two.read(300) == CONTENT[:300]
        assert read_all(one) == read_all(two) == CONTENT[300:]
