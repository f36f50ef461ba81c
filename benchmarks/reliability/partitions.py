"""Partitions shared by processes: killed, frozen, joined by another node; and how fast they are.

    python benchmarks/reliability/partitions.py --seconds 60 --rate 500
    python benchmarks/reliability/partitions.py --act freeze --planted fence
    python benchmarks/reliability/partitions.py --act kill --planted position
    python benchmarks/reliability/partitions.py --act throughput
    python benchmarks/reliability/partitions.py --act ray-kill --act ray-lose    # the extra [ray]
    python benchmarks/reliability/partitions.py --act ray-begin

Each signal that a door acknowledged must be decided about once, and each delivery carries its key.
How long a partition was without decisions is read from the times of their commits, on the server.
`--planted` leaves out the fence, or stores a position before its decisions: then a run must fail.
Exit code 1 when something was lost, doubled, or delivered without a key.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from own_folder import make_own_folder
from partition_nodes import PATIENCE_S, Node, Sender, Server, Woken
from partition_speed import latency, throughput
from postgres_server import PostgresServer, free_port, programs, server_in
from prefrontal.cli.watch.partitions.process_host import ORPHANED_S
from prefrontal.storage.partitions.schema import partition_url
from ray_machines import RayMachines, children
from waiting import wait_until as wait

BACK_S = 5.0
"""Asked: how long a partition may be without decisions."""
PARTITIONS = 8
RAY_BEGIN_S = 10.0
"""What begins the processes takes 4 s of CPU itself, more than half of them Ray's."""
BEGINNERS = "ray::MachineActor", "process_host", "forkserver"
"""In the command lines of those that begin processes on a machine of Ray."""
LOOK_S = 0.1
QUIET_S = 4.0
PLANTED = {
    "fence": """
CREATE OR REPLACE FUNCTION {schema}.begin_write(mine bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 0)); END $$""",
    "position": """
CREATE OR REPLACE FUNCTION {schema}.hurry() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN IF NEW.name = 'place inbox' THEN
    NEW.content = convert_to((convert_from(NEW.content, 'UTF8')::bigint + 40)::text, 'UTF8');
  END IF; RETURN NEW; END $$;
CREATE OR REPLACE TRIGGER hurry BEFORE INSERT OR UPDATE ON {schema}.states
  FOR EACH ROW EXECUTE FUNCTION {schema}.hurry()""",
}


class Trial:
    """One installation on the server, its nodes, and a sender's receipts."""

    def __init__(self, scratch: Path, server: PostgresServer, rate: float, planted: str) -> None:
        self.scratch, self.rate, self.planted = scratch, rate, planted
        self.url = server.url(tcp=True)
        self.woken = Woken()
        self.server = Server(self.url, PARTITIONS)
        self.nodes: list[Node] = []

    def node(self) -> Node:
        name = f"node{len(self.nodes)}"
        node = Node(self.scratch / name, self.url, PARTITIONS, free_port(), self.woken.port)
        self.nodes.append(node)
        return node

    def begin(self, *nodes: Node, workers: int = 2, ray: str = "") -> None:
        """Start them and wait until each partition is held."""
        for node in nodes:
            node.start(workers, ray=ray)
        wait_until(lambda: len(self._holders()) == PARTITIONS, "the first start")
        if self.planted:
            for number in range(PARTITIONS):
                schema = partition_url(self.server.url, number).schema
                wait_until(lambda: self._is_made(schema), "the stores")  # noqa: B023
                self.server.execute(PLANTED[self.planted].format(schema=schema))

    def sender(self) -> Sender:
        return Sender([node.port for node in self.nodes], self.rate)

    def settle(self, sender: Sender) -> list[str]:
        """What is wrong once all that can be decided is."""
        end, before = time.monotonic() + PATIENCE_S, -1
        while time.monotonic() < end and (count := self.server.count()) < len(sender.sent):
            if count == before and self.planted:
                break
            before = count
            time.sleep(QUIET_S)
        decided = self.server.decided()
        times = Counter(id_ for _, _, id_ in decided)
        lost = sender.sent.keys() - times.keys()
        twice = sum(count > 1 for count in times.values())
        gaps = longest_gaps(decided)
        print(
            f"  {len(sender.sent)} signals: {len(lost)} lost, {twice} decided twice; longest"
            f" without a decision {max(gaps):.1f} s ({', '.join(f'{g:.1f}' for g in gaps)})",
            flush=True,
        )
        no_key = self.woken.ids[""]
        again = sum(count - 1 for id_, count in self.woken.ids.items() if id_)
        print(f"  {sum(self.woken.ids.values())} delivered, {no_key} without their key, {again}"
              f" again under the same; a door refused {sender.refused} times")  # fmt: skip
        faults = [f"{len(lost)} lost"] * bool(lost) + [f"{twice} decided twice"] * bool(twice)
        return faults + [f"{no_key} delivered without a key"] * bool(no_key)

    def close(self) -> None:
        for node in self.nodes:
            node.destroy()
        self.woken.shutdown()
        self.woken.server_close()
        self.server.close()

    def _holders(self) -> dict[int, int]:
        with suppress(Exception):
            return self.server.holders()
        return {}

    def _is_made(self, schema: str) -> bool:
        name = f"{schema}.decisions"
        return bool(self.server.execute(f"SELECT to_regclass('{name}') IS NOT NULL")[0][0])


def kill(trial: Trial, seconds: float, ray: str = "") -> list[str]:
    """Kill a process that holds partitions, once a second."""
    node = trial.node()
    trial.begin(node, workers=PARTITIONS, ray=ray)
    kills = 0
    with trial.sender() as sender:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(1.0)
            if holders := sorted(set(trial.server.holders().values())):
                with suppress(ProcessLookupError):
                    os.kill(holders[kills % len(holders)], signal.SIGKILL)
                    kills += 1
        time.sleep(QUIET_S)
    faults = trial.settle(sender)
    print(f"  {kills} kills")
    node.end()
    return faults


def lose(trial: Trial, seconds: float) -> list[str]:
    """Kill a whole node, door and all, and start it again, in turn."""
    nodes = trial.node(), trial.node()
    trial.begin(*nodes)
    with trial.sender() as sender:
        end = time.monotonic() + seconds
        turn = 0
        while time.monotonic() < end:
            wait_until(lambda: len(set(trial.server.holders().values())) == 4, "a share each")
            time.sleep(2.0)
            nodes[turn % 2].destroy()
            nodes[turn % 2].start(2)
            turn += 1
        time.sleep(QUIET_S)
    faults = trial.settle(sender)
    print(f"  {turn} nodes killed")
    for node in nodes:
        node.end()
    return faults


def freeze(trial: Trial, seconds: float) -> list[str]:
    """Freeze one of two nodes; the other takes over; then the frozen one goes on."""
    frozen, other = trial.node(), trial.node()
    trial.begin(frozen, other)
    wait_until(lambda: len(set(trial.server.holders().values())) == 4, "a share each")
    with Sender([other.port], trial.rate) as sender:
        time.sleep(3.0)
        before = trial.server.holders()
        epochs = trial.server.epochs()
        frozen.tell(signal.SIGSTOP)
        time.sleep(seconds / 3)
        during = trial.server.holders()
        frozen.tell(signal.SIGCONT)
        time.sleep(seconds / 3)
    moved = [number for number in before if during.get(number) != before[number]]
    taken = [number for number in moved if trial.server.epochs()[number] > epochs[number]]
    print(f"  {len(moved)} partitions moved while it was frozen, {len(taken)} fenced")
    faults = [] if len(moved) == len(taken) else ["a partition moved without a higher epoch"]
    faults += trial.settle(sender)
    for node in (frozen, other):
        node.end()
    return faults


def join(trial: Trial, seconds: float) -> list[str]:
    """A second node joins, and leaves again."""
    first = trial.node()
    trial.begin(first)
    second = trial.node()
    with Sender([first.port], trial.rate) as sender:
        time.sleep(3.0)
        began = time.monotonic()
        second.start(2)
        wait_until(lambda: len(set(trial.server.holders().values())) == 4, "a share each")
        print(f"  a share each {time.monotonic() - began:.1f} s after the start of the second")
        time.sleep(seconds / 6)
        second.end()
        time.sleep(seconds / 6)
    faults = trial.settle(sender)
    first.end()
    return faults


def ray_kill(trial: Trial, seconds: float) -> list[str]:
    """As `kill`, the processes being on a machine of a Ray cluster."""
    return kill(trial, seconds, "local")


def ray_begin(trial: Trial, seconds: float) -> list[str]:
    """Kill what began the processes that hold partitions, in turn; these go on without it."""
    node = trial.node()
    trial.begin(node, workers=PARTITIONS, ray="local")
    assert node.process is not None
    beginners = partial(beginners_below, node.process.pid)
    kills = 0
    with trial.sender() as sender:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(RAY_BEGIN_S)
            word = BEGINNERS[kills % len(BEGINNERS)]
            wait_until(lambda: bool(beginners(word)), word)  # noqa: B023
            os.kill(beginners(word)[0], signal.SIGKILL)
            kills += 1
        time.sleep(ORPHANED_S + QUIET_S)
        wait_until(lambda: len(trial.server.holders()) == PARTITIONS, "all held")
    faults = trial.settle(sender)
    print(f"  {kills} kills of what begins the processes")
    node.end()
    return faults


def beginners_below(process: int, word: str) -> list[int]:
    """The processes below it that began others, and have the word in their command lines."""
    found = []
    for each in sorted(children(process)):
        with suppress(OSError):
            line = Path(f"/proc/{each}/cmdline").read_bytes().decode(errors="replace")
            if word in line and children(each):
                found.append(each)
    return found


def ray_lose(trial: Trial, seconds: float) -> list[str]:
    """Kill one of three machines of a Ray cluster with all its actors, and add one, in turn."""
    node = trial.node()
    with RayMachines() as machines:
        machines.add()
        machines.add()
        trial.begin(node, workers=PARTITIONS, ray=machines.address)
        with trial.sender() as sender:
            end = time.monotonic() + seconds
            turn = 0
            while time.monotonic() < end:
                shares = lambda: machines.all_share(set(trial.server.holders().values()))  # noqa: E731
                wait_until(shares, "a share each")
                time.sleep(2.0)
                machines.destroy()
                machines.add()
                turn += 1
            time.sleep(QUIET_S)
        faults = trial.settle(sender)
        print(f"  {turn} machines of the cluster killed")
        node.end()
    return faults


def longest_gaps(decided: list[tuple[int, float, str]]) -> list[float]:
    """For each partition the longest time between two commits of decisions."""
    gaps = []
    for number in range(PARTITIONS):
        moments = sorted(at for partition, at, _ in decided if partition == number)
        gaps.append(max((after - before for before, after in pairwise(moments)), default=0.0))
    return gaps


wait_until = partial(wait, patience_s=PATIENCE_S, look_s=LOOK_S)

Act = Callable[[Trial, float], list[str]]
ACTS: dict[str, Act] = {"kill": kill, "lose": lose, "freeze": freeze, "join": join}
RAY_ACTS: dict[str, Act] = {"ray-kill": ray_kill, "ray-begin": ray_begin, "ray-lose": ray_lose}
"""Where the extra [ray] is installed."""


def main() -> int:
    """Each act on an installation of its own; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    acts = ACTS | (RAY_ACTS if find_spec("ray") else {})
    parser.add_argument("--act", choices=[*acts, "throughput", "latency"], action="append")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=500.0, help="signals a second")
    parser.add_argument("--planted", choices=PLANTED, default="", help="a fault to be found")
    options = parser.parse_args()
    folder = programs()
    if folder is None:
        sys.exit("needs PostgreSQL's server (Debian: postgresql)")
    broken = 0
    with server_in(folder, max_connections="200", track_commit_timestamp="on") as server:
        for name in options.act or [*acts, "throughput", "latency"]:
            scratch = make_own_folder("partitions")
            print(f"{name}:", flush=True)
            try:
                if name in acts:
                    faults = _act(acts[name], scratch, server, options)
                else:
                    faults = (throughput if name == "throughput" else latency)(
                        scratch, server, options.seconds
                    )
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
            for fault in faults:
                print(f"  broken: {fault}")
            broken += bool(faults)
    return 1 if broken else 0


def _act(act: Act, scratch: Path, server: PostgresServer, options: argparse.Namespace) -> list[str]:
    trial = Trial(scratch, server, options.rate, options.planted)
    try:
        return act(trial, options.seconds)
    finally:
        trial.close()


if __name__ == "__main__":
    sys.exit(main())
