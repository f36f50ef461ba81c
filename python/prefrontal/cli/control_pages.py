"""How the experiments and a diagnosis look on a terminal."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from .page import page, plain_table, progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..control.agent.diagnosis import Diagnosis
    from ..control.experiments.record import ExperimentRecord, Measurement

COLOURS = {"pass": "bold green", "fail": "bold red", "void": "bold yellow"}
WIDTH = 100
_SEED = re.compile(r"seed (\d+)")


@contextmanager
def watched(
    title: str, seeds: Sequence[int]
) -> Iterator[tuple[Callable[[str], None], Callable[[], float]]]:
    """(what an experiment reports to, the seconds since the start); a bar of its seeds."""
    start = time.monotonic()
    with progress() as step:

        def report(text: str) -> None:
            match = _SEED.match(text)
            done = seeds.index(int(match[1])) if match and int(match[1]) in seeds else 0
            step(f"{title.partition(' ')[0]} {text}", done, len(seeds))

        report("begins")
        yield report, lambda: time.monotonic() - start


def print_record(record: ExperimentRecord, seconds: float | None = None) -> None:
    """Title and verdict, the criterion, a line for each measurement, and why a seed was void."""
    with page() as console:
        passed = sum(it.verdict == "pass" for it in record.seeds)
        took = "" if seconds is None else f", {seconds:.0f} s"
        console.print(
            Text.assemble(
                (record.title, "bold"),
                "  ",
                (record.verdict, COLOURS[record.verdict]),
                f"  {passed} of {len(record.seeds)} seeds, profile {record.profile}{took}",
            )
        )
        _indented(console, Text(record.criterion, "dim"))
        if record.measured:
            _indented(console, _measured(record))
        for it in record.seeds:
            if it.verdict == "void":
                _indented(console, Text(f"seed {it.seed} is void: {it.reason}", "yellow"))
        console.print()


def print_overview(records: Sequence[ExperimentRecord]) -> None:
    """One line for each experiment."""
    with page() as console:
        table = plain_table("experiment", "verdict", "seeds passed")
        for it in records:
            passed = sum(seed.verdict == "pass" for seed in it.seeds)
            verdict = Text(it.verdict, COLOURS[it.verdict])
            table.add_row(it.title, verdict, f"{passed} of {len(it.seeds)}")
        console.print(table)


def print_diagnosis(diagnosis: Diagnosis, name: str) -> None:
    """Each finding with its number; what is wrong stands out, and what it means stands below."""
    with page() as console:
        wrong = sum(it.wrong for it in diagnosis.symptoms)
        words = f"{wrong} of {len(diagnosis.symptoms)} checks tell of a failure"
        verdict = (words, "bold red") if wrong else ("nothing wrong was found", "bold green")
        if not diagnosis.symptoms:
            verdict = (str(diagnosis), "")
        console.print(Text.assemble((name, "bold"), f" (profile {diagnosis.profile}): ", verdict))
        for it in diagnosis.symptoms:
            mark = Text("wrong", "bold red") if it.wrong else Text("well ", "green")
            value = "" if it.value is None else f"  {_number(it.value)}"
            _indented(console, Text.assemble(mark, "  ", it.name, value))
            if it.wrong or it.value is None:
                console.print(Padding(Text(it.meaning, "dim"), (0, 0, 0, 9)))


def _measured(record: ExperimentRecord) -> Table:
    table = plain_table("measured", "mean", "95 % interval", "wanted", "seeds")
    for column in (1, 2):
        table.columns[column].justify = "right"
    for name, value in record.measured.items():
        measurements = [m for it in record.seeds for m in it.measurements if m.name == name]
        passed = sum(it.passed for it in measurements)
        colour = "" if passed == len(measurements) else "yellow" if passed else "red"
        wanted = f"{measurements[0].direction} {_wanted(measurements)}"
        ends = record.interval[name]
        interval = "" if ends is None else f"{_number(ends[0])} to {_number(ends[1])}"
        score = Text(f"{passed} of {len(measurements)}", colour)
        table.add_row(name, Text(_number(value), colour), interval, wanted, score)
    return table


def _wanted(measurements: Sequence[Measurement]) -> str:
    """The target; its range where it differs from seed to seed."""
    targets = sorted({it.target for it in measurements})
    return " .. ".join(_number(it) for it in targets[:: max(1, len(targets) - 1)])


def _indented(console: Console, what: Text | Table) -> None:
    console.print(Padding(what, (0, 0, 0, 2), expand=False), width=min(console.width, WIDTH))


def _number(value: float) -> str:
    return f"{value:.4g}"
