"""A log that is rotated again and again while nobody looks."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from prefrontal.pulse.sources import log_archives
from prefrontal.pulse.sources.log_file import LogFileSource

from .receiver import Receiver

SECOND = 10**9


class Rotated:
    """A log that is written to and rotated on a clock of its own; each start tells the rest.

    runs_on: one start looks again and again instead.
    """

    def __init__(self, folder: Path, *, runs_on: bool = False) -> None:
        self.path = folder / "app.log"
        self.runs_on = runs_on
        self.receiver = Receiver()
        self.state = folder / "state"
        self.lines = count()
        self.written: list[str] = []
        self.heard: list[str] = []
        self._source: LogFileSource | None = None
        self._now = 1_700_000_000 * SECOND
        self.path.touch()
        self._at(self.path)

    def write(self, lines: int = 3) -> None:
        with self.path.open("a") as file:
            for _ in range(lines):
                self.written.append(f"line {next(self.lines)}")
                file.write(f"{self.written[-1]}\n")
        self._at(self.path)

    def rename(self, archive: str) -> None:
        """As logrotate's `create` does, or a rotating handler."""
        self.path.rename(self.path.with_name(archive))
        self.path.touch()
        self._at(self.path)

    def copy(self, archive: str) -> None:
        """As `copytruncate` does."""
        shutil.copyfile(self.path, self.path.with_name(archive))
        self._at(self.path.with_name(archive))
        os.truncate(self.path, 0)
        self._at(self.path)

    def shift(self, keep: int = 9) -> None:
        """app.log.1 becomes app.log.2, and so on; what is above `keep` goes."""
        for number in range(keep, 0, -1):
            for packed in ("", ".gz"):
                old = self.path.with_name(f"app.log.{number}{packed}")
                if old.exists() and number == keep:
                    old.unlink()
                elif old.exists():
                    old.rename(self.path.with_name(f"app.log.{number + 1}{packed}"))

    def pack(self, archive: str, suffix: str = ".gz") -> None:
        path = self.path.with_name(archive)
        packed, facts = path.with_name(archive + suffix), path.stat()
        data = path.read_bytes()
        content = gzip.compress(data) if suffix == ".gz" else lzma.compress(data)
        packed.write_bytes(content if suffix in (".gz", ".xz") else data)
        os.utime(packed, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        path.unlink()

    def listen(self, looks: int = 1) -> None:
        """One start that looks so often, or the start that goes on."""
        if not self.runs_on:
            self.stop()
        source = self.begun
        for _ in range(looks):
            source._poller.call()
        assert source.status()["last_error"] == ""
        self.heard += [each.features["text"] for each in self.receiver.rest()]

    @property
    def begun(self) -> LogFileSource:
        if self._source is None:
            self._source = LogFileSource(self.path, state_path=self.state)
            self._source._poller.outlet.push = self.receiver
            self._source._begin()
        return self._source

    def stop(self) -> None:
        if self._source is not None:
            self._source.stop()
        self._source = None

    def _at(self, path: Path) -> None:
        self._now += SECOND
        os.utime(path, ns=(self._now, self._now))


@pytest.fixture(params=[False, True], ids=["started again", "running on"])
def rotated(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Rotated]:
    made = Rotated(tmp_path, runs_on=request.param)
    made.listen()
    made.write()
    made.listen()
    assert made.heard == made.written == ["line 0", "line 1", "line 2"]
    yield made
    made.listen()
    made.stop()
    assert made.heard == made.written


Rotate = Callable[[Rotated, str], None]


@pytest.mark.parametrize("rotate", [Rotated.rename, Rotated.copy])
@pytest.mark.parametrize(
    "names",
    [
        ("app.log-20261121", "app.log-20261122", "app.log-20261123"),
        ("app.log.2026-11-21", "app.log.2026-11-22_07", "app.log.2026-11-23T08:00:00"),
        ("app-20261121.log", "app-20261122.log", "app-20261123.log"),
    ],
)
def test_what_was_rotated_to_dates_is_read_once(
    rotated: Rotated, rotate: Rotate, names: tuple[str, ...]
) -> None:
    for name in names:
        rotated.write()
        rotate(rotated, name)
    rotated.write()
    rotated.listen()
    assert rotated.heard == rotated.written
    rotated.write()


@pytest.mark.parametrize("rotate", [Rotated.rename, Rotated.copy])
@pytest.mark.parametrize("is_packed", [False, True])
def test_what_was_rotated_to_numbers_is_read_once(
    rotated: Rotated, rotate: Rotate, is_packed: bool
) -> None:
    for times in range(8):
        for _ in range(times % 3 + 1):
            rotated.write()
            rotated.shift()
            rotate(rotated, "app.log.1")
            if is_packed and rotated.path.with_name("app.log.2").exists():
                rotated.pack("app.log.2")
        rotated.listen()
        assert rotated.heard == rotated.written


@pytest.mark.parametrize("rotate", [Rotated.rename, Rotated.copy])
def test_old_files_that_were_there_before_are_not_told(
    tmp_path: Path, rotated: Rotated, rotate: Rotate
) -> None:
    for number in (1, 2, 3):
        old = tmp_path / f"app.log.{number}"
        old.write_text(f"older than all, {number}\n")
        os.utime(old, ns=(SECOND, SECOND))
    (tmp_path / "app.log.bak").write_text("of another name\n")
    (tmp_path / "app.logs-1").write_text("of another log\n")
    rotated.shift()
    rotate(rotated, "app.log.1")
    rotated.listen()


@pytest.mark.parametrize("rotate", [Rotated.rename, Rotated.copy])
def test_a_log_that_was_empty_at_the_end_loses_nothing(rotated: Rotated, rotate: Rotate) -> None:
    rotate(rotated, "app.log-1")
    rotated.write()
    rotated.listen()
    rotate(rotated, "app.log-2")
    rotated.listen(2)  # nothing is in the new one
    for number in (3, 4):
        rotated.write()
        rotate(rotated, f"app.log-{number}")


def test_a_start_that_ends_in_an_archive_is_gone_on_with(
    rotated: Rotated, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefrontal.pulse.sources import followed_file, log_file

    monkeypatch.setattr(log_file, "READ_LIMIT", 1)  # a chunk each look
    monkeypatch.setattr(followed_file, "_CHUNK", 2**12)
    for number in (1, 2, 3, 4):
        rotated.write(4000)
        rotated.rename(f"app.log-{number}")
        if number % 2:
            rotated.pack(f"app.log-{number}")
    for _ in range(30):
        rotated.listen()
        for number in (2, 4):  # packed later, between two starts
            if rotated.path.with_name(f"app.log-{number}").exists() and len(rotated.heard) > 5000:
                rotated.pack(f"app.log-{number}", ".xz")
    assert len(rotated.heard) > 10_000
    rotated.listen(30)


def test_what_cannot_be_read_any_more_is_said(
    rotated: Rotated, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("app.log-1", "app.log-2"):
        rotated.write()
        rotated.rename(name)
        rotated.pack(name, ".zst")
    rotated.write()
    rotated.rename("app.log-3")
    rotated.listen()
    assert "app.log-2.zst is not read: this release cannot unpack it" in caplog.text
    if rotated.runs_on:  # it holds what app.log-1.zst was made of
        assert rotated.heard == rotated.written[:6] + rotated.written[9:]
    else:
        assert "what was read of it last is gone: lines are lost" in caplog.text
        assert rotated.heard == rotated.written[:3] + rotated.written[9:]
    assert rotated.begun.status()["gaps"] == (1 if rotated.runs_on else 3)
    rotated.heard = list(rotated.written)
    caplog.clear()
    monkeypatch.setattr(log_archives, "MOST_UNPACKED", 5)
    rotated.write()
    rotated.rename("app.log-4")
    rotated.write()
    rotated.rename("app.log-5")
    rotated.pack("app.log-5")
    rotated.listen()
    assert "app.log-5.gz is not read: it holds more than 5 bytes" in caplog.text
    monkeypatch.undo()
    assert rotated.heard == rotated.written[:-3]
    rotated.listen()
    if rotated.runs_on:  # and went on behind it
        rotated.heard += rotated.written[-3:]
    assert rotated.heard == rotated.written  # it can be read now


def test_files_that_were_rotated_away_unread_are_told_as_a_gap(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rotated = Rotated(tmp_path, runs_on=True)
    rotated.listen()
    for _ in range(3):  # each replaces the one before
        rotated.write()
        rotated.rename("app.log.1")
        rotated.listen()
    assert rotated.begun.status()["gaps"] == 0
    assert rotated.heard == rotated.written
    for _ in range(3):
        rotated.write()
        rotated.rename("app.log.1")
    rotated.listen()
    assert rotated.heard == rotated.written[:12] + rotated.written[15:]
    assert rotated.begun.status()["gaps"] == 1
    assert "rotated again and again, and files are gone: lines may be lost" in caplog.text
    rotated.stop()


def test_what_a_file_was_packed_to_is_not_read_again(tmp_path: Path) -> None:
    rotated = Rotated(tmp_path, runs_on=True)
    rotated.listen()
    for number, suffix in enumerate((".gz", ".xz", ".zst", ".gz", ".gz")):
        rotated.write()
        rotated.rename(f"app.log-{number}")
        rotated.pack(f"app.log-{number}", suffix)
        if number == 4:  # by what does not keep the time
            os.utime(tmp_path / "app.log-4.gz")
        rotated.write(1)
        rotated.listen()
        assert rotated.heard == rotated.written
    assert rotated.begun.status()["gaps"] == 0
    rotated.stop()


def pack_beside(rotated: Rotated) -> None:
    """As the rotator of Python's cookbook: to app.log.1.gz, of today; it removes app.log next."""
    rotated.shift()
    packed = rotated.path.with_name("app.log.1.gz")
    packed.write_bytes(gzip.compress(rotated.path.read_bytes()))
    rotated._at(packed)


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_file_that_is_looked_at_between_packing_and_removal_is_read_once(
    rotated: Rotated, before: int
) -> None:
    for _ in range(before):
        rotated.write()
        pack_beside(rotated)
        rotated.path.unlink()
    rotated.write()
    pack_beside(rotated)
    rotated.listen()
    assert rotated.heard == rotated.written
    rotated.path.unlink()
    rotated.listen()
    rotated.write()


def test_a_file_that_was_empty_is_read_once_while_it_is_packed(tmp_path: Path) -> None:
    rotated = Rotated(tmp_path, runs_on=True)
    rotated.listen()
    rotated.write()
    pack_beside(rotated)
    rotated.listen()
    assert rotated.heard == rotated.written
    rotated.stop()
