"""The processes of one machine that decide, forked from one that has loaded what they need."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Collection
from multiprocessing.connection import wait
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from .node_figures import FiguresOfPartitions, WorkerLine
from .worker import run_worker

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext
    from multiprocessing.process import BaseProcess

    from .plan import NodePlan

STOP_S = 20.0
PAUSE_S = 2.0
"""Before a process is started again that ended by itself, as one that cannot start does."""
LEAST_ANSWER_S = 0.1
"""Each process has so long to answer, however long another one took."""
PRELOADED = [run_worker.__module__, "psycopg", "yaml", "prefrontal.settings.loading"]
"""What a process needs at once, so that one that is started again need not load it."""
PRELOADED_TO_ACT = ["prefrontal.cli.run.parts", "prefrontal.routing.run.router"]

log = logging.getLogger("prefrontal.partitions")


class WorkerProcesses:
    """Those of the numbers that it is to hold, each started again when it ends, until `stop`.

    orphaned_s: how long each goes on where this process ended without `stop`.
    """

    kind = "processes"

    def __init__(
        self, plan: NodePlan, numbers: Collection[int], *, orphaned_s: float = 0.0
    ) -> None:
        self._plan = plan
        self._orphaned_s = orphaned_s
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        own = [] if plan.home is None else [plan.home.__module__, *PRELOADED_TO_ACT]
        self._context.set_forkserver_preload([*PRELOADED, *own])
        self._processes: dict[int, tuple[BaseProcess, WorkerLine]] = {}
        self._leaving: list[BaseProcess] = []
        self._lock = Lock()
        self._ended = Event()
        self._news, self._bell = self._context.Pipe(duplex=False)
        self.hold(numbers)
        self._thread = Thread(target=self._run, name="prefrontal-workers", daemon=True)
        self._thread.start()

    def hold(self, numbers: Collection[int]) -> None:
        """Start those that are missing; tell those that are too many to end, and do not wait."""
        with self._lock:
            for number in set(numbers) - self._processes.keys():
                self._start(number)
            for number in self._processes.keys() - set(numbers):
                process, line = self._processes.pop(number)
                self._leaving.append(process)
                line.end()
            self._bell.send_bytes(b"changed")

    def stop(self) -> bool:
        """End all; whether they ended by themselves."""
        self._ended.set()
        self._bell.close()
        self._thread.join()
        for _, line in self._processes.values():
            line.end()
        last = monotonic() + STOP_S
        late = 0
        for process in [*self._leaving, *(process for process, _ in self._processes.values())]:
            process.join(max(0.0, last - monotonic()))
            if process.is_alive():
                late += 1
                process.kill()
        return not late

    def figures(self, timeout_s: float) -> dict[int, FiguresOfPartitions | None]:
        """What each says, by its number; None for one that does not answer in time."""
        with self._lock:
            lines = [(number, line) for number, (_, line) in sorted(self._processes.items())]
        end = monotonic() + timeout_s
        return {
            number: line.figures(max(LEAST_ANSWER_S, end - monotonic())) for number, line in lines
        }

    def _start(self, number: int) -> None:
        theirs, ours = self._context.Pipe()
        process = self._context.Process(
            target=run_worker,
            args=(self._plan, number, theirs, self._orphaned_s),
            name=f"prefrontal-{number}",
        )
        process.start()
        theirs.close()
        self._processes[number] = process, WorkerLine(ours)

    def _run(self) -> None:
        while not self._ended.is_set():
            with self._lock:
                processes = [each for each, _ in self._processes.values()] + self._leaving
            if self._news in wait([*(process.sentinel for process in processes), self._news]):
                if self._ended.is_set():
                    return
                self._news.recv_bytes()
            self._see_to_ended()

    def _see_to_ended(self) -> None:
        with self._lock:
            self._leaving = [process for process in self._leaving if process.is_alive()]
            ended = {n: p for n, (p, _) in self._processes.items() if not p.is_alive()}
        for number, process in ended.items():
            log.warning("worker %d ended with %s, and is started again", number, process.exitcode)
        if not all(process.exitcode and process.exitcode < 0 for process in ended.values()):
            self._ended.wait(PAUSE_S)  # a killed one need not wait
        with self._lock:
            for number, process in ended.items():
                current, line = self._processes.get(number, (None, None))
                if current is process and line is not None and not self._ended.is_set():
                    line.close()
                    self._start(number)
