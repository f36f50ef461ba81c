"""A small project to route in, and its clock: noon of 31 October 2025, four hours east."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from prefrontal.routing.layout import Layout
from prefrontal.testing import ManualClock

EAST = timezone(timedelta(hours=4))
NOON = datetime(2025, 10, 31, 12, tzinfo=EAST).timestamp()


def layout_of(folder: Path) -> Layout:
    """The layout of a project in `folder`, its workflows made."""
    (folder / "workflows").mkdir(exist_ok=True)
    return Layout.of(folder / "workflows")


def noon() -> ManualClock:
    return ManualClock(NOON)


def a_byte(length: int) -> bytes:
    """Randomness that is always the same."""
    return bytes(length)


def write(path: Path, text: str) -> Path:
    """The file with that text, its folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
