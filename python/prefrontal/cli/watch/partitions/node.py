"""A node: the door that takes signals for all partitions, and the processes that decide."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

import click

from ....clock import SystemClock
from ....errors import SourceError
from ....plural import many
from ....storage.partitions.partition_inbox import KEEP_MARKS_S, PartitionInbox
from ....storage.partitions.schema import check_connections, open_shared
from ..endings import awaited, ended_by_signals
from ..sources import listening
from ..telemetry import metrics_page, say, where_figures_are
from .intake import PartitionIntake
from .node_figures import ANSWER_S, node_page
from .outage_log import log_to_stderr
from .plan import AUTO
from .stream_duty import StreamDuty

if TYPE_CHECKING:
    from .node_figures import FiguresOfPartitions
    from .plan import NodePlan


class NodeWorkers(Protocol):
    """What decides for a node. kind: what they are, in a word."""

    kind: str

    def stop(self) -> bool:
        """End them cleanly; whether all ended by themselves."""
        ...

    def figures(self, timeout_s: float) -> dict[int, FiguresOfPartitions | None]:
        """What each worker says, by its number; None for one that does not answer in time."""
        ...


def run_own_node(plan: NodePlan) -> int:
    """`run_node` with processes of this machine alone."""
    from .worker_processes import WorkerProcesses

    return run_node(plan, lambda whole: WorkerProcesses(whole, range(whole.workers)))


def run_node(plan: NodePlan, open_workers: Callable[[NodePlan], NodeWorkers]) -> int:
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
                        lambda: node_page(workers.figures(ANSWER_S), intake.unheard), metrics
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
    """`run_node` with workers that actors of a Ray cluster, at `address`, begin.

    Raises also InputError for an address that is none and without the extra [ray], SourceError
    where no cluster can be reached.
    """
    from ....ray_cluster import ray_cluster
    from .machine_actors import MachineActors

    plan.check()
    with ray_cluster(address, os.cpu_count() or 1, shows_logs=True) as ray:
        return run_node(plan, lambda whole: MachineActors(whole, ray))


def _has_streams(plan: NodePlan) -> bool:
    return bool(plan.settings.sources.redis or plan.settings.sources.nats)


def _beginning(plan: NodePlan, kind: str) -> str:
    which = f"a share of {plan.count}" if plan.partitions == AUTO else plan.partitions
    http = plan.settings.sources.http
    where = "" if http is None else f" Signals are taken at http://{http.host}:{http.port}."
    return (
        f"{many(len(plan.modules), 'module')}, partitions {which}, in {plan.workers} {kind}, on"
        f" {plan.url}.{where} Ctrl-C stops."
    )
