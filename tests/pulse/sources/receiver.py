"""Where the events of a source under test go: they can be waited for, with a generous timeout."""

from __future__ import annotations

import os
from collections.abc import Callable
from queue import Empty, Queue

from prefrontal.errors import SourceError
from prefrontal.pulse.sources.source_batch import Post, SourceBatch
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


class Intake(Receiver):
    """The role `Intake`: takes batches, and says no once where `unreadable` is set.

    is_behind: what it takes is not decided yet, so that its places are not known.
    """

    def __init__(self, *, is_behind: bool = False) -> None:
        super().__init__()
        self.known: dict[str, bytes] = {}
        self.unreadable = False
        self._is_behind = is_behind

    def put(self, batch: SourceBatch, is_ended: Callable[[], bool]) -> bool:
        for event in batch.events:
            self(event)
        if not self._is_behind:
            self.known |= dict(batch.places)
        return True

    def accept(self, post: Post, timeout_s: float) -> bool:
        return False

    def place(self, name: str) -> bytes | None:
        if self.unreadable:
            self.unreadable = False
            raise SourceError("the log cannot be read")
        return self.known.get(name)

    def places(self, prefix: str) -> dict[str, bytes]:
        return {name: place for name, place in self.known.items() if name.startswith(prefix)}

    def keep(self, name: str, content: bytes) -> None:
        self.known[name] = content


def facts(events: list[SignalEvent]) -> list[tuple[str, str]]:
    """(what, file name) of each event, in order."""
    return [(event.delta_type, os.path.basename(event.location)) for event in events]  # noqa: PTH119
