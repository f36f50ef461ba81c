"""CPU time until a command answers, each in a fresh interpreter, beside one that does nothing.

    python benchmarks/bench_start.py [--smoke]

All are run in turns; each must end with 0. The limits are those of the specifications.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
from prefrontal.cortex.models import Belief, ReflectionRecord
from prefrontal.cortex.state import BELIEFS_KEY, HISTORY_KEY, dump_beliefs, dump_history
from prefrontal.storage.memory_files import MemoryFiles

NOTHING = "an interpreter"
ENTRIES: dict[str, tuple[tuple[str, ...], float | None]] = {
    NOTHING: (("-c", ""), None),
    "import prefrontal": (("-c", "import prefrontal"), 100.0),
    "prefrontal --help": (("-m", "prefrontal", "--help"), 200.0),
    "prefrontal cortex beliefs": (("-m", "prefrontal", "cortex", "beliefs"), 300.0),
}
"""Words and limit, ms of CPU; that of an import is over the bare interpreter."""


def keep_beliefs(folder: Path) -> None:
    """A workspace with a full set of beliefs and history."""
    (folder / "prefrontal.yml").write_text("workspace: kept\n")
    files = MemoryFiles(folder / "kept" / "memory" / "files")
    files.store(
        BELIEFS_KEY,
        dump_beliefs([Belief(f"belief-{n}", "held " * 40, "why", 50) for n in range(20)]),
    )
    files.store(
        HISTORY_KEY,
        dump_history(
            [
                ReflectionRecord(n, 1.7e9 + n, "timer", ["a"], ["b"], "summary " * 30, 3.0)
                for n in range(50)
            ]
        ),
    )


def cpu_ms(words: tuple[str, ...], folder: Path) -> float:
    """CPU milliseconds of an interpreter with these words."""
    environment = os.environ | {"HOME": str(folder)}
    process = subprocess.Popen([sys.executable, *words], cwd=folder, env=environment,
                               stdout=subprocess.DEVNULL)  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{words}: {process.returncode}"
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main() -> None:
    options = harness.options("CPU time until a command answers")
    taken: dict[str, list[float]] = {name: [] for name in ENTRIES}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        keep_beliefs(folder)
        for _ in range(1 if options.smoke else 15):
            for name, (words, _) in ENTRIES.items():
                taken[name].append(cpu_ms(words, folder))
    bare = statistics.median(taken[NOTHING])
    print("| what | CPU ms, fastest | median | times a bare interpreter | limit |")
    print("|---|---|---|---|---|")
    for name, (_, limit) in ENTRIES.items():
        median = statistics.median(taken[name])
        shown = "" if limit is None else f"{limit:.0f}"
        print(f"| {name} | {min(taken[name]):.0f} | {median:.0f} | {median / bare:.1f} | {shown} |")


if __name__ == "__main__":
    main()
