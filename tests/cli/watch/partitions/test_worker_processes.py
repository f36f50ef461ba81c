"""Processes that decide: begun again where they end, and alive where who began them is not."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from partition_nodes import module
from postgres_server import free_port
from prefrontal.cli.watch.partitions.plan import NodePlan
from prefrontal.cli.watch.partitions.process_host import ProcessHost
from prefrontal.cli.watch.partitions.worker_processes import WorkerProcesses
from ray_machines import children
from waiting import wait_until as wait

from ....processes import is_alive

PATIENCE_S = 120.0
wait_until = partial(wait, patience_s=PATIENCE_S, look_s=0.02)


def plan(folder: Path) -> NodePlan:
    """Of an installation whose server is away: its processes try again and again."""
    storage = {"url": f"postgresql://127.0.0.1:{free_port()}/none", "partitions": 4}
    document = {"modules": [module(0)], "storage": storage, "state": "state"}
    (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
    whole = NodePlan("auto", 2, str(folder / "prefrontal.yml"), {})
    whole.check()
    return whole


@contextmanager
def workers(folder: Path) -> Iterator[WorkerProcesses]:
    processes = WorkerProcesses(plan(folder), [0, 1], orphaned_s=10 * PATIENCE_S)
    try:
        yield processes
    finally:
        assert processes.stop()


def deciding(above: int) -> set[int]:
    """Processes below that one which have none below them, and are a worker each."""
    return {each for each in children(above) if not children(each) and runs(each, "forkserver")}


def runs(process: int, word: str) -> bool:
    """Whether it is there and the word is in its command line."""
    try:
        return word in Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    except OSError:  # it ended just now
        return False


def test_those_asked_for_run_and_a_killed_one_is_begun_again(tmp_path: Path) -> None:
    with workers(tmp_path) as processes:
        assert processes.figures(PATIENCE_S) == {0: {}, 1: {}}
        before = deciding(os.getpid())
        assert len(before) == 2
        os.kill(min(before), signal.SIGKILL)
        wait_until(
            lambda: len(after := deciding(os.getpid())) == 2 and after != before,
            "another one",
        )
        assert processes.figures(PATIENCE_S) == {0: {}, 1: {}}


def test_one_that_is_not_asked_for_any_more_ends(tmp_path: Path) -> None:
    with workers(tmp_path) as processes:
        assert processes.figures(PATIENCE_S).keys() == {0, 1}
        processes.hold([1, 7])
        assert processes.figures(PATIENCE_S) == {1: {}, 7: {}}
        wait_until(lambda: len(deciding(os.getpid())) == 2, "the end of one")


@contextmanager
def host(folder: Path) -> Iterator[tuple[ProcessHost, int, set[int]]]:
    """A host of two workers, its process, and theirs."""
    before = children(os.getpid())
    host = ProcessHost(plan(folder))
    host.hold([0, 1])
    assert host.figures(PATIENCE_S) == {0: {}, 1: {}}
    [process] = (each for each in children(os.getpid()) - before if runs(each, "process_host"))
    found = deciding(process)
    try:
        assert len(found) == 2
        yield host, process, found
    finally:
        for each in filter(is_alive, found):
            os.kill(each, signal.SIGTERM)
        wait_until(lambda: not any(map(is_alive, found)), "their end")


def test_a_host_that_is_told_so_ends_with_its_processes(tmp_path: Path) -> None:
    with host(tmp_path) as (begun, _, found):
        assert begun.end()
        assert not any(map(is_alive, found))


def test_processes_go_on_where_their_host_was_killed(tmp_path: Path) -> None:
    with host(tmp_path) as (begun, process, found):
        os.kill(process, signal.SIGKILL)
        begun.wait()
        with pytest.raises((EOFError, OSError)):
            begun.hold([0])
        assert all(map(is_alive, found))
