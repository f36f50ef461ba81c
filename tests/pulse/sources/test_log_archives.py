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
    """A log that is written to and rotated on a clock of its own; each start tells the rest."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "app.log"
        self.state = folder / "state"
        self.lines = count()
        self.written: list[str] = []
        self.heard: list[str] = []
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
        """One start that looks so often."""
        source, receiver = LogFileSource(self.path, state_path=self.state), Receiver()
        source._poller._outlet.push = receiver
        source._begin()
        for _ in range(looks):
            source._poller.call()
        self.heard += [each.features["text"] for each in receiver.rest()]
        source.stop()

    def _at(self, path: Path) -> None:
        self._now += SECOND
        os.utime(path, ns=(self._now, self._now))


@pytest.fixture
def rotated(tmp_path: Path) -> Iterator[Rotated]:
    made = Rotated(tmp_path)
    made.listen()
    made.write()
    made.listen()
    assert made.heard == made.written == ["line 0", "line 1", "line 2"]
    yield made
    made.listen()
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
    from prefrontal.pulse.sources import log_file

    monkeypatch.setattr(log_file, "READ_LIMIT", 1)  # a chunk each look
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
    rotated.write()
    rotated.rename("app.log-1")
    rotated.pack("app.log-1", ".zst")
    rotated.write()
    rotated.rename("app.log-2")
    rotated.listen()
    assert "app.log-1.zst is not read: this release cannot unpack it" in caplog.text
    assert "what was read of it last is gone: lines are lost" in caplog.text
    assert rotated.heard == rotated.written[:3] + rotated.written[6:]
    rotated.heard = list(rotated.written)
    caplog.clear()
    monkeypatch.setattr(log_archives, "MOST_UNPACKED", 5)
    rotated.write()
    rotated.rename("app.log-3")
    rotated.pack("app.log-3")
    rotated.listen()
    assert "app.log-3.gz is not read: it holds more than 5 bytes" in caplog.text
    monkeypatch.undo()
    assert rotated.heard == rotated.written[:-3]
    rotated.listen()
    assert rotated.heard == rotated.written  # it can be read now
