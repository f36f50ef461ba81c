"""One page of figures a node, from the processes that decide for it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from pathlib import Path
from threading import Event, Thread
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from partition_nodes import Node
from postgres_server import free_port
from prefrontal.cli.watch.partitions.node_figures import (
    MOST_MODULES,
    FiguresOfPartitions,
    WorkerLine,
    answer_node,
    figures_of,
    node_page,
)

from ....ray_extra import require_ray
from ....storage.postgres_server import running_server
from ....telemetry.gates import gate, run

PATIENCE_S = 120.0


@contextmanager
def worker(figures: Callable[[], FiguresOfPartitions]) -> Iterator[WorkerLine]:
    ours, theirs = Pipe()
    thread = Thread(target=answer_node, args=(theirs, figures))
    thread.start()
    line = WorkerLine(ours)
    try:
        yield line
    finally:
        line.close()
        thread.join()  # it ends when the line is closed
        theirs.close()


def samples(page: str, name: str) -> dict[tuple[str, ...], float]:
    """Value by what the labels are."""
    return {
        tuple(each.labels.values()): each.value
        for family in text_string_to_metric_families(page)
        if family.name == name
        for each in family.samples
    }


def test_each_figure_bears_its_partition_and_each_process_whether_it_answers() -> None:
    registry = gate()
    run(registry)
    ours, theirs = Pipe()
    theirs.close()  # a process that has ended
    with worker(lambda: figures_of({3: registry, 12: gate()}, 2)) as first:
        lines = {0: first, 1: WorkerLine(ours)}
        page = node_page({n: line.figures(PATIENCE_S) for n, line in lines.items()}, unheard=7)
    ours.close()
    assert samples(page, "prefrontal_events") == {("003",): 5, ("012",): 0}
    assert samples(page, "prefrontal_threshold").keys() == {
        ("003", "homework"),
        ("012", "homework"),
    }
    assert samples(page, "prefrontal_worker_up") == {("0",): 1, ("1",): 0}
    assert samples(page, "prefrontal_partitions_held") == {("0",): 2}
    assert samples(page, "prefrontal_events_unheard") == {(): 7}


def test_of_many_modules_none_is_told_of_alone() -> None:
    assert "prefrontal.threshold" in figures_of({0: gate()}, MOST_MODULES)[0]
    figures = figures_of({0: gate()}, MOST_MODULES + 1)[0]
    assert "prefrontal.events" in figures and "prefrontal.threshold" not in figures


def test_a_late_answer_is_not_taken_for_the_next_one() -> None:
    may_answer = Event()
    answers: Iterator[FiguresOfPartitions] = iter([{1: {}}, {1: {}, 2: {}}])

    def figures() -> FiguresOfPartitions:
        may_answer.wait(PATIENCE_S)
        return next(answers)

    with worker(figures) as line:
        assert line.figures(0.0) is None
        assert line.figures(0.0) is None  # asks nothing more meanwhile
        may_answer.set()
        assert line.figures(PATIENCE_S) == {1: {}, 2: {}}


def test_figures_that_cannot_be_read_end_no_process(caplog: pytest.LogCaptureFixture) -> None:
    def figures() -> FiguresOfPartitions:
        raise OSError("a source is gone")

    with worker(figures) as line:
        assert line.figures(PATIENCE_S) == {}
        assert line.figures(PATIENCE_S) == {}
    assert "the figures could not be read" in caplog.text


@pytest.mark.exhaustive
@pytest.mark.parametrize("ray", ["", "local"])
def test_a_node_serves_the_figures_of_all_its_processes(tmp_path: Path, ray: str) -> None:
    if ray:
        require_ray()
    with running_server() as server:
        node = Node(tmp_path / "node", server.url(), 4, free_port(), 0)
        try:
            node.start(2, metrics=free_port(), ray=ray)
            page, end = "", time.monotonic() + PATIENCE_S
            while sum(samples(page, "prefrontal_partitions_held").values()) < 4:
                assert time.monotonic() < end
                output = (node.folder / "output").read_text()
                if match := re.search(r"http://[^ ]*/metrics", output):
                    page = urlopen(match[0], timeout=PATIENCE_S).read().decode()
            assert samples(page, "prefrontal_worker_up") == {("0",): 1, ("1",): 1}
            assert len(samples(page, "prefrontal_events")) == 4
            assert node.end() == 143  # by SIGTERM
        finally:
            node.destroy()
