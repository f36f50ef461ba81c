"""A watch that is killed at any moment has decided about everything once in the end."""

from __future__ import annotations

import random
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from ...exhaustive import first
from ..running import watching
from .kills import config, decided, kill_often, writing

KILLS = first(1, [2, 50])


@pytest.mark.parametrize("kills", KILLS)
def test_each_line_of_a_followed_log_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    path, numbers, lengths = tmp_path / "app.log", count(), random.Random(0)
    path.touch()
    settings = config(tmp_path, logs=[str(path)])

    def write() -> None:
        lines = [f"line {next(numbers)}\n" for _ in range(lengths.randrange(120))]
        with path.open("a", encoding="ascii") as file:
            file.writelines(lines)

    with watching("--config", settings):  # what is there at the first start is no event
        pass
    with writing(write):
        kill_often(kills, "--config", settings)
    with path.open("a", encoding="ascii") as file:
        file.write("the last line\n")
    with watching("--config", settings) as running:
        while not running.line().endswith("the last line"):
            pass
        running.end()
    expected = Counter([f"line {number}" for number in range(next(numbers))] + ["the last line"])
    found = decided(tmp_path)
    assert (expected - found, found - expected) == (Counter(), Counter())
