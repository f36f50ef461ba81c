"""A machine's `WorkerProcesses` in a process of their own, without Ray, told what to do by a pipe.

python -m prefrontal.cli.watch.partitions.process_host FD
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock
from typing import TYPE_CHECKING, Any

from .outage_log import log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Collection

    from .node_figures import FiguresOfPartitions
    from .plan import NodePlan

ORPHANED_S = 30.0
"""How long the processes go on where who began them ended: Ray needs as long to begin another."""


class ProcessHost:
    """The host, begun from here; any thread may tell it what to do, one at a time.

    Its processes are no children of this one, whose end they outlive for ORPHANED_S. Methods raise
    EOFError or OSError once it has ended.
    """

    def __init__(self, plan: NodePlan) -> None:
        self._line, theirs = Pipe()
        self._lock = Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # what is printed may be read by others of the machine
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        theirs.close()
        self._line.send(plan)

    def hold(self, numbers: Collection[int]) -> None:
        self._ask("hold", sorted(numbers))

    def figures(self, timeout_s: float) -> dict[int, FiguresOfPartitions | None]:
        answer: dict[int, FiguresOfPartitions | None] = self._ask("figures", timeout_s)
        return answer

    def end(self) -> bool:
        """End all; whether they ended by themselves."""
        finished = bool(self._ask("end", None))
        self._process.wait()
        return finished

    def wait(self) -> None:
        """Wait until it ends."""
        self._process.wait()

    def _ask(self, order: str, argument: Any) -> Any:
        with self._lock:
            self._line.send((order, argument))
            return self._line.recv()


def serve(line: Connection) -> None:
    """Do what the line says; once it is closed, leave the processes alone and end."""
    from .worker_processes import WorkerProcesses

    log_to_stderr()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        workers = WorkerProcesses(line.recv(), (), orphaned_s=ORPHANED_S)
        while True:
            order, argument = line.recv()
            if order == "end":
                line.send(workers.stop())
                return
            if order == "hold":
                workers.hold(argument)
                line.send(None)
            else:
                line.send(workers.figures(argument))
    except (EOFError, OSError):
        os._exit(0)  # else the processes would be waited for


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
