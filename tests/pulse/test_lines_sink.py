"""Lines in a file that others rotate away, cut and fill the disk under."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sinks import LinesFileSink

from .wakes import wake


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wakes.jsonl"


def asked(path: Path) -> list[str]:
    """The questions in it, without blank lines and lines that broke off."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line)["question"])
        except ValueError:
            continue
    return found


def test_a_synced_line_is_on_the_disk_before_it_counts_as_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def remember(file: int) -> None:
        synced.append(path.stat().st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", remember)
    for each in (LinesFileSink(path, synced=True), LinesFileSink(path)):
        assert each.deliver(wake()).ok
        each.close()
    assert synced == [path.stat().st_size // 2]


def test_questions_are_added_to_what_is_there(path: Path) -> None:
    path.write_text('{"question": "a"}\n', encoding="utf-8")
    sink = LinesFileSink(path)
    assert [sink.deliver(wake(question=each)).ok for each in "bc"] == [True, True]
    sink.close()
    assert asked(path) == ["a", "b", "c"]


def test_a_file_that_was_rotated_away_is_begun_anew(path: Path, tmp_path: Path) -> None:
    sink = LinesFileSink(path)
    sink.deliver(wake(question="a"))
    path.rename(tmp_path / "wakes.jsonl.1")
    sink.deliver(wake(question="b"))
    path.unlink()
    sink.deliver(wake(question="c"))
    sink.close()
    assert (asked(tmp_path / "wakes.jsonl.1"), asked(path)) == (["a"], ["c"])


def test_after_half_a_line_the_next_stands_on_a_line_of_its_own(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink, write = LinesFileSink(path), os.write

    def write_half(file: int, data: bytes) -> int:
        if write(file, data[: len(data) // 2]) < 100:
            raise OSError(28, "No space left on device")
        return len(data) // 2

    with monkeypatch.context() as full:
        full.setattr(os, "write", write_half)
        outcome = sink.deliver(wake(question="a"))
    assert (outcome.ok, outcome.down_for_s) == (False, 0.0)
    assert outcome.detail == "cannot be written: No space left on device"
    assert sink.deliver(wake(question="a")).ok
    sink.close()
    path.write_bytes(path.read_bytes() + b'{"question": "kil')
    sink = LinesFileSink(path)
    sink.deliver(wake(question="b"))
    sink.close()
    assert asked(path) == ["a", "b"]


def test_a_file_that_cannot_be_written_is_told_at_once_or_is_an_outcome(path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        LinesFileSink(path.parent)
    sink = LinesFileSink(path)
    path.unlink()
    path.mkdir()
    assert sink.deliver(wake()).detail == "cannot be written: Is a directory"
    sink.close()
    sink.close()
    assert sink.deliver(wake()).detail == "cannot be written: closed"
