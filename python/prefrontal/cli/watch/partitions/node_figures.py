"""The figures of a node's workers as one page for Prometheus, each with its partition."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from ....telemetry.figures import FIGURES, Figure, Sample, Snapshot
from ....telemetry.prometheus import prometheus_page

if TYPE_CHECKING:
    from ....pulse.shells.watch import Watch

ANSWER_S = 2.0
"""All workers have so long together; one that hangs is told of as such."""
END = b"end"
MOST_MODULES = 1000
"""Of an installation, beyond which nothing is told of single modules: a page is to be read."""
OF_MODULES = frozenset(
    f"prefrontal.{name}"
    for name in (
        "threshold",
        "recall_alarm",
        "recall_estimate",
        "recall_estimate_low",
        "recall_estimate_high",
    )
)
log = logging.getLogger("prefrontal.partitions")

FiguresOfPartitions: TypeAlias = dict[int, dict[str, list[Sample]]]
"""By partition, the samples of each figure by its name."""


def figures_of(watches: Mapping[int, Watch], modules: int) -> FiguresOfPartitions:
    """What the watches of partitions say. modules: how many the installation has."""
    names = [each for each in FIGURES if modules <= MOST_MODULES or each.name not in OF_MODULES]
    figures: FiguresOfPartitions = {}
    for number, watch in sorted(watches.items()):
        snapshot = Snapshot(watch)
        figures[number] = {each.name: list(each.read(snapshot)) for each in names}
    return figures


class WorkerLine:
    """The connection to a worker, over which it is asked for its figures; any thread may ask.

    Closing it ends the worker, at once or after as long as it was told to go on by itself.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = Lock()
        self._owes = False

    def figures(self, timeout_s: float) -> FiguresOfPartitions | None:
        """What it says; None where it does not answer in time, or has ended."""
        with self._lock:
            end = monotonic() + timeout_s
            try:
                if self._owes and not self._answer(end):  # to who asked before
                    return None
                self._connection.send_bytes(b"figures")
                self._owes = True
                return self._answer(end)
            except (OSError, EOFError):
                return None

    def end(self) -> None:
        """Tell the worker to end, and close."""
        with suppress(OSError):
            self._connection.send_bytes(END)
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _answer(self, end: float) -> FiguresOfPartitions | None:
        if not self._connection.poll(max(0.0, end - monotonic())):
            return None
        answer: FiguresOfPartitions = self._connection.recv()
        self._owes = False
        return answer


def answer_node(connection: Connection, figures: Callable[[], FiguresOfPartitions]) -> bool:
    """Answer a `WorkerLine` until it is closed; whether it told the worker to end."""
    with suppress(OSError, EOFError):
        while True:
            if connection.recv_bytes() == END:
                return True
            try:
                answer = figures()
            except Exception:  # who asks must not end who decides
                log.exception("the figures could not be read")
                answer = {}
            connection.send(answer)
    return False


def node_page(answers: Mapping[int, FiguresOfPartitions | None], unheard: int) -> str:
    """The page. answers: of each worker by its number, None for one that gave none. unheard:
    events that concern no module.
    """
    families: dict[str, list[Sample]] = {}
    for held in answers.values():
        for partition, figures in (held or {}).items():
            for name, samples in figures.items():
                families.setdefault(name, []).extend(
                    ({"partition": f"{partition:03d}", **labels}, value)
                    for labels, value in samples
                )
    own: list[tuple[Figure, list[Sample]]] = [
        (WORKER_UP, [(_worker(n), float(held is not None)) for n, held in answers.items()]),
        (HELD, [(_worker(n), float(len(held))) for n, held in answers.items() if held is not None]),
        (UNHEARD, [({}, float(unheard))]),
    ]
    return prometheus_page([*((each, families.get(each.name, [])) for each in FIGURES), *own])


def _worker(number: int) -> dict[str, str]:
    return {"worker": str(number)}


def _nothing(_: Snapshot) -> Iterator[Sample]:
    return iter(())


WORKER_UP = Figure("prefrontal.worker_up", "gauge", "1", "1 while the process that decides "
                   "answers, else 0.", _nothing)  # fmt: skip
HELD = Figure("prefrontal.partitions_held", "gauge", "{partition}", "Partitions that the process "
              "holds.", _nothing)  # fmt: skip
UNHEARD = Figure("prefrontal.events_unheard", "counter", "{event}", "Events taken in at this node "
                 "that concern no module.", _nothing)  # fmt: skip
