"""Power losses at random points of each writer: what was said to be kept is there, once and whole.

    python benchmarks/reliability/power.py --losses 5000
    python benchmarks/reliability/power.py --writer ledger --planted

Each act of a writer on its files is written down, below Python and below SQLite; then the power is
lost after any of them: what was not synced is there, is not, is torn at 512 or 4096 bytes, or is
there before what was written earlier. What was said is looked for after each loss, and after one in
five the writer has to work again. Exit code 1 when something was lost, doubled or torn.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from pathlib import Path

import preload
from choice import chosen_writers, read_options
from lost_power import Disk
from preload import Act, Control, Mode, TraceRecord, read_trace
from trials import DONE, Place
from turns import take_turns
from writers import Writer

LOSSES_OF_A_TRACE = 50
WORKS_AGAIN = 0.2
"""The share of losses after which the writer also has to work again, which costs four to seven
times what a look at its files does."""


def main() -> int:
    """Lose power in turns; 1 when a promise was broken."""
    options = read_options(
        __doc__ or "", "losses", 5000, "of all writers together", "does not sync"
    )
    if not preload.is_preloaded():
        preload.start_preloaded()
    scratch, chance, began = preload.scratch(), random.Random(options.seed), time.monotonic()
    try:
        outages = [Outages(each, scratch / each.name, chance) for each in chosen_writers(options)]
        take_turns(outages, options.losses, LOSSES_OF_A_TRACE)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    losses, broken = sum(each.tried for each in outages), sum(each.broken for each in outages)
    print(f"{losses} power losses in {time.monotonic() - began:.0f} s: {broken} promises broken")
    return 1 if broken else 0


class Outages:
    """One writer whose power is lost again and again."""

    def __init__(self, writer: Writer, scratch: Path, chance: random.Random) -> None:
        scratch.mkdir()
        self._chance = chance
        self._place = Place(scratch, writer)
        self._template = scratch / "template"
        shutil.copytree(self._place.folder, self._template)
        self._control = Control(self._place.root, self._place.voice, scratch / "trace")
        self.tried = self.broken = self.acts = 0

    def go_on(self, number: int) -> None:
        """Write down one start, and lose power at so many points of it."""
        disk, records = self._written_down()
        self.acts += len(records)
        points = sorted(self._chance.randint(0, len(records)) for _ in range(number))
        done, words = 0, b""
        for point in points:
            for record in records[done:point]:
                disk.do(record)
                words += record.data if record.act is Act.SAY else b""
            done = point
            self._lose(disk, words.decode().splitlines())

    def sentence(self) -> str:
        """What was done and found."""
        return (
            f"{self._place.writer.name}: {self.tried} power losses within {self.acts} acts,"
            f" {self.broken} promises broken"
        )

    def _written_down(self) -> tuple[Disk, list[TraceRecord]]:
        self._place.begin(self._template)
        self._control.choose(self._place.root, self._place.voice)
        disk = Disk(self._place.folder)
        self._control.trace.unlink(missing_ok=True)
        self._control.set(Mode.TRACE)
        outcome = self._place.work()
        self._control.off()
        assert outcome.code == DONE, f"{self._place.writer.name}: {outcome.text}"
        return disk, list(read_trace(self._control.trace))

    def _lose(self, disk: Disk, said: list[str]) -> None:
        self.tried += 1
        disk.lose_power(self._chance, self._place.folder)
        self._place.voice.write_text("".join(f"{line}\n" for line in said), encoding="utf-8")
        is_whole = self._chance.random() < WORKS_AGAIN
        checked = self._place.check(said) if is_whole else self._place.look(said)
        if checked.code != DONE:
            self.broken += 1
            name = self._place.writer.name
            print(f"{name}: after {len(said)} reports: {checked.text[-2000:].strip()}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
