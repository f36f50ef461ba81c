"""A disk that fails: each open, write, sync, rename, lock and so on of each writer fails once.

    python benchmarks/reliability/disk.py [--failures 3000] [--distinct]
    python benchmarks/reliability/disk.py --writer ledger --planted

An act fails with ENOSPC, EIO, EINTR or EROFS, or a write is short; in an order that is drawn, and
the writers take turns, so that a run of fewer failures has seen some of each and says how many.
With --distinct acts of one place count once: the same kind of act on the same file (in whose name a
word with a digit counts as any other), called from the same lines of Python through the same calls
of what is below. One act of each place, which is drawn, fails in each way.
Kept: what was said before is there, whole and once; whoever could not write ends with one sentence;
the next start works, which is tried after one of an act's errors, for those that look at nothing by
a start of their own. Exit code 1 when something was not.
"""

from __future__ import annotations

import errno
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import preload
from choice import chosen_writers, read_options
from preload import Act, ActPlace, Control, Mode
from trials import DONE, SENTENCE, Outcome, Place
from turns import take_turns
from writers import Writer

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EINTR": errno.EINTR, "EROFS": errno.EROFS}
SHORT = {"short": 0}
LONGEST_SENTENCE = 500
IN_A_ROW = 5

LOOKS = 4
"""Works that show the places: threads take turns, so that one does not show all."""


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of act, how it fails, and the number of it that does, from 1; place: counts alone."""

    act: Act
    error: str
    number: int
    place: ActPlace | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the writer also has to work again: after one of an act's errors."""
        which = self.place.mark if self.place else self.number
        return self.error == list(ERRORS)[which % len(ERRORS)]


def main() -> int:
    """Try the writers in turns; 1 when a promise was broken."""
    options = read_options(
        __doc__ or "",
        "failures",
        None,
        "of all writers together; without it, all",
        "does not mind",
        {"distinct": "one act of each place, instead of each act"},
    )
    if options.distinct and not preload.knows_lines():
        raise SystemExit("--distinct needs a Python that exports _Py_DumpTraceback, such as 3.11")
    if not preload.is_preloaded():
        preload.start_preloaded()
    scratch, chance, began = preload.scratch(), random.Random(options.seed), time.monotonic()
    try:
        failures = [
            Failures(each, scratch / each.name, chance, distinct=options.distinct)
            for each in chosen_writers(options)
        ]
        cases = sum(each.cases for each in failures)
        take_turns(failures, min(options.failures or cases, cases), IN_A_ROW)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl-C is enough
        shutil.rmtree(scratch, ignore_errors=True)
    tried, broken = sum(each.tried for each in failures), sum(each.broken for each in failures)
    print(f"{tried} failures in {time.monotonic() - began:.0f} s: {broken} promises broken")
    return 1 if broken else 0


class Failures:
    """One writer whose disk fails again and again, each time at another act or in another way."""

    def __init__(
        self, writer: Writer, scratch: Path, chance: random.Random, *, distinct: bool
    ) -> None:
        scratch.mkdir()
        self._place = Place(scratch, writer)
        self._template = scratch / "template"
        shutil.copytree(self._place.folder, self._template)
        self._control = Control(self._place.root, self._place.voice, scratch / "trace")
        self._counts = self._counted()
        self._places = self._seen_places() if distinct else []
        self._cases = list(
            _cases_of_places(self._places, chance) if distinct else _cases(self._counts)
        )
        chance.shuffle(self._cases)
        self._endings = Counter[str]()
        self.cases = len(self._cases)
        self.broken = 0

    @property
    def tried(self) -> int:
        """How many of the cases were tried."""
        return self._endings.total()

    def go_on(self, number: int) -> None:
        """Let so many acts fail, or those that are left."""
        for case in self._cases[self.tried : self.tried + number]:
            self._fail(case)

    def sentence(self) -> str:
        """What was done and found."""
        acts = ", ".join(f"{count} {act.name.lower()}" for act, count in self._counts.items())
        places = f" at {len(self._places)} places" if self._places else ""
        endings = ", ".join(f"{number} {what}" for what, number in self._endings.items())
        return (
            f"{self._place.writer.name}: {self.tried} of {self.cases} failures of {acts}{places}:"
            f" {endings or 'none'}; {self.broken} promises broken"
        )

    def _fail(self, case: Case) -> None:
        """Let one act fail, and look; the first of a place that has less of them this time."""
        outcome, met = self._worked(case)
        if met is None and case.place and case.number > 1:
            case = replace(case, number=1)
            outcome, met = self._worked(case)
        if met is None:
            self._endings["never came"] += 1
            return
        self._endings["went on" if outcome.code == DONE else "said so"] += 1
        if problem := self._problem(outcome, works_again=case.is_whole):
            self.broken += 1
            what = f"{case.act.name.lower()} {case.number} ({Path(met[1]).name}) {case.error}"
            print(f"{self._place.writer.name}: {what}: {problem}", flush=True)

    def _worked(self, case: Case) -> tuple[Outcome, tuple[Act, str] | None]:
        """How the work ended, begun anew, and the act that failed; None where none did."""
        self._place.begin(self._template)
        self._control.choose(self._place.root, self._place.voice)
        error, place = ERRORS.get(case.error, 0), case.place.mark if case.place else None
        self._control.set(Mode.FAIL, case.number, error, (case.act,), place)
        try:
            return self._place.work(), self._control.met
        finally:
            self._control.off()

    def _seen_places(self) -> list[ActPlace]:
        """Where the writer's acts are, as a few works show."""
        places = dict[int, ActPlace]()
        for _ in range(LOOKS):
            self._place.begin(self._template)
            self._control.choose(self._place.root, self._place.voice)
            self._control.set(Mode.COUNT, place=0)
            outcome = self._place.work()
            self._control.off()
            assert outcome.code == DONE, f"{self._place.writer.name} does not work: {outcome.text}"
            places.update((each.mark, each) for each in self._control.places)
        return list(places.values())

    def _counted(self) -> dict[Act, int]:
        """How many acts of each kind the writer needs."""
        self._control.set(Mode.COUNT)
        outcome = self._place.work()
        self._control.off()
        assert outcome.code == DONE, f"{self._place.writer.name} does not work: {outcome.text}"
        return self._control.counts

    def _problem(self, outcome: Outcome, *, works_again: bool) -> str | None:
        """What promise was broken; None where none was."""
        if outcome.code not in (DONE, SENTENCE):
            return f"no sentence ({outcome.code}): {outcome.text[-2000:]}"
        if outcome.code == SENTENCE and ("Traceback" in outcome.text or not outcome.text.strip()):
            return f"no sentence: {outcome.text[-2000:]}"
        if outcome.code == SENTENCE and len(outcome.text) > LONGEST_SENTENCE:
            return f"a sentence of {len(outcome.text)} characters: {outcome.text[:200]}"
        said = self._place.said()
        checked = self._place.check(said) if works_again else self._place.look(said)
        return None if checked.code == DONE else checked.text[-2000:]


def _cases(counts: dict[Act, int]) -> Iterator[Case]:
    for act, count in counts.items():
        for number in range(1, count + 1):
            for error in _errors(act):
                yield Case(act, error, number)


def _cases_of_places(places: Sequence[ActPlace], chance: random.Random) -> Iterator[Case]:
    for place in places:
        for error in _errors(place.act):
            yield Case(place.act, error, chance.randint(1, place.count), place)


def _errors(act: Act) -> list[str]:
    return [*ERRORS, *SHORT] if act is Act.WRITE else [*ERRORS]


if __name__ == "__main__":
    sys.exit(main())
