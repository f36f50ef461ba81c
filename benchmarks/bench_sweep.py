"""A sweep on one worker and on two: seconds, processor time, and whether the tables are the same.

    python benchmarks/bench_sweep.py FOLDER [--settings 200]    # aiohttp, astropy, pip, pytest
    python benchmarks/bench_sweep.py --smoke                    # the sample alone

FOLDER holds recorded windows under those names, .jsonl.gz each. Cores that others use make seconds
mean little; the processor time of all workers together, and of the one that worked longest, do not
depend on them: `ideal` is what two cores of their own would need, as part of one worker's time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from prefrontal.assembly.sweeps.local_workers import LocalWorkers
from prefrontal.assembly.sweeps.sweep import carry_out, history_sweep

HISTORIES = ("aiohttp", "astropy", "pip", "pytest")
MOST = 1.1
"""Of half the time: what was asked of two workers."""


class TimedWorkers(LocalWorkers):
    """Notes how much processor time each worker took."""

    seconds: tuple[float, ...] = ()

    def close(self) -> None:
        TimedWorkers.seconds = tuple(_processor_s(each.pid) for each in self._idle)
        super().close()


def _processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print a line a number of workers, and the ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="recorded windows")
    parser.add_argument("--settings", type=int, default=200, help="on each history")
    parser.add_argument("--smoke", action="store_true", help="four settings on the sample")
    options = parser.parse_args()
    if options.folder is None and not options.smoke:
        sys.exit("folder must be given, or --smoke")
    folder = options.folder
    names = [f"{folder.absolute()}/{name}.jsonl.gz" for name in HISTORIES] if folder else ["sample"]
    count = 4 if options.smoke else options.settings
    with tempfile.TemporaryDirectory() as folder:
        print(measure(Path(folder), names, count))


def measure(folder: Path, names: list[str], count: int) -> str:
    """The lines to print; raises AssertionError where the rows differ."""
    recalls = [round(0.7 + 0.29 * place / max(1, count // 4), 4) for place in range(count // 4)]
    file = folder / "sweep.yml"
    file.write_text(
        f"histories: {names}\nrecalls: {recalls}\nlabels: [all]\nfeatures: [all, paths]\n"
        "seeds: [0, 1]\n"
    )
    plan = history_sweep(str(file))
    lines, rows, wall, most = [], [], [], []
    for jobs in (1, 2):
        before = time.perf_counter()
        outcome = carry_out(plan, folder / str(jobs), jobs, lambda *_: None, TimedWorkers)
        wall.append(time.perf_counter() - before)
        rows.append(outcome.rows)
        most.append(max(TimedWorkers.seconds))
        each = ", ".join(f"{seconds:.1f}" for seconds in TimedWorkers.seconds)
        lines.append(f"{jobs} workers: {plan.runs} runs, {wall[-1]:.1f} s; at work {each} s")
    assert rows[0] == rows[1], "rows must be the same on one worker and on two"
    ratio, ideal = wall[1] / wall[0], most[1] / most[0]
    lines.append(f"ratio {ratio:.3f}, ideal {ideal:.3f} (asked: at most {MOST / 2:.3f})")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
