"""Seeded histories of a small project: a change matters when it touches src/, mostly."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from prefrontal.types import SignalEvent, Window

START = 1_600_000_200.0
"""On a full half hour, as heartbeats are."""

HOUR = 3600.0
PLACES = ("src/core.py", "src/io.py", "tests/test_io.py", "docs/index.md", "README.md", "tox.ini")
ACTORS = ("jane", "max", "bot")
WORDS = ("fix", "add", "bump", "drop", "typo")


def window(
    number: int,
    *paths: str,
    relevant: bool | None = None,
    at: float | None = None,
    actor: str = "",
    text: str = "",
    known_at: float | None = None,
) -> Window:
    """Window `number` of a history, an hour after the one before unless `at` says otherwise."""
    time = START + HOUR * number if at is None else at
    shared = {"actor": actor, "text": text}
    events = [SignalEvent("filesystem", path, "modified", 1.0, time, shared) for path in paths]
    return Window(f"w{number}", time, tuple(events), actor, text, relevant, known_at)


def history(seed: int, count: int, noise: float = 0.1, late: float | None = None) -> list[Window]:
    """`count` labelled windows. late: the label is known that many hours later."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        paths = {rng.choice(PLACES) for _ in range(rng.randint(1, 3))}
        relevant = any(path.startswith("src/") for path in paths) != (rng.random() < noise)
        made = window(
            number,
            *sorted(paths),
            relevant=relevant,
            actor=rng.choice(ACTORS),
            text=f"{rng.choice(WORDS)} number {number}",
        )
        found.append(made if late is None else replace(made, known_at=made.time + late * HOUR))
    return found


def lines(windows: Iterable[Window]) -> str:
    """The windows as the lines of an events file."""
    return "".join(
        json.dumps(
            {
                "time": each.time,
                "actor": each.actor,
                "text": each.text,
                "relevant": each.relevant,
                "events": [
                    {"source": e.source, "location": e.location, "delta_type": e.delta_type}
                    for e in each.events
                ],
            }
        )
        + "\n"
        for each in windows
    )


def write_lines(path: Path, windows: Iterable[Window]) -> Path:
    path.write_text(lines(windows), encoding="utf-8")
    return path
