"""A disk that fails: each open, write, sync, rename, lock and so on of each writer fails once.

    python benchmarks/reliability/disk.py
    python benchmarks/reliability/disk.py --writer ledger --planted

An act fails with ENOSPC, EIO, EINTR or EROFS, or a write is short; in an order that is drawn, so
that a run that Ctrl-C ends has seen some of each, and says how many. Kept: what was said before is
there, whole and once; whoever could not write ends with one sentence; the next start works, which
is tried after one of an act's errors, for those that look at nothing by a start of their own.
Exit code 1 when something was not.
"""

from __future__ import annotations

import errno
import random
import shutil
import signal
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import preload
from choice import chosen_writers, read_options
from preload import CHANGES, Act, Control, Mode
from trials import DONE, SENTENCE, Outcome, Place
from writers import Writer

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EINTR": errno.EINTR, "EROFS": errno.EROFS}
SHORT = {"short": 0}
LONGEST_SENTENCE = 500

Case = tuple[Act, str, int]
"""An act, how it fails, and the number of it that does, from 1."""


def main() -> int:
    """Try each act of the writers; 1 when a promise was broken."""
    options = read_options(__doc__ or "", "every", 1, "try each n-th act only", "does not mind")
    if not preload.is_preloaded():
        preload.start_preloaded()
    writers = chosen_writers(options)
    scratch = preload.scratch()
    try:
        tallies = []
        for writer in writers:
            tallies.append(_try(writer, scratch, options))
            if tallies[-1].is_ended:
                break
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl-C is enough
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if any(each.broken for each in tallies) else 0


@dataclass(slots=True)
class Tally:
    """What came of the failures of one writer. is_ended: by somebody, before its time."""

    cases: int = 0
    tried: int = 0
    broken: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    is_ended: bool = False

    def sentence(self, counts: dict[Act, int]) -> str:
        each = ", ".join(f"{counts[act]} {act.name.lower()}" for act in CHANGES if counts[act])
        said = ", ".join(f"{number} {what}" for what, number in self.endings.items())
        ended = f" (ended before its time: {self.tried} of {self.cases})" if self.is_ended else ""
        return f"{self.tried} failures of {each}: {said}; {self.broken} promises broken{ended}"


def _try(writer: Writer, scratch: Path, options: Namespace) -> Tally:
    """What became of the writer's promises."""
    template = scratch / "template"
    place = Place(scratch, writer)
    shutil.rmtree(template, ignore_errors=True)
    shutil.copytree(place.folder, template)
    control = Control(place.root, place.voice, scratch / "trace")
    counts = _acts(place, control)
    cases = list(_cases(counts, options.every, options.seed))
    random.Random(options.seed).shuffle(cases)
    tally = Tally(len(cases))
    try:
        for act, error, number in cases:
            place.begin(template)
            _fail(place, control, tally, (act, error, number))
    except KeyboardInterrupt:
        control.off()
        tally.is_ended = True
    print(f"{writer.name}: {tally.sentence(counts)}", flush=True)
    return tally


def _fail(place: Place, control: Control, tally: Tally, case: Case) -> None:
    """Let one act fail, and look."""
    act, error, number = case
    control.set(Mode.FAIL, number, ERRORS.get(error, 0), (act,))
    outcome = place.work()
    met = control.met
    control.off()
    if met is None:
        return
    tally.tried += 1
    tally.endings["went on" if outcome.code == DONE else "said so"] += 1
    if problem := _problem(place, outcome, works_again=error == _whole(number)):
        tally.broken += 1
        what = f"{act.name.lower()} {number} ({Path(met[1]).name}) {error}"
        print(f"{place.writer.name}: {what}: {problem}", flush=True)


def _acts(place: Place, control: Control) -> dict[Act, int]:
    """How many acts of each kind the writer needs."""
    counts: dict[Act, int] = {}
    for act in CHANGES:
        control.set(Mode.COUNT, acts=(act,))
        outcome = place.work()
        control.off()
        assert outcome.code == DONE, f"{place.writer.name} does not work: {outcome.text}"
        counts[act] = control.count
    return counts


def _cases(counts: dict[Act, int], every: int, seed: int) -> Iterator[Case]:
    for act, count in counts.items():
        errors = [*ERRORS, *SHORT] if act is Act.WRITE else [*ERRORS]
        for number in range(1 + seed % every, count + 1, every):
            for error in errors:
                yield act, error, number


def _whole(number: int) -> str:
    """The error after which the writer also has to work again: with each act another one."""
    return list(ERRORS)[number % len(ERRORS)]


def _problem(place: Place, outcome: Outcome, *, works_again: bool) -> str | None:
    """What promise was broken; None where none was."""
    if outcome.code not in (DONE, SENTENCE):
        return f"no sentence ({outcome.code}): {outcome.text[-2000:]}"
    if outcome.code == SENTENCE and ("Traceback" in outcome.text or not outcome.text.strip()):
        return f"no sentence: {outcome.text[-2000:]}"
    if outcome.code == SENTENCE and len(outcome.text) > LONGEST_SENTENCE:
        return f"a sentence of {len(outcome.text)} characters: {outcome.text[:200]}"
    checked = place.check(place.said()) if works_again else place.look(place.said())
    return None if checked.code == DONE else checked.text[-2000:]


if __name__ == "__main__":
    sys.exit(main())
