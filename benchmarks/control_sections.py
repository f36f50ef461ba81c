"""What bench_control.py times: sections of entries that compute the same thing in several ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import harness
from prefrontal.control.ops import compiled


@dataclass(frozen=True, slots=True)
class Section:
    """Entries by name, one of them the twin, with the seconds that some of them may take at most.

    Whoever makes a section has compared the entries' results with the twin's before.
    """

    title: str
    entries: Mapping[str, Callable[[], object]]
    twin: str
    targets_s: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError for a twin or target that names no entry."""
        for name in (self.twin, *self.targets_s):
            if name not in self.entries:
                raise ValueError(f"{self.title}: {name!r} must name an entry")


def measured(section: Section, *, rounds: int, smoke: bool) -> str:
    """The section as a Markdown table: what, median, target, whether met, twin / this."""
    rows = harness.measure(section.entries, rounds=rounds, smoke=smoke)
    twin = next(row.median_s for row in rows if row.name == section.twin)
    lines = [
        f"**{section.title}**\n",
        "| what | fastest | median | target | met | twin / this |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        target = section.targets_s.get(row.name)
        asked = "" if target is None else harness.duration(target)
        met = "" if target is None else "yes" if row.median_s <= target else "no"
        figures = f"{harness.duration(row.fastest_s)} | {harness.duration(row.median_s)}"
        lines.append(f"| {row.name} | {figures} | {asked} | {met} | {twin / row.median_s:.2f} |")
    return "\n".join(lines)


@contextmanager
def plain_forms() -> Iterator[None]:
    """The operators' plain forms, as where prefrontal._torch was not built."""
    before = compiled.available
    compiled.available = lambda: False
    try:
        yield
    finally:
        compiled.available = before
