"""Time several entries in turns, so that a busy machine disturbs all of them alike.

Each round runs every entry once as a burst of calls; an entry's figure is the fastest and the
median burst, per call. Ratios are told within one run only.

    options = harness.options("what this measures")
    rows = harness.measure({"ours": ours, "numpy": twin}, smoke=options.smoke)
    print(harness.table(rows, twin="numpy"))
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

BURST_S = 200e-6


@dataclass(frozen=True, slots=True)
class Row:
    """One entry: seconds of a call in its fastest and in its median burst."""

    name: str
    fastest_s: float
    median_s: float


def options(description: str) -> argparse.Namespace:
    """The command line every benchmark shares: `--smoke` runs it once, as a test that it works."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--rounds", type=int, default=60, help="bursts of each entry")
    return parser.parse_args()


def measure(
    entries: Mapping[str, Callable[[], object]], *, rounds: int = 60, smoke: bool = False
) -> list[Row]:
    """Time each entry in `rounds` interleaved bursts of about 200 microseconds (at least a call).

    With `smoke` every entry is called twice and the figures mean nothing.
    """
    calls = {name: 1 if smoke else _calls_in_a_burst(run) for name, run in entries.items()}
    bursts: dict[str, list[float]] = {name: [] for name in entries}
    for _ in range(2 if smoke else rounds):
        for name, run in entries.items():
            bursts[name].append(_burst(run, calls[name]))
    return [Row(name, min(times), statistics.median(times)) for name, times in bursts.items()]


def table(rows: Sequence[Row], twin: str | None = None) -> str:
    """The rows as a Markdown table; with a twin, how many times faster than it each one is."""
    medians = {row.name: row.median_s for row in rows}
    lines = ["| what | fastest | median | twin / this |", "|---|---|---|---|"]
    for row in rows:
        ratio = f"{medians[twin] / row.median_s:.2f}" if twin else ""
        lines.append(
            f"| {row.name} | {duration(row.fastest_s)} | {duration(row.median_s)} | {ratio} |"
        )
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Three digits with the unit that fits: 12.3 us."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _burst(run: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def _calls_in_a_burst(run: Callable[[], object]) -> int:
    run()
    once_s = min(_burst(run, 1) for _ in range(3))
    return max(1, round(BURST_S / max(once_s, 1e-9)))
