"""What waits in the shared inbox for one partition, handed on with the place after it."""

from __future__ import annotations

import logging
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from ...decisions.event_json import events_from_json
from ...errors import SourceError
from .source_batch import SourceBatch
from .source_thread import SourceThread

if TYPE_CHECKING:
    from ...types import SignalEvent
    from .running import Push

PLACE = "place inbox"
"""Names the number of the last row that was decided about, in the partition's own store."""
ROWS = 256
MOST_EVENTS = 256
LOOK_S = 1.0
"""Looks so often where nothing rings."""
FORGET_S = 5.0

log = logging.getLogger("prefrontal.pulse")


class WaitingRows(Protocol):
    """The shared inbox, as far as one partition needs it."""

    def after(self, partition: int, seq: int, limit: int) -> list[tuple[int, str | bytes]]: ...
    def forget(self, partition: int, through: int) -> None: ...


class PartitionSource:
    """The role `Source`: rows of the inbox in their order, each decided about once.

    A row's number is committed with what was decided about its events; only then it is deleted.
    """

    def __init__(self, rows: WaitingRows, partition: int) -> None:
        self._rows = rows
        self._partition = partition
        self._changed = Event()
        self._thread = SourceThread(
            f"prefrontal-partition-{partition}", self._run, self._changed.set
        )
        self._outlet = self._thread.outlet
        self._forgotten = 0
        self._last_error = ""

    def start(self, push: Push) -> None:
        self._thread.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._thread.stop(timeout_s)

    def ring(self) -> None:
        """Something new waits; returns at once."""
        self._changed.set()

    def status(self) -> dict[str, object]:
        return {
            "running": self._thread.is_running,
            "partition": self._partition,
            "last_error": self._last_error,
            **self._outlet.counts(),
        }

    def _run(self, end: Event) -> None:
        through, forget_at = -1, 0.0
        while not end.is_set():
            self._changed.clear()
            try:
                if through < 0:
                    through = self._decided()
                rows = self._rows.after(self._partition, through, ROWS)
                if monotonic() >= forget_at:
                    forget_at = monotonic() + FORGET_S
                    self._forget()
                self._last_error = ""
            except SourceError as error:
                if not self._last_error:
                    log.warning("partition %d: %s", self._partition, error)
                self._last_error = str(error)
                end.wait(LOOK_S)
                continue
            for batch, through in batches(rows):
                if not self._outlet.put(SourceBatch("inbox", batch, ((PLACE, b"%d" % through),))):
                    return
            if not rows:
                self._changed.wait(LOOK_S)

    def _decided(self) -> int:
        """The number of the last row whose decisions are stored."""
        intake = self._outlet.intake
        content = None if intake is None else intake.place(PLACE)
        return 0 if content is None else int(content)

    def _forget(self) -> None:
        if (through := self._decided()) > self._forgotten:
            self._rows.forget(self._partition, through)
            self._forgotten = through


def batches(rows: list[tuple[int, str | bytes]]) -> list[tuple[tuple[SignalEvent, ...], int]]:
    """The events of whole rows, about MOST_EVENTS at once, each with its last row's number."""
    joined: list[tuple[tuple[SignalEvent, ...], int]] = []
    events: list[SignalEvent] = []
    for number, content in rows:
        events += events_from_json(content)
        if len(events) >= MOST_EVENTS or number == rows[-1][0]:
            joined.append((tuple(events), number))
            events = []
    return joined
