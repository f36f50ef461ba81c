"""A disk that fails: each open, write, sync, rename, lock and so on of each writer fails once.

    python benchmarks/reliability/disk.py
    python benchmarks/reliability/disk.py --writer ledger --planted

An act fails with ENOSPC, EIO, EINTR or EROFS, or a write is short. Kept: what was said before is
there, whole and once; whoever could not write ends with one sentence; the next start works, which
is tried after one of an act's errors, for those that look at nothing by a start of their own.
Exit code 1 when something was not.
"""

from __future__ import annotations

import errno
import shutil
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import preload
from choice import chosen_writers, read_options
from preload import CHANGES, Act, Control, Mode
from trials import DONE, SENTENCE, Outcome, Place
from writers import Writer

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EINTR": errno.EINTR, "EROFS": errno.EROFS}
SHORT = {"short": 0}
LONGEST_SENTENCE = 500


def main() -> int:
    """Try each act of the writers; 1 when a promise was broken."""
    options = read_options(__doc__ or "", "every", 1, "try each n-th act only", "does not mind")
    if not preload.is_preloaded():
        preload.start_preloaded()
    writers = chosen_writers(options)
    scratch = preload.scratch()
    try:
        broken = sum(_try(writer, scratch, options) for writer in writers)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if broken else 0


def _try(writer: Writer, scratch: Path, options: Namespace) -> int:
    """How many promises of the writer were broken."""
    template = scratch / "template"
    place = Place(scratch, writer)
    shutil.rmtree(template, ignore_errors=True)
    shutil.copytree(place.folder, template)
    control = Control(place.root, place.voice, scratch / "trace")
    counts, tries, broken, endings = _acts(place, control), 0, 0, Counter[str]()
    for act, error, number in _cases(counts, options.every, options.seed):
        place.begin(template)
        control.set(Mode.FAIL, number, ERRORS.get(error, 0), (act,))
        outcome = place.work()
        met = control.met
        control.off()
        if met is None:
            continue
        tries += 1
        endings["went on" if outcome.code == DONE else "said so"] += 1
        if problem := _problem(place, outcome, works_again=error == _whole(number)):
            broken += 1
            where = Path(met[1]).name
            print(
                f"{writer.name}: {act.name.lower()} {number} ({where}) {error}: {problem}",
                flush=True,
            )
    each = ", ".join(f"{counts[act]} {act.name.lower()}" for act in CHANGES if counts[act])
    said = ", ".join(f"{number} {what}" for what, number in endings.items())
    sentence = f"{tries} failures of {each}: {said}; {broken} promises broken"
    print(f"{writer.name}: {sentence}", flush=True)
    return broken


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


def _cases(counts: dict[Act, int], every: int, seed: int) -> Iterator[tuple[Act, str, int]]:
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
