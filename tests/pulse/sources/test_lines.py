from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.sources.event_lines import LINE_LIMIT, LineSplitter, event_from_line
from prefrontal.pulse.sources.lines import LinesSource, SocketSource

from .receiver import Receiver


def line(location: str) -> bytes:
    event = {"source": "mail", "location": location, "delta_type": "created"}
    return json.dumps(event).encode() + b"\n"


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def listening(tmp_path: Path, receiver: Receiver) -> Iterator[SocketSource]:
    source = SocketSource(tmp_path / "s")
    source.start(receiver)
    yield source
    source.stop()


def send(path: Path, data: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(data)


def test_a_line_is_an_event_and_what_may_be_left_out_has_a_default() -> None:
    event = event_from_line(line("inbox"), 5.0)
    assert (event.source, event.location, event.delta_type) == ("mail", "inbox", "created")
    assert (event.magnitude, event.timestamp, event.features) == (1.0, 5.0, {})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line must be a JSON object"),
        ("\xff", "line must be a JSON object"),
        ("[" * 100_000, "line must be a JSON object"),
        ("[]", "line must be a JSON object, got \\[\\]"),
        ('{"location": "x", "delta_type": "d"}', "source must be text .* got None"),
        ('{"source": "s", "location": 3, "delta_type": "d"}', "location must be text .* got 3"),
        ('{"source": "s", "location": "x", "delta_type": " "}', "delta_type must be text"),
        ('{"sauce": "s"}', "field must be one of source, .* got 'sauce'; .* features$"),
        ('{"source":"s","location":"x","delta_type":"d","magnitude":NaN}', "magnitude must be"),
        ('{"source":"s","location":"x","delta_type":"d","timestamp":true}', "timestamp must be"),
        ('{"source":"s","location":"x","delta_type":"d","timestamp":1e999}', "timestamp must be"),
        ('{"source":"s","location":"x","delta_type":"d","timestamp":1e17}', "years 1 to 9999"),
        ('{"source":"s","location":"x","delta_type":"d","timestamp":-1e17}', "years 1 to 9999"),
        ('{"source":"s","location":"x","delta_type":"d","features":[]}', "features must be an"),
    ],
)
def test_a_line_that_is_no_event_is_refused_by_field(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        event_from_line(text.encode("latin-1"), 0.0)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 100])
def test_lines_are_put_together_from_any_pieces(step: int) -> None:
    data = b"one\n\n  \ntwo\r\nthree"
    splitter = LineSplitter()
    found: list[bytes] = []
    for start in range(0, len(data), step):
        found += splitter.feed(data[start : start + step])
    found += splitter.end()
    assert [each.strip() for each in found] == [b"one", b"two", b"three"]


def test_a_line_too_long_is_left_out_whatever_it_comes_in_and_the_next_one_counts() -> None:
    for pieces in ([b"x" * (LINE_LIMIT + 1) + b"\nnext\n"], [b"x" * 2**19] * 5 + [b"\nnext\n"]):
        splitter = LineSplitter()
        found = [each for piece in pieces for each in splitter.feed(piece)]
        assert found == [b"next"]
        assert splitter.too_long == 1


def test_a_stream_is_read_to_its_end_and_bad_lines_are_counted(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    heard, say = os.pipe()
    with os.fdopen(heard, "rb") as stream:
        source = LinesSource(stream)
        source.start(receiver)
        source.start(receiver)
        os.write(say, line("one") + b"nonsense\n" + line("two") + line("three")[:-1])
        assert [event.location for event in receiver.take(2)] == ["one", "two"]
        os.close(say)
        assert [event.location for event in receiver.take()] == ["three"]
        source.stop()
        source.stop()
        assert not stream.closed
    status = source.status()
    assert (status["events"], status["bad_lines"], status["running"]) == (3, 1, False)
    assert "line must be a JSON object" in caplog.text


def test_a_stream_on_which_nothing_comes_can_be_stopped(receiver: Receiver) -> None:
    heard, say = os.pipe()
    with os.fdopen(heard, "rb") as stream, os.fdopen(say, "wb"):
        source = LinesSource(stream)
        source.start(receiver)
        source.stop()
        assert source.status()["running"] is False


def test_a_plain_file_can_be_read_too(tmp_path: Path, receiver: Receiver) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(line("one") * 3)
    with path.open("rb") as stream:
        source = LinesSource(stream)
        source.start(receiver)
        assert len(receiver.take(3)) == 3
        source.stop()


def test_programs_write_events_to_a_socket(listening: SocketSource, receiver: Receiver) -> None:
    with socket.socket(socket.AF_UNIX) as slow:
        slow.connect(str(listening.path))
        slow.sendall(line("slow")[:5])
        send(listening.path, line("a") + b"{}\n" + line("b"))
        assert [event.location for event in receiver.take(2)] == ["a", "b"]
        slow.sendall(line("slow")[5:])
        assert [event.location for event in receiver.take()] == ["slow"]
        listening.stop()  # while a program is connected
    assert listening.status()["bad_lines"] == 1
    assert not listening.path.exists()


def test_only_this_user_may_use_the_socket(listening: SocketSource) -> None:
    assert stat.S_IMODE(listening.path.stat().st_mode) == 0o600


def test_it_listens_again_after_a_stop_and_after_a_process_that_was_killed(
    tmp_path: Path, receiver: Receiver
) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    source = SocketSource(path)
    for name in ("one", "two"):
        source.start(receiver)
        send(path, line(name))
        assert [event.location for event in receiver.take()] == [name]
        source.stop()


def test_a_socket_in_use_and_a_file_in_its_place_are_left_alone(
    tmp_path: Path, listening: SocketSource, receiver: Receiver
) -> None:
    with pytest.raises(SourceError, match="another process listens there"):
        SocketSource(listening.path).start(receiver)
    send(listening.path, line("still here"))
    assert len(receiver.take()) == 1
    (tmp_path / "f").write_text("precious")
    with pytest.raises(SourceError, match="something else than a socket is there"):
        SocketSource(tmp_path / "f").start(receiver)
    assert (tmp_path / "f").read_text() == "precious"
    with pytest.raises(SourceError, match="cannot be listened on"):
        SocketSource(tmp_path / "none" / "s").start(receiver)


def test_a_path_the_system_has_no_room_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="socket path must be at most 107 bytes, got"):
        SocketSource(tmp_path / ("x" * 120))


def test_an_event_is_read_without_loading_numpy() -> None:
    """The first post to a busy watch waited half a second for it."""
    program = (
        "import sys; from prefrontal.pulse.sources.event_lines import event_from_object as read; "
        "read({'source': 'a', 'location': 'b', 'delta_type': 'c', 'features': {'text': 'd'}}, 0.0);"
        "assert 'prefrontal._core' in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
