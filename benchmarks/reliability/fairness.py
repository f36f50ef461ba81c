"""A source that floods beside one that says something each second: when is the quiet one heard?

    python benchmarks/reliability/fairness.py [--smoke] [--seconds 30] [--rate 100000]

Each flood comes in its own way (pushed in process, a followed log file, posted), sleeps or wakes,
beside a quiet source that is pushed, posted or written to a log file of its own. Settings are the
default ones, threads take turns as in `prefrontal watch`, and the two sources have a module each.
Told of: what the flood offered and how much of it was decided, the delay of the quiet source's
wakes from before the push to the handler, its signals that were refused, and how long stopping
takes. Ends with 1 where the quiet source waits longer than its limit, loses a signal, or stopping
takes too long.
"""

from __future__ import annotations

import argparse
import encodings.idna  # noqa: F401 - of the client: no delay of the gate
import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from prefrontal.cli.watch.session import SWITCH_S
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources.log_file import LogFileSource
from prefrontal.pulse.sources.posts.http_events import HttpDoor, HttpEventsSource
from prefrontal.settings.gate import GateSettings
from prefrontal.types import SignalEvent

P99_MS = 100.0
STOP_S = 5.0
WAYS = ("push", "log", "posts")
TICK_S = 0.01
EVENTS_A_POST = 1000
WRITER = """
import sys, time
path, rate, tick = sys.argv[1], float(sys.argv[2]), 0.01
number, due = 0, time.monotonic()
with open(path, "a", buffering=1 << 20) as file:
    while True:
        file.writelines(f"flood {n} of a service that cannot stop talking\\n"
                        for n in range(number, number + int(rate * tick)))
        file.flush()
        number += int(rate * tick)
        due += tick
        time.sleep(max(0.0, due - time.monotonic()))
"""
POSTER = """
import http.client, json, sys, time
port, rate, size = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
number, due = 0, time.monotonic()
while True:
    events = [{"source": "flood", "location": f"flood/{n}", "delta_type": "created"}
              for n in range(number, number + size)]
    try:
        door = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        door.request("POST", "/events", json.dumps(events), {"Content-Type": "application/json"})
        door.getresponse().read()
        door.close()
    except OSError:
        pass
    number += size
    due += size / rate
    time.sleep(max(0.0, due - time.monotonic()))
"""


@dataclass(slots=True)
class Outcome:
    """What one flood did. offered: events of it; None where another process counts."""

    offered: int | None = None
    decided: int = 0
    refused: int = 0
    sent: int = 0
    delays_ms: list[float] = field(default_factory=list)
    stop_s: float = 0.0

    def p99_ms(self) -> float:
        ordered = sorted(self.delays_ms)
        return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))] if ordered else float("inf")

    def broken(self, p99_ms: float = P99_MS) -> list[str]:
        """Promises that do not hold."""
        wrong = []
        if self.p99_ms() > p99_ms:
            wrong.append(f"p99 must be at most {p99_ms:g} ms, got {self.p99_ms():.1f}")
        if self.refused:
            wrong.append(f"quiet signals refused must be 0, got {self.refused}")
        if len(self.delays_ms) != self.sent:
            wrong.append(f"quiet wakes must be {self.sent}, got {len(self.delays_ms)}")
        if self.stop_s > STOP_S:
            wrong.append(f"stop must end within {STOP_S:g} s, got {self.stop_s:.1f}")
        return wrong


def module(name: str, threshold: float, prior: dict[str, Any]) -> ModuleFingerprint:
    return parse_fingerprint(
        {
            "module_id": name,
            "cluster": "test",
            "version": "1",
            "question_template": "{location} says something",
            "default_threshold": threshold,
            "signal_priors": prior,
        }
    )


class Floods:
    """One watch, a flood and a quiet source."""

    def __init__(self, folder: Path, flood: str, quiet: str, *, wakes: bool) -> None:
        self.flood, self.quiet = flood, quiet
        self.outcome = Outcome()
        self.flood_log, self.quiet_log = folder / "flood.log", folder / "quiet.log"
        self.flood_log.touch()
        self.quiet_log.touch()
        self.log = DecisionLog(folder / "decisions.sqlite")
        self.http = HttpEventsSource(HttpDoor(port=0))
        followed = [LogFileSource(each, 0.02) for each in (self.flood_log, self.quiet_log)]
        self.watch = Watch(GateSettings(), self.log, sources=[self.http, *followed])
        self.watch.add(module("flood", 0.0 if wakes else 0.999, self._prior("flood", flood)))
        self.watch.add(module("quiet", 0.0, self._prior("quiet", quiet)))
        self.watch.on_wake(self._hear)
        self._pushed: dict[str, float] = {}
        self._lock = Lock()
        self._end = Event()

    def _prior(self, name: str, way: str) -> dict[str, Any]:
        if way == "log":
            return {"logs": {"files": [f"{name}.log"]}}
        return {"http": {"sources": [name]}}

    def run(self, seconds: float, rate: float, interval_s: float) -> Outcome:
        self.watch.start()
        flood = self._begin_flood(rate)
        try:
            for number in range(int(seconds / interval_s)):
                time.sleep(interval_s)
                self._say(f"quiet {number}")
            time.sleep(min(1.0, 20 * interval_s))
        finally:
            before = time.monotonic()
            stopped = self.watch.stop(2 * STOP_S)
            self.outcome.stop_s = time.monotonic() - before if stopped else float("inf")
            self._end.set()
            flood()
            self.log.close()
        self.outcome.decided = self.watch.status()["events"]
        return self.outcome

    def _begin_flood(self, rate: float) -> Callable[[], object]:
        if self.flood == "push":
            thread = Thread(target=self._push_flood, args=(rate,), daemon=True)
            thread.start()
            return lambda: thread.join(10.0)
        program = [WRITER, str(self.flood_log), str(rate)]
        if self.flood == "posts":
            program = [POSTER, str(self.http.port), str(rate), str(EVENTS_A_POST)]
        child = subprocess.Popen([sys.executable, "-c", *program])

        def end() -> None:
            child.kill()
            child.wait(10.0)

        return end

    def _push_flood(self, rate: float) -> None:
        """Offers what it can of the rate: the interpreter's lock is shared with the gate."""
        due = time.monotonic()
        size = int(rate * TICK_S)
        numbers = count()
        while not self._end.is_set():
            for number in (next(numbers) for _ in range(size)):
                event = SignalEvent("flood", f"flood/{number}", "created", 1.0, time.time())
                self.watch.push(event)
            self.outcome.offered = number
            due += TICK_S
            time.sleep(max(0.0, due - time.monotonic()))

    def _say(self, name: str) -> None:
        self.outcome.sent += 1
        with self._lock:
            self._pushed[name] = time.perf_counter()
        if self.quiet == "push":
            event = SignalEvent("quiet", name, "created", 1.0, time.time())
            self.outcome.refused += not self.watch.push(event)
        elif self.quiet == "log":
            with self.quiet_log.open("a") as file:
                file.write(f"{name}\n")
        else:
            Thread(target=self._post, args=(name,)).start()

    def _post(self, name: str) -> None:
        event = {"source": "quiet", "location": name, "delta_type": "created"}
        door = http.client.HTTPConnection("127.0.0.1", self.http.port, timeout=10)
        headers = {"Content-Type": "application/json"}
        try:
            door.request("POST", "/events", json.dumps(event), headers)
            taken = door.getresponse().status == 202
        except OSError:
            taken = False
        door.close()
        with self._lock:
            self.outcome.refused += not taken

    def _hear(self, decision: Decision) -> None:
        if decision.subject != "quiet":
            return
        now = time.perf_counter()
        for event in decision.window:
            name = str(event.features.get("text", event.location))
            with self._lock:
                if (pushed := self._pushed.pop(name, None)) is not None:
                    self.outcome.delays_ms.append((now - pushed) * 1e3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="half a second each")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=100_000.0, help="signals a second")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between quiet signals")
    parser.add_argument("--flood", choices=WAYS, action="append")
    parser.add_argument("--quiet", choices=WAYS, action="append")
    options = parser.parse_args()
    sys.setswitchinterval(SWITCH_S)
    seconds, interval = (0.5, 0.05) if options.smoke else (options.seconds, options.interval)
    wrong = []
    print("| flood | quiet | decided/s | p50 ms | p99 ms | quiet refused | stop s |")
    print("|---|---|---|---|---|---|---|")
    for flood in options.flood or WAYS:
        for quiet in options.quiet or WAYS:
            for wakes in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    floods = Floods(Path(folder), flood, quiet, wakes=wakes)
                    outcome = floods.run(seconds, options.rate, interval)
                name = f"{flood} that {'wakes' if wakes else 'sleeps'}"
                delays = sorted(outcome.delays_ms) or [float("inf")]
                print(
                    f"| {name} | {quiet} | {outcome.decided / seconds:,.0f} "
                    f"| {delays[len(delays) // 2]:.1f} | {outcome.p99_ms():.1f} "
                    f"| {outcome.refused} | {outcome.stop_s:.1f} |",
                    flush=True,
                )
                wrong += [f"{name}, {quiet}: {each}" for each in outcome.broken()]
    print("\n".join(wrong) if not options.smoke else "")
    return 1 if wrong and not options.smoke else 0


if __name__ == "__main__":
    sys.exit(main())
