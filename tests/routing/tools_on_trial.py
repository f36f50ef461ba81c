"""A tool of a small project, tried out by a runner that confines nothing."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prefrontal.routing.layout import Layout
from prefrontal.routing.trace import Trace
from prefrontal.routing.trials.validation import validate
from prefrontal.routing.types import ValidationReport
from prefrontal.settings.routing import Routing

from .plain_runner import PlainRunner
from .project import EAST, noon, write

GOOD = '''"""Sums numbers."""


def run(numbers: list[int], start: int = 0) -> dict[str, int]:
    """Add them up.

    Returns:
        total: the sum.
    """
    print('{"ok": true}')
    return {"total": sum(numbers, start)}
'''
BODY = '"""A tool."""\n\n\ndef run() -> int:\n    """One."""\n    return 1\n'


def tool_path(layout: Layout) -> Path:
    return layout.action("analysis", "sum") / "add_up.py"


def tried(
    layout: Layout, source: str | bytes | None, runner: PlainRunner | None = None, **options: Any
) -> ValidationReport:
    """The report on a tool of the project."""
    path = tool_path(layout)
    _lend_cache(layout)
    if source is not None:
        write(path, "").write_bytes(source.encode() if isinstance(source, str) else source)
    plain: dict[str, Any] = {
        "layout": layout,
        "route_id": "route-001",
        "runner": runner or PlainRunner(),
        "settings": Routing(),
        "trace": Trace(layout, noon(), "run-20251031-1200-abc", "route-001", EAST),
        "clock": noon(),
        "day": "2025-10-31",
        "generated": False,
    }
    return validate(path, **(plain | options))


def states(report: ValidationReport) -> list[str]:
    """The state of each step, without its time."""
    return [step.partition(": ")[2].partition(" (")[0].partition(":")[0] for step in report.steps]


@cache
def _mypy_cache() -> TemporaryDirectory[str]:
    """The standard library's types, read once for all tests."""
    return TemporaryDirectory()


def _lend_cache(layout: Layout) -> None:
    place = layout.tmp / ".mypy" / "cache"
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        place.symlink_to(_mypy_cache().name)
