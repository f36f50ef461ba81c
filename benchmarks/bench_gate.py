"""CPU time of one `prefrontal gate`, all of its processes: nothing new, and one line that matters.

    python benchmarks/bench_gate.py [--smoke]

The twin is what a script of one's own would cost at the least: an interpreter that reads one row of
a SQLite file. All commands run in turns; each answer is checked.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import harness

LIMIT_MS = 150.0
FILES = (100, 10_000)
FIRST, NOTHING_NEW, NEWS = 1, 1, 0


class GateCalls:
    """A folder with settings, from which the gate is called."""

    def __init__(self, folder: Path, files: int, *, has_repository: bool) -> None:
        self.folder = folder
        self.name = f"a log{' and a repository' if has_repository else ''}"
        sources = "logs: [app.log]"
        (folder / "app.log").touch()
        if has_repository:
            subprocess.run(["git", "init", "-q", str(folder / "repository")], check=True)
            sources += ", git: [repository]"
        if files:
            self.name += f" and a folder of {files:,} files"
            sources += ", directories: [inbox]"
            for number in range(files):
                path = folder / "inbox" / f"{number % 100:02}" / f"{number}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
        (folder / "prefrontal.yml").write_text(f"sources: {{{sources}}}\nstate: state\n")

    def call(self, expected: int) -> float:
        """CPU milliseconds of a call, which must answer so."""
        return cpu_ms([sys.executable, "-m", "prefrontal", "gate"], self.folder, expected)

    def call_with_news(self) -> float:
        """The same after a line was added."""
        with (self.folder / "app.log").open("a") as file:
            file.write("ERROR the database is gone\n")
        return self.call(NEWS)


def cpu_ms(command: list[str], folder: Path, expected: int = 0) -> float:
    """CPU milliseconds of the command and of what it starts; raises when it ends otherwise."""
    names = {k: v for k, v in os.environ.items() if not k.startswith("PREFRONTAL_")}
    environment = names | {"XDG_CACHE_HOME": str(folder / "cache")}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == expected, f"{command}: {process.returncode}, not {expected}"
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main() -> None:
    options = harness.options(__doc__ or "")
    rounds = 2 if options.smoke else min(options.rounds, 30)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        row = root / "row.sqlite"
        with sqlite3.connect(row) as database:
            database.execute("CREATE TABLE seen (line INTEGER)")
            database.execute("INSERT INTO seen VALUES (1)")
        reads = f"sqlite3.connect({str(row)!r}).execute('SELECT * FROM seen').fetchall()"
        twin = "an interpreter that reads a row of SQLite (twin)"
        entries: dict[str, Callable[[], float]] = {
            "an interpreter that does nothing": lambda: cpu_ms([sys.executable, "-c", ""], root),
            twin: lambda: cpu_ms([sys.executable, "-c", f"import sqlite3; {reads}"], root),
        }
        for files, has_repository in ((0, False), (0, True), *((n, True) for n in FILES)):
            folder = make(root / f"{files}-{has_repository}")
            count = min(files, 200) if options.smoke else files
            gate = GateCalls(folder, count, has_repository=has_repository)
            gate.call(FIRST)
            entries[f"nothing new in {gate.name}"] = partial(gate.call, NOTHING_NEW)
        news = GateCalls(make(root / "news"), 0, has_repository=False)
        news.call(FIRST)
        entries["one line that wakes"] = news.call_with_news
        beside = GateCalls(make(root / "beside"), 0, has_repository=False)
        beside.call(FIRST)
        with watching(beside.folder):
            beside.call(NOTHING_NEW)
            entries["nothing new beside a running watch"] = partial(beside.call, NOTHING_NEW)
            report(entries, rounds, twin)


@contextmanager
def watching(folder: Path) -> Iterator[None]:
    """A watch runs with the settings of the folder."""
    command = [sys.executable, "-m", "prefrontal", "watch", "--config", "prefrontal.yml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as process:  # fmt: skip
        assert process.stderr is not None
        while "Ctrl-C stops" not in process.stderr.readline():
            assert process.poll() is None
        try:
            yield
        finally:
            process.terminate()


def make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def report(entries: dict[str, Callable[[], float]], rounds: int, twin: str) -> None:
    figures: dict[str, list[float]] = {name: [] for name in entries}
    for _ in range(rounds):
        for name, run in entries.items():
            figures[name].append(run())
    medians = {name: statistics.median(each) for name, each in figures.items()}
    print(f"| CPU time, {rounds} calls each | fastest | median | this / twin |\n|---|---|---|---|")
    for name, each in figures.items():
        ratio = medians[name] / medians[twin]
        print(f"| {name} | {min(each):.0f} ms | {medians[name]:.0f} ms | {ratio:.1f} |")
    worst = max(ms for name, ms in medians.items() if name.startswith("nothing new"))
    print(f"nothing new: at most {worst:.0f} ms of {LIMIT_MS:.0f} ms")


if __name__ == "__main__":
    main()
