"""A log file that grows, is renamed, is cut, vanishes and comes back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources import log_file
from prefrontal.pulse.sources.log_file import LogFileSource
from prefrontal.testing import ManualClock

from .receiver import Receiver

Told = Callable[[], list[str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.log"


@pytest.fixture
def begun(path: Path) -> Iterator[Callable[..., tuple[LogFileSource, Receiver]]]:
    """Sources that are asked by hand; all are stopped in the end."""
    made: list[LogFileSource] = []

    def begin(state: Path | None = None) -> tuple[LogFileSource, Receiver]:
        source = LogFileSource(path, state_path=state, clock=ManualClock(5.0))
        made.append(source)
        receiver = Receiver()
        source._poller.outlet.push = receiver
        source._begin()
        return source, receiver

    yield begin
    for source in made:
        source.stop()


@pytest.fixture
def follow(begun: Callable[..., tuple[LogFileSource, Receiver]]) -> Callable[..., Told]:
    """Begins; each call of the answer gives the lines told of since the last one."""

    def begin(state: Path | None = None) -> Told:
        source, receiver = begun(state)

        def told() -> list[str]:
            source._poller.call()
            assert source.status()["last_error"] == ""
            return [event.features["text"] for event in receiver.rest()]

        return told

    return begin


def add(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_lines_that_are_added_are_events_and_those_already_there_are_not(
    path: Path, begun: Callable[..., tuple[LogFileSource, Receiver]]
) -> None:
    add(path, "old\n")
    source, receiver = begun()
    add(path, "ERROR: no space\r\n\n")
    source._poller.call()
    [event] = receiver.rest()
    assert (event.source, event.location, event.delta_type) == ("log", str(path), "line")
    assert (event.features, event.timestamp) == ({"text": "ERROR: no space"}, 5.0)


def test_a_line_is_told_once_when_its_end_has_come(path: Path, follow: Callable[..., Told]) -> None:
    path.touch()
    told = follow()
    add(path, "half")
    assert told() == []
    add(path, " and half\nnext")
    assert told() == ["half and half"]
    assert told() == []


def test_a_renamed_file_is_read_to_its_end_before_the_new_one(
    path: Path, follow: Callable[..., Told]
) -> None:
    add(path, "old\n")
    told = follow()
    add(path, "1\n")
    path.rename(path.with_suffix(".1"))
    add(path.with_suffix(".1"), "2\nlast without an end")
    assert told() == ["1", "2"]  # no new file yet: the old one may still be written to
    add(path, "3\n")
    assert told() == ["last without an end", "3"]


def test_a_file_that_was_cut_is_read_from_its_start(
    path: Path, follow: Callable[..., Told]
) -> None:
    add(path, "a long line that was there\n")
    told = follow()
    os.truncate(path, 0)
    add(path, "new\n")
    assert told() == ["new"]


def test_a_file_that_does_not_exist_is_waited_for_and_read_whole(
    path: Path, follow: Callable[..., Told]
) -> None:
    told = follow()
    assert told() == []
    add(path, "first\n")
    assert told() == ["first"]


def test_the_next_start_goes_on_where_the_last_one_ended(
    path: Path, tmp_path: Path, follow: Callable[..., Told]
) -> None:
    add(path, "old\n")
    state = tmp_path / "state"
    told = follow(state)
    add(path, "1\nhalf")
    assert told() == ["1"]
    add(path, "-2\n3\n")
    assert follow(state)() == ["half-2", "3"]
    add(path, "4\n")
    path.rename(path.with_suffix(".1"))
    add(path, "5\n" + "6" * 30 + "\n")  # longer than what was read of the old one
    assert follow(state)() == ["4", "5", "6" * 30]


def test_a_state_that_is_damaged_counts_as_none(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, follow: Callable[..., Told]
) -> None:
    add(path, "old\n")
    state = tmp_path / "state"
    state.write_text("{")
    told = follow(state)
    add(path, "new\n")
    assert told() == ["new"]
    assert "is not known any more" in caplog.text


@pytest.mark.parametrize("length", [2**20 + 1, 3 * 2**20])
def test_long_lines_are_cut_and_the_longest_counted_too(
    path: Path, begun: Callable[..., tuple[LogFileSource, Receiver]], length: int
) -> None:
    path.touch()
    source, receiver = begun()
    add(path, "x" * 3_000 + "\n" + "y" * length + "\nz\n")
    source._poller.call()
    texts = [event.features["text"] for event in receiver.rest()]
    assert texts == ["x" * 2_000, "y" * 2_000, "z"]
    assert source.status()["too_long"] == 1


@pytest.mark.parametrize("rotated", [False, True])
def test_the_rest_of_a_line_that_was_too_long_is_no_line_of_the_next_start(
    path: Path, tmp_path: Path, follow: Callable[..., Told], rotated: bool
) -> None:
    path.touch()
    state = tmp_path / "state"
    told = follow(state)
    add(path, "y" * (2**20 + 1))
    assert told() == ["y" * 2_000]
    add(path, "y" * 5_000)
    if rotated:
        path.rename(path.with_suffix(".1"))
        with path.with_suffix(".1").open("a", encoding="utf-8") as file:
            file.write("rest\nz\n")
        path.write_text("new\n", encoding="utf-8")
        assert follow(state)() == ["z", "new"]
    else:
        add(path, "rest\nz\n")
        assert follow(state)() == ["z"]


def test_a_flood_is_read_over_several_looks(
    path: Path, monkeypatch: pytest.MonkeyPatch, follow: Callable[..., Told]
) -> None:
    monkeypatch.setattr(log_file, "READ_LIMIT", 2**16)
    path.touch()
    told = follow()
    add(path, "0123456789abcde\n" * 8_192)
    counts = [len(told()) for _ in range(3)]
    assert counts == [4_096, 4_096, 0]


def test_its_thread_tells_and_ends(path: Path) -> None:
    path.touch()
    source = LogFileSource(path, interval_s=0.01)
    receiver = Receiver()
    source.start(receiver)
    add(path, "hello\n")
    assert receiver.take()[0].features["text"] == "hello"
    source.stop()
    assert source.status()["running"] is False


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused(path: Path, make: Callable[[Path], object]) -> None:
    make(path)
    with pytest.raises(InputError, match="log file must be a"):
        LogFileSource(path)._begin()


def test_a_file_that_was_cut_and_refilled_between_two_looks_is_read_from_its_start(
    path: Path, follow: Callable[..., Told]
) -> None:
    add(path, "one\n")
    told = follow()
    add(path, "two\n")
    assert told() == ["two"]
    path.write_text("a much longer line\nthree\n", encoding="utf-8")
    assert told() == ["a much longer line", "three"]
    assert told() == []


def test_another_file_of_the_same_number_is_not_taken_for_the_known_one(
    path: Path, tmp_path: Path, follow: Callable[..., Told]
) -> None:
    state = tmp_path / "state.json"
    told = follow(state)
    add(path, "secret of the old file\n")
    assert told() == ["secret of the old file"]
    assert "secret" not in state.read_text()
    path.write_text("the first line of a new and longer file\n", encoding="utf-8")
    assert follow(state)() == ["the first line of a new and longer file"]


def test_a_writer_that_is_slow_to_change_to_the_new_file_loses_nothing(
    path: Path, tmp_path: Path, follow: Callable[..., Told]
) -> None:
    path.touch()
    told = follow()
    with path.open("a", encoding="utf-8", buffering=1) as writer:
        path.rename(tmp_path / "app.log.1")
        path.touch()
        assert told() == []
        writer.write("to the old file\n")
    add(path, "to the new file\n")
    assert told() == ["to the old file", "to the new file"]


def test_a_file_that_was_cut_under_its_writer_has_no_emptiness_in_its_lines(
    path: Path, follow: Callable[..., Told]
) -> None:
    told = follow()
    with path.open("w", encoding="utf-8", buffering=1) as writer:
        writer.write("x" * (3 * 2**20 - 2) + "\n")
        writer.write("one\n")
        told()
        os.truncate(path, 0)
        writer.write("two\n")  # where the writer is, after three megabytes of nothing
        assert told() == ["two"]
        os.truncate(path, 0)
        assert told() == []
        writer.write("three\n")
        assert told() == ["three"]


def test_emptiness_inside_a_line_that_is_too_long_does_not_end_it(
    path: Path, follow: Callable[..., Told]
) -> None:
    path.touch()
    told = follow()
    with path.open("r+", encoding="utf-8", buffering=1) as writer:
        writer.write("y" * (2**20 + 2**16))  # whole blocks: emptiness begins at once
        assert told() == ["y" * 2_000]
        writer.seek(4 * 2**20)
        writer.write("rest\nz\n")
        assert told() == ["z"]


def test_a_file_that_cannot_be_opened_yet_is_tried_again_and_its_past_is_no_event(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.symlink_to(path)  # root may read anything, but nobody this
    source, receiver = LogFileSource(path), Receiver()
    source._poller.outlet.push = receiver
    monkeypatch.setattr(source._poller, "start", lambda push: source._poller.call())
    source.start(receiver)
    assert "symbolic links" in str(source.status()["last_error"])
    path.unlink()
    add(path, "old\n")
    source._poller.call()
    add(path, "new\n")
    source._poller.call()
    source.stop()
    assert [event.features["text"] for event in receiver.rest()] == ["new"]


def test_a_silent_file_may_be_rotated_as_often_as_one_likes(
    path: Path, tmp_path: Path, follow: Callable[..., Told]
) -> None:
    path.touch()
    told = follow()
    for number in range(10):
        path.rename(tmp_path / f"app.log.{number}")
        path.touch()
        assert told() == []
    add(path, "one\n")
    path.rename(tmp_path / "app.log.10")
    add(path, "two\n")
    assert told() + told() == ["one", "two"]
