"""From an event to the delivered question with everything on, and what a daemon costs at rest.

    python benchmarks/bench_delivery.py [--smoke]

A thousand modules, a thousand events a second, one in ten wakes and one in fifty of the others is
audited; durable log, budgets, a sink that writes lines. The twin is a bare loop of the standard
library: a queue, a rule of one line, a row of `sqlite3` with a commit of its own (as durable: WAL,
synchronous=FULL), the same sink. Times are from before `push` to after the sink; each event is
pushed at its own millisecond.
"""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import harness
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.sinks import LinesSink
from prefrontal.settings import PolicySettings
from prefrontal.types import SignalEvent

MODULES = 1000
RATE = 1000
SECONDS = 60.0
WAKES_ONE_IN = 10
PATIENCE_S = 60.0
IDLE_MODULES = 10
Push = Callable[[SignalEvent], object]
Load = Callable[[Push], None]


class Watcher:
    """When each event was pushed and when its question had been delivered, by its number."""

    def __init__(self, count: int, sink: LinesSink) -> None:
        self.pushed = array("d", bytes(8 * count))  # plain memory, there before it is measured
        self._number = array("q", bytes(8 * count))
        self._at = array("d", bytes(8 * count))
        self._count = 0
        self._lock = threading.Lock()
        self._sink = sink

    def __call__(self, decision: Decision) -> None:
        assert self._sink.deliver(decision).ok
        number = int(decision.window[-1].location.rpartition("/")[2].partition(".")[0])
        with self._lock:
            self._number[self._count], self._at[self._count] = number, time.perf_counter()
            self._count += 1

    def delivered(self) -> list[tuple[int, float]]:
        return list(zip(self._number[: self._count], self._at, strict=False))

    def latencies_ms(self) -> list[float]:
        return sorted((at - self.pushed[number]) * 1e3 for number, at in self.delivered())

    def middle_second_ms(self) -> float:
        """The p99 of each second, and of these the median: others disturb some seconds only."""
        seconds: dict[int, list[float]] = {}
        for number, at in self.delivered():
            seconds.setdefault(number // RATE, []).append((at - self.pushed[number]) * 1e3)
        return statistics.median(p99_of(sorted(each)) for each in seconds.values())

    def lost(self) -> int:
        """Events that must wake and were not delivered exactly once."""
        wakes = [number for number in range(len(self.pushed)) if number % WAKES_ONE_IN == 0]
        seen = [number for number, _ in self.delivered() if number % WAKES_ONE_IN == 0]
        return len(set(wakes) - set(seen)) + len(seen) - len(set(seen))


Run = Callable[[Path, Watcher, Load], None]


def main() -> None:
    options = harness.options(__doc__ or "")
    seconds = 2.0 if options.smoke else SECONDS
    print("| what | p50 | p99 | p99 of the middle second | longest | lost | grown | CPU |")
    print("|---|---|---|---|---|---|---|---|")
    row("bare loop with sqlite3 (twin)", twin, seconds)
    row("prefrontal", partial(ours, False), seconds)
    row("prefrontal, refusals kept too", partial(ours, True), seconds)
    print(idle(2.0 if options.smoke else SECONDS))


def row(name: str, run: Run, seconds: float) -> None:
    """Print one line of the table, measured in a process of its own: memory is that of the run."""
    process = get_context("fork").Process(target=_print_row, args=(name, run, seconds))
    process.start()
    process.join()
    assert process.exitcode == 0, f"{name} failed"


def _print_row(name: str, run: Run, seconds: float) -> None:
    print(measured(name, run, seconds), flush=True)


def measured(name: str, run: Run, seconds: float) -> str:
    count = int(RATE * seconds)
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "wakes.jsonl").open("w", encoding="utf-8") as stream,
    ):
        watcher = Watcher(count, LinesSink(stream))
        memory: list[float] = []

        def load(push: Push) -> None:
            start = time.perf_counter() + 0.05
            for number in range(count):
                if number == min(RATE, count // 2):
                    memory.append(resident_mib())
                event = made(number)
                while (left := start + number / RATE - time.perf_counter()) > 0:
                    time.sleep(left)
                watcher.pushed[number] = time.perf_counter()
                push(event)

        before = time.process_time()
        run(Path(folder), watcher, load)
        used = (time.process_time() - before) / seconds
        grown = resident_mib() - memory[0]
    times = watcher.latencies_ms()
    return (
        f"| {name} | {statistics.median(times):.2f} ms | {p99_of(times):.2f} ms |"
        f" {watcher.middle_second_ms():.2f} ms |"
        f" {times[-1]:.1f} ms | {watcher.lost()} of {count:,} | {grown:.1f} MiB | {used:.0%} |"
    )


def p99_of(times: list[float]) -> float:
    return times[int(len(times) * 0.99)]


def made(number: int) -> SignalEvent:
    kind = "pdf" if number % WAKES_ONE_IN == 0 else "txt"
    path = f"/nowhere/m{number * 7919 % MODULES}/{number}.{kind}"
    return SignalEvent("filesystem", path, "created", 1.0, time.time(), {"size_bytes": number})


def fingerprint(module_id: str, folder: str) -> dict[str, Any]:
    return {
        "module_id": module_id,
        "cluster": "bench",
        "version": "1",
        "question_template": "{location} was {delta_type}: of use?",
        "default_threshold": 0.6,
        "signal_priors": {
            "filesystem": {"watch_directories": [folder], "relevant_extensions": [".pdf"]}
        },
    }


def ours(log_refusals: bool, folder: Path, watcher: Watcher, load: Load) -> None:
    policy = PolicySettings(module_wakes_per_hour=1e6, wakes_per_hour=1e8, burst=10_000)
    with DecisionLog(folder / "decisions.sqlite") as log:
        registry = PulseRegistry(
            threshold=0.0, log=log, policy=policy, audit_share=0.02, log_refusals=log_refusals
        )
        for number in range(MODULES):
            registry.register_module(f"m{number}", fingerprint(f"m{number}", f"/nowhere/m{number}"))
        registry.on_wake(watcher)
        registry.start()
        load(lambda event: registry.push(event) or sys.exit("an event was refused"))
        assert registry.stop(PATIENCE_S)
        log.flush()
        assert log.unwritten == 0
        kept = sum(log.counts().values())
    assert kept == (len(watcher.pushed) if log_refusals else len(watcher.delivered()))


def wake(question: str, event: SignalEvent) -> Decision:
    """As the gate hands it out."""
    return Decision(
        "id", time.time(), "m", True, "woke", 0.9, 0.6, question, 1.0, (event,), WakePayload()
    )


def twin(folder: Path, watcher: Watcher, load: Load) -> None:
    """What one would write without us."""
    events: queue.Queue[SignalEvent | None] = queue.Queue()

    def loop() -> None:
        log = sqlite3.connect(folder / "log.sqlite", isolation_level=None)
        log.execute("PRAGMA journal_mode = wal")
        log.execute("PRAGMA synchronous = full")
        log.execute("CREATE TABLE wakes (time REAL, module TEXT, question TEXT)")
        while (event := events.get()) is not None:
            if not event.location.endswith(".pdf"):
                continue
            question = f"{event.location} was {event.delta_type}: of use?"
            log.execute("INSERT INTO wakes VALUES (?, ?, ?)", (time.time(), "m", question))
            watcher(wake(question, event))
        log.close()

    thread = threading.Thread(target=loop)
    thread.start()
    load(events.put)
    events.put(None)
    thread.join()


def idle(seconds: float) -> str:
    """`prefrontal watch` with ten modules, when nothing happens."""
    with tempfile.TemporaryDirectory() as name, watching(Path(name)) as process:
        time.sleep(min(2.0, seconds))  # what a start does is over
        before, woken = cpu_s(process.pid), wake_ups(process.pid)
        time.sleep(seconds)
        used, woke = cpu_s(process.pid) - before, wake_ups(process.pid) - woken
        memory = resident_mib(process.pid)
        threads = len(list(Path(f"/proc/{process.pid}/task").iterdir()))
    return (
        f"\nat rest, {IDLE_MODULES} modules: {used / seconds:.2%} of a core,"
        f" {woke / seconds:.1f} wake-ups a second of {threads} threads, {memory:.0f} MiB resident"
    )


@contextmanager
def watching(folder: Path) -> Iterator[subprocess.Popen[str]]:
    modules = [f"m{number}" for number in range(IDLE_MODULES)]
    for module in modules:
        (folder / module).mkdir()
    settings = {
        "modules": [fingerprint(each, str(folder / each)) for each in modules],
        "state": str(folder / "state"),
        "sinks": [{"lines": str(folder / "wakes.jsonl")}],
    }
    config = folder / "prefrontal.yml"
    config.write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML, too
    words = [sys.executable, "-m", "prefrontal", "watch", "--config", str(config)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(words, env=paths, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("Decisions are kept"):
                break
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def resident_mib(pid: int | str = "self") -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wake_ups(pid: int) -> int:
    """How often the threads of a process went to sleep by themselves, so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text(encoding="ascii").splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


if __name__ == "__main__":
    main()
