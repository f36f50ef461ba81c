"""The process of Ray on a machine: it begins the processes that hold partitions there."""

from __future__ import annotations

import logging
import os
from threading import Event, Thread
from typing import TYPE_CHECKING

from .... import __version__
from ....errors import InputError
from .process_host import ProcessHost

if TYPE_CHECKING:
    from collections.abc import Collection

    from .node_figures import FiguresOfPartitions
    from .plan import NodePlan

PAUSE_S = 2.0
"""Before a process ends that cannot go on: Ray starts it again at once."""

log = logging.getLogger("prefrontal.partitions")


class MachineActor:
    """Holds the workers that it is told to on this machine, from its making to `end`.

    Ray makes it anew, with the same arguments, when its process ended by itself; its workers go on
    for a while without it. Raises InputError where this machine has another version.
    """

    def __init__(self, plan: NodePlan, version: str) -> None:
        if version != __version__:
            rule = f"be {version} on each machine of the cluster, as it is on the node"
            raise InputError(f"prefrontal must {rule}, got {__version__}")
        self._ended = Event()
        self._host = ProcessHost(plan)
        self._thread = Thread(target=self._run, name="prefrontal-host", daemon=True)
        self._thread.start()

    def hold(self, numbers: Collection[int]) -> None:
        """Run the workers of these numbers and no others."""
        self._host.hold(numbers)

    def figures(self, timeout_s: float) -> dict[int, FiguresOfPartitions | None]:
        """What each worker says of its partitions; None for one that does not answer in time."""
        return self._host.figures(timeout_s)

    def wait(self) -> None:
        """Wait until it ends."""
        self._thread.join()

    def end(self) -> bool:
        """Decide what was handed in, save, and let go of all partitions; whether in time."""
        self._ended.set()
        return self._host.end()

    def _run(self) -> None:
        self._host.wait()
        if not self._ended.is_set():
            log.error("the processes that decide on this machine have no host any more")
            self._ended.wait(PAUSE_S)
            os._exit(1)
