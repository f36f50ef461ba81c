"""Every setting on every history: read, run what was not run yet, keep each result."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ...errors import InputError, SourceError
from ...settings.sweeps import MOST_RUNS, SAMPLE, HistorySweep, TrustSweep, beside, read_sweep
from .local_workers import LocalWorkers
from .pool import LostTask, SweepWorkers, Task, WorkerPool
from .store import Row, SweepStore, run_key

Step = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and of how much."""
OpenWorkers = Callable[[str, str], SweepWorkers]
"""Called with a name of `worker.WORKS`, and the folder that what was read is kept in."""


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """work: which of `worker.WORKS` runs it. inputs: histories or streams, as its `read` takes
    them. place: what a row calls them. settings: as its `run` takes them."""

    work: str
    place: str
    inputs: list[dict[str, Any]]
    settings: list[dict[str, Any]]

    def __post_init__(self) -> None:
        if self.runs > MOST_RUNS:
            raise InputError(f"sweep must have at most {MOST_RUNS:,} runs, got {self.runs:,}")

    @property
    def runs(self) -> int:
        return len(self.inputs) * len(self.settings)


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """rows: a run each, in the order of the inputs and, in each, of the settings. done_before: how
    many of them an earlier sweep had done. lost: sentences on runs that none could finish.
    restarts: how many workers were replaced."""

    rows: list[Row]
    done_before: int
    lost: list[str]
    restarts: int


def history_sweep(path: str) -> SweepPlan:
    """The sweep of `prefrontal replay --sweep`. Raises as `read_sweep`."""
    sweep = read_sweep(path, HistorySweep)
    inputs = [each.model_dump() for each in sweep.histories]
    for each in inputs:
        if each["path"] != SAMPLE:
            each["path"] = str(beside(path, each["path"]))
    return SweepPlan("histories", "history", inputs, sweep.settings())


def trust_sweep(path: str) -> SweepPlan:
    """The sweep of `prefrontal cortex backtest --sweep`. Raises as `read_sweep`."""
    sweep = read_sweep(path, TrustSweep)
    inputs = [
        {name: value and str(beside(path, value)) for name, value in each.model_dump().items()}
        for each in sweep.streams
    ]
    return SweepPlan("streams", "stream", inputs, sweep.settings())


def carry_out(
    plan: SweepPlan,
    folder: Path,
    jobs: int,
    step: Step,
    open_readers: OpenWorkers = LocalWorkers,
    open_runners: OpenWorkers | None = None,
) -> SweepOutcome:
    """Run what the folder does not hold yet, on at most `jobs` processes.

    open_readers: of processes on this machine, which run, too, where `open_runners` is None.
    What is done is in the folder when it is done, however this ends. Raises InputError and
    SourceError for an input that cannot be read.
    """
    with (
        SweepStore(folder) as store,
        TemporaryDirectory(prefix="prefrontal-sweep-") as copies,
        ExitStack() as stack,
    ):
        readers = stack.enter_context(closing(open_readers(plan.work, copies)))
        reading = WorkerPool(readers, jobs if open_runners is None else min(jobs, processors()))
        places = _read(plan, reading, step)
        running = reading
        if open_runners is not None:
            runners = stack.enter_context(closing(open_runners(plan.work, copies)))
            running = WorkerPool(runners, jobs)
        runs = _runs(plan, places)
        waiting = [each for each in runs if store.row(each.key) is None]
        done_before = done = len(runs) - len(waiting)
        lost: list[str] = []
        step("running", done, plan.runs)
        tasks: list[Task] = [{"act": "run", "with": [each.place, each.setting]} for each in waiting]
        for task, answer in running.answers(tasks):
            run = waiting[task]
            if isinstance(answer, LostTask):
                lost.append(f"{run.name} with {setting_words(run.setting)}: {answer.why}")
                continue
            store.add(run.key, answer)
            done += 1
            step("running", done, plan.runs)
        rows = [
            {plan.place: each.name, **row}
            for each in runs
            if (row := store.row(each.key)) is not None
        ]
        restarts = sum(pool.restarts for pool in {reading, running})
        return SweepOutcome(rows, done_before, lost, restarts)


def processors() -> int:
    """How many this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def setting_words(setting: dict[str, Any]) -> str:
    """A setting in a line, without what it leaves open."""
    return ", ".join(f"{name} {value}" for name, value in setting.items() if value is not None)


class _Run(NamedTuple):
    """One setting on one input. name: of the input. key: what the store knows the run by."""

    name: str
    key: str
    place: dict[str, Any]
    setting: dict[str, Any]


def _runs(plan: SweepPlan, places: Sequence[dict[str, Any]]) -> list[_Run]:
    names = _names([each["name"] for each in places])
    return [
        _Run(name, run_key(place["digest"], setting), place, setting)
        for name, place in zip(names, places, strict=True)
        for setting in plan.settings
    ]


def _read(plan: SweepPlan, pool: WorkerPool, step: Step) -> list[dict[str, Any]]:
    tasks = [{"act": "read", "with": [number, each]} for number, each in enumerate(plan.inputs)]
    answers: dict[int, dict[str, Any]] = {}
    step("reading", 0, len(tasks))
    for place, answer in pool.answers(tasks):
        if isinstance(answer, LostTask):
            raise SourceError(
                f"{plan.place} {place + 1} cannot be read: each worker ended with {answer.why}"
            )
        answers[place] = answer
        step("reading", len(answers), len(tasks))
    return [answers[place] for place in range(len(tasks))]


def _names(names: Sequence[str]) -> list[str]:
    """Each once: those that several have are numbered."""
    several = {name for name, count in Counter(names).items() if count > 1}
    return [f"{name} #{place}" if name in several else name for place, name in enumerate(names, 1)]
