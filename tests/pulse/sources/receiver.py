"""Where the events of a source under test go: they can be waited for, with a generous timeout."""

from __future__ import annotations

import os
from collections.abc import Callable
from queue import Empty, Queue

from prefrontal.types import SignalEvent

PATIENCE_S = 30.0


class Receiver:
    """Takes events; `take(n)` waits for n of them, `rest()` gives what else is there."""

    def __init__(self) -> None:
        self._queue: Queue[SignalEvent] = Queue()

    def __call__(self, event: SignalEvent) -> bool:
        self._queue.put(event)
        return True

    def take(self, count: int = 1) -> list[SignalEvent]:
        return [self._queue.get(timeout=PATIENCE_S) for _ in range(count)]

    def until(self, last: Callable[[SignalEvent], bool]) -> list[SignalEvent]:
        """Events up to the first that `last` accepts, which is left out."""
        found: list[SignalEvent] = []
        while not last(event := self._queue.get(timeout=PATIENCE_S)):
            found.append(event)
        return found

    def rest(self) -> list[SignalEvent]:
        found = []
        try:
            while True:
                found.append(self._queue.get_nowait())
        except Empty:
            return found


def facts(events: list[SignalEvent]) -> list[tuple[str, str]]:
    """(what, file name) of each event, in order."""
    return [(event.delta_type, os.path.basename(event.location)) for event in events]  # noqa: PTH119
