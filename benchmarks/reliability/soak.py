"""A watch that runs on: does its memory grow, do descriptors leak, how often does it wake up idle?

    python benchmarks/reliability/soak.py [--smoke] [--seconds 1800] [--rate 1000]

A followed log file gets lines at the rate, is rotated each ten seconds, a module is exchanged each
thirty, and the wall clock of the gate jumps an hour forth or back each twenty. One line in a
hundred wakes. Told of: lines written and decided, gaps that were told, the slope of resident memory
over the second half, open descriptors, and voluntary context switches a second of the idle watch
at the end. Ends with 1 where a line is lost or memory, descriptors or wake-ups pass their limits.
--planted keeps every event and leaves files open, which must be found.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fairness import module
from prefrontal.clock import SystemClock
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources.clock import ClockSource
from prefrontal.pulse.sources.log_file import LogFileSource
from prefrontal.settings.gate import GateSettings

SLOPE_MB, IDLE_WAKE_UPS, MORE_DESCRIPTORS = 1.0, 10.0, 2
TICK_S, ROTATE_S, JUMP_S, EXCHANGE_S, IDLE_S, PATIENCE_S = 0.05, 10.0, 20.0, 30.0, 10.0, 60.0


class JumpingClock(SystemClock):
    """The machine's clock, set an hour forth and back."""

    ahead_s = 0.0

    def now(self) -> float:
        return super().now() + self.ahead_s


def slope(moments: Sequence[float], values: Sequence[float]) -> float:
    """Of the line through the points, by least squares; 0 for fewer than two moments."""
    middle = sum(moments) / max(1, len(moments))
    spread = sum((each - middle) ** 2 for each in moments)
    rise = sum((at - middle) * value for at, value in zip(moments, values, strict=True))
    return rise / spread if spread else 0.0


def lines_decided(status: dict[str, Any]) -> int:
    """Of a watch; the ticks of its own clock are events, too, one a minute."""
    clocks = [each for each in status["sources"] if each["kind"] == ClockSource.__name__]
    return int(status["events"]) - sum(int(each["events"]) for each in clocks)


@dataclass(slots=True)
class Soaked:
    """What was seen. memory: (second, MB); descriptors: each second."""

    written: int = 0
    decided: int = 0
    gaps: int = 0
    memory: list[tuple[float, float]] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    idle_wake_ups: float = 0.0

    def slope_mb(self) -> float:
        """MB an hour over the second half."""
        late = self.memory[len(self.memory) // 2 :]
        return 3600.0 * slope([at for at, _ in late], [size for _, size in late])

    def more_descriptors(self) -> int:
        """How many more there are in the last quarter than in the second, at most."""
        quarter = max(1, len(self.descriptors) // 4)
        return max(self.descriptors[-quarter:]) - max(self.descriptors[quarter : 2 * quarter])

    def broken(self) -> list[str]:
        wrong = []
        if self.decided != self.written:
            wrong.append(f"lines decided must be {self.written:,}, got {self.decided:,}")
        if self.slope_mb() > SLOPE_MB:
            wrong.append(f"memory must grow below {SLOPE_MB:g} MB/h, got {self.slope_mb():.1f}")
        if self.more_descriptors() > MORE_DESCRIPTORS:
            wrong.append(f"descriptors must stay, got {self.more_descriptors()} more")
        if self.idle_wake_ups > IDLE_WAKE_UPS:
            wrong.append(
                f"wake-ups must be at most {IDLE_WAKE_UPS:g}/s, got {self.idle_wake_ups:.1f}"
            )
        return wrong


class Soak:
    """One watch over one file."""

    def __init__(self, folder: Path, *, planted: bool) -> None:
        self.seen = Soaked()
        self._leaks: list[object] | None = [] if planted else None
        self._path = folder / "service.log"
        self._file: IO[str] = self._path.open("a")
        self._clock = JumpingClock()
        self._log = DecisionLog(folder / "decisions.sqlite")
        source = LogFileSource(self._path)
        self._watch = Watch(GateSettings(), self._log, sources=[source], clock=self._clock)
        self._watch.add(self._module(0))
        self._watch.on_wake(self._hear)
        self._due = dict.fromkeys((ROTATE_S, JUMP_S, EXCHANGE_S), 0.0)

    def _module(self, number: int) -> Any:
        return module("service", 0.99, {"logs": {"files": ["service.log", f"{number}.log"]}})

    def run(self, seconds: float, rate: float) -> Soaked:
        self._watch.start()
        begin = due = time.monotonic()
        try:
            while (elapsed := time.monotonic() - begin) < seconds:
                self._write(int(rate * TICK_S))
                self._disturb(elapsed)
                if elapsed >= len(self.seen.descriptors):
                    self._look(elapsed)
                due += TICK_S
                time.sleep(max(0.0, due - time.monotonic()))
            self._settle()
            self.seen.gaps = self._watch.status()["gaps"]
        finally:
            self._watch.stop(PATIENCE_S)
            self._file.close()
            self._log.close()
        return self.seen

    def _write(self, lines: int) -> None:
        first = self.seen.written
        self._file.writelines(f"line {n} of a service\n" for n in range(first, first + lines))
        self._file.flush()
        self.seen.written += lines

    def _disturb(self, elapsed: float) -> None:
        for every, act in (
            (ROTATE_S, self._rotate),
            (JUMP_S, self._jump),
            (EXCHANGE_S, self._swap),
        ):
            if elapsed - self._due[every] >= every:
                self._due[every] = elapsed
                act()

    def _rotate(self) -> None:
        if self._leaks is None:
            self._file.close()
        else:
            self._leaks.append(self._file)
        self._path.replace(self._path.with_suffix(".log.1"))
        self._file = self._path.open("a")

    def _jump(self) -> None:
        self._clock.ahead_s = 0.0 if self._clock.ahead_s else 3600.0

    def _swap(self) -> None:
        self._watch.remove("service")
        self._watch.add(self._module(int(self._due[EXCHANGE_S])))

    def _hear(self, decision: Decision) -> None:
        if self._leaks is not None:
            self._leaks.append(bytearray(10_000))

    def _look(self, elapsed: float) -> None:
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        self.seen.memory.append((elapsed, resident / 1e6))
        self.seen.descriptors.append(len(list(Path("/proc/self/fd").iterdir())))

    def _settle(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while self._decided() < self.seen.written and time.monotonic() < end:
            time.sleep(0.2)
        self.seen.decided = self._decided()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        time.sleep(IDLE_S)
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before
        self.seen.idle_wake_ups = switches / IDLE_S

    def _decided(self) -> int:
        return lines_decided(self._watch.status())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="twelve seconds, without the limits")
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--rate", type=float, default=1000.0, help="lines a second")
    parser.add_argument("--planted", action="store_true", help="a watch that leaks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), planted=options.planted)
        seen = soak.run(12.0 if options.smoke else options.seconds, options.rate)
    print("| lines | decided | gaps | MB at the end | MB/h | more descriptors | idle wake-ups/s |")
    print("|---|---|---|---|---|---|---|")
    print(
        f"| {seen.written:,} | {seen.decided:,} | {seen.gaps} | {seen.memory[-1][1]:.1f} "
        f"| {seen.slope_mb():.2f} | {seen.more_descriptors()} | {seen.idle_wake_ups:.1f} |"
    )
    wrong = [] if options.smoke else seen.broken()
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
