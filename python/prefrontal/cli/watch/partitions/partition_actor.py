"""What a process of Ray does for a node: it holds partitions, as a process of its own would."""

from __future__ import annotations

import logging
import os
import sys
from threading import Event, Thread
from typing import TYPE_CHECKING

from .... import __version__
from ....errors import InputError
from ..screen import Screen
from ..session import SWITCH_S
from .outage_log import log_to_stderr
from .worker import hold_share

if TYPE_CHECKING:
    from ....decisions.decision import Decision
    from .plan import NodePlan

PAUSE_S = 2.0
"""Before a process ends that cannot go on: Ray starts it again at once."""

log = logging.getLogger("prefrontal.partitions")


class PartitionActor:
    """Holds the share of worker `number`, from its making to `end`.

    Ray makes it anew, with the same arguments, when its process ended by itself. Raises InputError
    where this machine has another version.
    """

    def __init__(self, plan: NodePlan, number: int, version: str) -> None:
        if version != __version__:
            rule = f"be {version} on each machine of the cluster, as it is on the node"
            raise InputError(f"prefrontal must {rule}, got {__version__}")
        log_to_stderr()
        sys.setswitchinterval(SWITCH_S)
        self._plan, self._number = plan, number
        self._ended = Event()
        self._thread = Thread(target=self._run, name="prefrontal-share", daemon=True)
        self._thread.start()

    def place(self) -> str:
        """The id of the machine that it is on, as Ray has it."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def wait(self) -> None:
        """Wait until it ends."""
        self._thread.join()

    def end(self) -> None:
        """Decide what was handed in, save, and let go of all partitions."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            hold_share(self._plan, self._number, NoScreen(), self._ended, {})
        except BaseException:
            log.exception("worker %d cannot go on", self._number)
            self._ended.wait(PAUSE_S)
            os._exit(1)


class NoScreen(Screen):
    """Shows nothing: what an actor prints lies in files that others of the machine can read."""

    def __init__(self) -> None:
        super().__init__(None, lambda: None)

    def show(self, decision: Decision) -> None: ...

    def line(self, text: str) -> bool:
        return True
