"""A home-made rotation that packs without keeping times, looked at between any two of its steps."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from .test_log_archives import Rotated


def rotation(rotated: Rotated, *, keep: int = 6) -> Iterator[None]:
    """app.log.1 is packed to app.log.2.gz, whose time is today's; then app.log is renamed."""
    path = rotated.path
    for number in range(keep, 1, -1):
        old = path.with_name(f"app.log.{number}.gz")
        if old.exists():
            old.rename(path.with_name(f"app.log.{number + 1}.gz"))
            yield
    first, packed = path.with_name("app.log.1"), path.with_name("app.log.2.gz")
    if first.exists():
        packed.write_bytes(gzip.compress(first.read_bytes()))
        rotated._at(packed)
        yield
        first.unlink()
        yield
    path.rename(first)
    yield
    path.touch()
    rotated._at(path)
    yield


@pytest.mark.parametrize("runs_on", [False, True], ids=["started again", "running on"])
@pytest.mark.parametrize("within", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(8))
def test_numbers_say_what_is_older_where_packs_are_of_today(
    tmp_path: Path, runs_on: bool, within: float, seed: int
) -> None:
    random = Random(seed)
    rotated = Rotated(tmp_path, runs_on=runs_on)
    rotated.listen()
    empty = 0
    try:
        for _ in range(12):
            for _ in range(random.randint(1, 3)):  # within one look
                if random.random() < 0.9:
                    rotated.write(random.randint(1, 3))
                empty += not rotated.path.stat().st_size
                for _ in rotation(rotated):
                    if random.random() < within:
                        rotated.listen()
            if random.random() < 0.7:
                rotated.write(1)
            rotated.listen()
            assert rotated.heard == rotated.written
        # Behind empty files it cannot be known whether others were rotated away.
        assert rotated.begun.status()["gaps"] == 0 or empty
    finally:
        rotated.stop()


@pytest.mark.parametrize("runs_on", [False, True], ids=["started again", "running on"])
def test_numbers_that_grow_are_read_in_their_order(tmp_path: Path, runs_on: bool) -> None:
    rotated = Rotated(tmp_path, runs_on=runs_on)
    rotated.listen()
    for number in range(1, 6):
        rotated.write()
        rotated.rename(f"app.log.{number}")
    rotated.write()
    for number in (1, 2, 3):
        rotated.pack(f"app.log.{number}")
        rotated._at(tmp_path / f"app.log.{number}.gz")
    rotated.listen()
    assert rotated.heard == rotated.written
    rotated.stop()


@pytest.mark.parametrize("runs_on", [False, True], ids=["started again", "running on"])
def test_what_was_there_before_an_empty_log_is_not_told_when_it_is_packed(
    tmp_path: Path, runs_on: bool
) -> None:
    rotated = Rotated(tmp_path, runs_on=runs_on)
    (tmp_path / "app.log.1").write_text("of before\n")
    rotated._at(tmp_path / "app.log.1")
    rotated._at(rotated.path)
    rotated.listen()
    for _ in range(3):
        for _ in range(2):
            rotated.write()
            for _ in rotation(rotated):
                pass
        rotated.listen()
        assert rotated.heard == rotated.written
    rotated.stop()
