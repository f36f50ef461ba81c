"""A node: the door that takes signals for all partitions, and the processes that decide."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from multiprocessing.connection import wait
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import click

from ....clock import SystemClock
from ....errors import InputError, SourceError
from ....storage.partitions.partition_inbox import KEEP_MARKS_S, PartitionInbox
from ....storage.partitions.schema import check_connections, open_shared
from ..endings import awaited, ended_by_signals
from ..sources import listening
from ..telemetry import metrics_page, say, where_figures_are
from .intake import PartitionIntake
from .node_figures import WorkerLine, node_page
from .outage_log import log_to_stderr
from .plan import AUTO
from .stream_duty import StreamDuty
from .worker import run_worker

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext
    from multiprocessing.process import BaseProcess

    from .plan import NodePlan

STOP_S = 20.0
PAUSE_S = 2.0
"""Before a process is started again that ended by itself, as one that cannot start does."""
PRELOADED = [run_worker.__module__, "psycopg", "yaml", "prefrontal.settings.loading"]
"""What a process needs at once, so that one that is started again need not load it."""
PRELOADED_TO_ACT = ["prefrontal.cli.run.parts", "prefrontal.routing.run.router"]

log = logging.getLogger("prefrontal.partitions")


class NodeWorkers(Protocol):
    """What decides for a node. kind: what they are, in a word."""

    kind: str

    def stop(self) -> bool:
        """End them cleanly; whether all ended by themselves."""
        ...

    def lines(self) -> list[tuple[int, WorkerLine]]:
        """The connection to each that tells its figures, by its number."""
        ...


class Workers:
    """The processes that decide, each started again when it ends; `stop` ends them cleanly."""

    kind = "processes"

    def __init__(self, plan: NodePlan) -> None:
        self._plan = replace(plan)  # without what was read: it goes to other processes
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        own = [] if plan.home is None else [plan.home.__module__, *PRELOADED_TO_ACT]
        self._context.set_forkserver_preload([*PRELOADED, *own])
        self._processes: dict[int, tuple[BaseProcess, WorkerLine]] = {}
        self._ended = Event()
        self._news, self._bell = self._context.Pipe(duplex=False)
        for number in range(plan.workers):
            self._start(number)
        self._thread = Thread(target=self._run, name="prefrontal-workers", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """Whether all ended by themselves."""
        self._ended.set()
        self._bell.close()
        self._thread.join()
        for _, line in self._processes.values():
            line.close()
        last = monotonic() + STOP_S
        late = 0
        for process, _ in self._processes.values():
            process.join(max(0.0, last - monotonic()))
            if process.is_alive():
                late += 1
                process.kill()
        return not late

    def _start(self, number: int) -> None:
        theirs, ours = self._context.Pipe()
        process = self._context.Process(
            target=run_worker, args=(self._plan, number, theirs), name=f"prefrontal-{number}"
        )
        process.start()
        theirs.close()
        self._processes[number] = process, WorkerLine(ours)

    def lines(self) -> list[tuple[int, WorkerLine]]:
        """The connection to each by its number."""
        return [(number, line) for number, (_, line) in sorted(self._processes.items())]

    def _run(self) -> None:
        while not self._ended.is_set():
            sentinels = [process.sentinel for process, _ in self._processes.values()]
            wait([*sentinels, self._news])
            for number, (process, line) in list(self._processes.items()):
                if process.is_alive() or self._ended.is_set():
                    continue
                line.close()
                log.warning(
                    "worker %d ended with %s, and is started again", number, process.exitcode
                )
                if process.exitcode is None or process.exitcode >= 0:  # a killed one need not wait
                    self._ended.wait(PAUSE_S)
                if not self._ended.is_set():
                    self._start(number)


def run_node(plan: NodePlan, open_workers: Callable[[NodePlan], NodeWorkers] = Workers) -> int:
    """Take signals and decide until a signal comes; the exit code.

    Raises InputError for settings that are not for this, SourceError while the server is away.
    """
    plan.check()
    plan.state.make()
    log_to_stderr()
    ended: SimpleQueue[int] = SimpleQueue()
    with closing(open_shared(plan.url, plan.count)) as database:
        check_connections(
            database, len(plan.all_wanted()), plan.workers, with_homes=plan.home is not None
        )
        inbox = PartitionInbox(database)
        intake = PartitionIntake(inbox, plan.modules, plan.count, SystemClock())
        http = plan.settings.sources.http
        door = None if http is None else listening(http)
        with ended_by_signals(ended), ExitStack() as page:
            workers = open_workers(plan)
            duty = StreamDuty(plan, intake) if _has_streams(plan) else None
            try:
                if door is not None:
                    door.start(intake)
                if (metrics := plan.settings.telemetry.metrics) is not None:
                    server = metrics_page(
                        lambda: node_page(workers.lines(), intake.unheard), metrics
                    )
                    say(where_figures_are(page.enter_context(server)))
                click.echo(_beginning(plan, workers.kind), err=True)
                with suppress(SourceError):
                    inbox.forget_marks(SystemClock().now() - KEEP_MARKS_S)
                code = awaited(ended)
            finally:
                page.close()
                if door is not None:
                    door.stop()
                if duty is not None:
                    duty.stop()
                finished = workers.stop()
                inbox.end()
    click.echo("Stopped." if finished else "Stopped; a process had to be killed.", err=True)
    return code


def run_ray_node(plan: NodePlan, address: str) -> int:
    """`run_node` with actors of a Ray cluster, at `address`, as its workers.

    Raises also InputError for an address that is none and without the extra [ray], SourceError
    where no cluster can be reached.
    """
    from ....ray_cluster import ray_cluster
    from .partition_actors import PartitionActors

    plan.check()
    if plan.settings.telemetry.metrics is not None:
        raise InputError("--ray must come without --metrics: actors tell no figures yet")
    with ray_cluster(address, os.cpu_count() or 1, shows_logs=True) as ray:
        return run_node(plan, lambda whole: PartitionActors(whole, ray))


def _has_streams(plan: NodePlan) -> bool:
    return bool(plan.settings.sources.redis or plan.settings.sources.nats)


def _beginning(plan: NodePlan, kind: str) -> str:
    which = f"a share of {plan.count}" if plan.partitions == AUTO else plan.partitions
    http = plan.settings.sources.http
    where = "" if http is None else f" Signals are taken at http://{http.host}:{http.port}."
    return (
        f"{len(plan.modules)} modules, partitions {which}, in {plan.workers} {kind}, on"
        f" {plan.url}.{where} Ctrl-C stops."
    )
