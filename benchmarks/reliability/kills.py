"""kill -9 at random points of each writer: what was said to be kept is there, once and whole.

    python benchmarks/reliability/kills.py --kills 10000
    python benchmarks/reliability/kills.py --writer ledger --planted

A writer is killed before a random act on a file, in the middle of a write, or after a random time;
each next start begins on what the one before left. Most kills hit a copy of a process that has
imported what its writer needs, some a start of the command itself, its imports included; how many
is printed. Runs with different seeds may go on beside each other.
Exit code 1 when something was lost, doubled, torn or left over.
"""

from __future__ import annotations

import random
import shutil
import signal
import sys
import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import preload
from choice import chosen_writers, read_options
from commands import CommandWriter
from preload import CHANGES, Act, Control, Mode
from trials import DONE, Place
from turns import take_turns
from writers import Writer

IN_A_ROW = 10
"""Kills before what is there is looked at; the next start then begins anew."""
REAL = 0.45
"""The share of rounds of a command in which the start that is to be killed is real: a third of all
kills, with the writers that are no commands and the starts that come to another end."""
START_S = 0.8
BY_TIME, TORN = 0.3, 0.3
"""Shares of the kills at a random time, and in the middle of a write."""


def main() -> int:
    """Kill the writers in turns; 1 when a promise was broken."""
    options = read_options(
        __doc__ or "", "kills", 10_000, "of all writers together", "says so too soon"
    )
    if not preload.is_preloaded():
        preload.start_preloaded()
    scratch, chance = preload.scratch(), random.Random(options.seed)
    began = time.monotonic()
    try:
        killings = [Killing(each, scratch / each.name, chance) for each in chosen_writers(options)]
        take_turns(killings, options.kills, IN_A_ROW)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    starts = sum(each.real for each in killings)
    print(
        f"{sum(each.tried for each in killings)} kills, {starts} of them real starts, in"
        f" {time.monotonic() - began:.0f} s: {sum(each.said for each in killings)} things were"
        f" said to be kept, {sum(each.broken for each in killings)} promises broken"
    )
    return 1 if any(each.broken for each in killings) else 0


class Killing:
    """One writer, killed again and again."""

    def __init__(self, writer: Writer, scratch: Path, chance: random.Random) -> None:
        scratch.mkdir()
        self._chance = chance
        self._writer = writer
        self._place = Place(scratch, writer)
        self._template = scratch / "template"
        shutil.copytree(self._place.folder, self._template)
        self._control = Control(self._place.root, self._place.voice, scratch / "trace")
        self.broken = self.said = self.real = 0
        self.kinds = Counter[str]()
        self._diary = scratch / "starts"
        self._is_real = False
        if isinstance(writer, CommandWriter):
            writer.diary = self._diary
        self._acts, self._seconds = self._measured(CHANGES)
        self._writes, _ = self._measured((Act.WRITE,))

    @property
    def tried(self) -> int:
        """How often it was killed."""
        return self.kinds.total()

    def go_on(self, number: int) -> None:
        """Begin anew, kill it so often, and look at what is there."""
        self._place.begin(self._template)
        self._control.choose(self._place.root, self._place.voice)
        if isinstance(self._writer, CommandWriter):
            self._is_real = self._chance.random() < REAL
        enough = self.tried + number
        while self.tried < enough and self._kill():
            pass
        said = self._place.said()
        self.said += len(said)
        checked = self._place.check(said)
        if checked.code != DONE:
            self._tell(checked.text)

    def sentence(self) -> str:
        """What was done and found."""
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.kinds.items()))
        return (
            f"{self._place.writer.name}: {self.tried} kills ({kinds}; {self.real} real starts),"
            f" {self.said} things said, {self.broken} promises broken"
        )

    def _kill(self) -> bool:
        """Whether it can go on: a start that was not killed ends well."""
        kind, after_s = self._moment()
        self._diary.unlink(missing_ok=True)
        outcome = self._place.work(after_s=after_s)
        self._control.off()
        if outcome.code == -signal.SIGKILL:
            self.kinds[kind] += 1
            self.real += self._was_real()
            return True
        if outcome.code != DONE:
            self._tell(f"a start after a kill ended with {outcome.code}: {outcome.text}")
        return outcome.code == DONE

    def _moment(self) -> tuple[str, float | None]:
        kind = self._chance.random()
        if kind < BY_TIME:
            self._control.off()
            number = self._chance.randrange(len(self._seconds.begins))
            begin_s, end_s = self._seconds.of(number)
            self._choose_real(number)
            return "at a time", self._chance.uniform(begin_s, end_s + self._is_real * START_S)
        if kind < BY_TIME + TORN and self._writes.end:
            act = self._chance.randint(1, int(self._writes.end))
            self._choose_real(self._writes.start_of(act))
            self._control.set(Mode.KILL, act, error=1, acts=(Act.WRITE,))
            return "in a write", None
        act = self._chance.randint(1, int(self._acts.end))
        self._choose_real(self._acts.start_of(act))
        self._control.set(Mode.KILL, act)
        return "before an act", None

    def _choose_real(self, number: int) -> None:
        """The start that is likely to be killed is the real one, where one is."""
        if isinstance(self._writer, CommandWriter):
            self._writer.real = number if self._is_real else None

    def _was_real(self) -> bool:
        """Whether the start that was killed, the last that began, was real."""
        lines = self._diary_lines()
        return bool(lines) and lines[-1][0] == 1

    def _measured(self, acts: tuple[Act, ...]) -> tuple[Span, Span]:
        """Acts on files, and seconds, of the starts of a work that nobody kills."""
        self._control.set(Mode.COUNT, acts=acts)
        self._diary.unlink(missing_ok=True)
        began = time.monotonic()
        outcome = self._place.work()
        self._control.off()
        ended_s = time.monotonic() - began
        assert outcome.code == DONE, f"{self._place.writer.name}: {outcome.text}"
        lines = self._diary_lines() or [(0.0, 0.0, began)]
        return (
            Span(tuple(before for _, before, _ in lines), float(self._control.count)),
            Span(tuple(at - began for _, _, at in lines), ended_s),
        )

    def _diary_lines(self) -> list[tuple[float, ...]]:
        if not self._diary.exists():
            return []
        lines = self._diary.read_text(encoding="ascii").splitlines()
        return [tuple(map(float, line.split())) for line in lines]

    def _tell(self, text: str) -> None:
        self.broken += 1
        print(f"{self._place.writer.name}: {text[-2000:].strip()}", flush=True)


@dataclass(frozen=True, slots=True)
class Span:
    """Where on a scale, of acts or of seconds, each start of a work begins, and the last ends."""

    begins: tuple[float, ...]
    end: float

    def of(self, number: int) -> tuple[float, float]:
        """Begin and end of that start."""
        return self.begins[number], (*self.begins, self.end)[number + 1]

    def start_of(self, act: int) -> int:
        """The number of the start that does this act; acts count from 1."""
        return max(0, bisect_left(self.begins, act) - 1)


if __name__ == "__main__":
    sys.exit(main())
