"""A Ray cluster whose machines are processes of this one, on the loopback alone.

Ray itself runs in a process of its own: this file, which is told a word a line.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from postgres_server import free_port
from prefrontal.ray_cluster import ALONE, QUIET

STORE_BYTES = 80 * 2**20
CPUS = 2
"""Of each machine: so many processes Ray begins at a time."""


class RayMachines:
    """A head, and the machines that `add` begins; `with` ends them all.

    address, client_address: for `--ray`; what is started needs this process's environment.
    """

    def __init__(self) -> None:
        os.environ.update(QUIET | ALONE | {"RAY_AUTH_TOKEN": secrets.token_hex(32)})
        port = free_port()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.client_address = f"ray://127.0.0.1:{port}"
        self._read()

    def __enter__(self) -> RayMachines:
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def add(self) -> None:
        self._tell("add")

    def destroy(self) -> None:
        """Kill the oldest machine but the head, what manages it first."""
        raylet = self._raylets[1]
        for process in (raylet, *children(raylet)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._tell("forget")

    def all_share(self, holders: set[int]) -> bool:
        """Whether each machine, the head too, runs one of these processes."""
        return all(holders & children(raylet) for raylet in self._raylets)

    def _tell(self, word: str) -> None:
        assert self._process.stdin is not None
        print(word, file=self._process.stdin, flush=True)
        self._read()

    def _read(self) -> None:
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        self.address, self._raylets = str(answer["address"]), list(answer["raylets"])


def children(process: int) -> set[int]:
    """The processes that it started, and those that they started."""
    found: set[int] = set()
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit():
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == process:
                    found |= {int(folder.name)} | children(int(folder.name))
    return found


def serve(port: int) -> None:
    """Begin a cluster, and add or forget machines as it is told; it ends with its input."""
    from ray.cluster_utils import Cluster

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Ray prints is no answer
    lean: dict[str, Any] = {
        "include_dashboard": False,
        "no_monitor": True,
        "include_log_monitor": False,
        "ray_client_server_port": port,
    }
    machine = {"num_cpus": CPUS, "object_store_memory": STORE_BYTES}
    cluster: Any = Cluster(initialize_head=True, head_node_args=machine | lean)
    machines = [cluster.head_node]
    try:
        while True:
            pids = [each.all_processes["raylet"][0].process.pid for each in machines]
            print(json.dumps({"address": cluster.address, "raylets": pids}), file=answers)
            answers.flush()
            word = sys.stdin.readline().strip()
            if not word:
                return
            if word == "add":
                machines.append(cluster.add_node(**machine))
            else:
                with suppress(Exception):  # it is gone
                    cluster.remove_node(machines.pop(1), allow_graceful=False)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
