"""Where what any node receives becomes rows for the partitions it concerns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import TimeoutError as LateError
from threading import Event
from typing import TYPE_CHECKING

from ...._core.pulse import Routes
from ....decisions.event_json import events_to_json
from ....errors import SourceError
from ....pulse.modules.partition_of import partition_of
from ....pulse.modules.routes import interests
from ....pulse.sources.source_batch import Post
from ....storage.database import FencedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....clock import Clock
    from ....pulse.modules.fingerprint import ModuleFingerprint
    from ....pulse.sources.source_batch import SourceBatch
    from ....storage.partitions.partition_inbox import PartitionInbox, Written
    from ....types import SignalEvent

ACCEPT_S = 5.0
RETRY_S = 1.0
ROW = 256
"""Most events of a row."""


class PartitionIntake:
    """The role `Intake`: what is accepted is committed to the inbox of each partition it concerns.

    modules: all of the installation, over `partitions`. holder: (number, member) of what is held
    to read streams. unheard: events that concern no module.
    """

    def __init__(
        self,
        inbox: PartitionInbox,
        modules: Iterable[ModuleFingerprint],
        partitions: int,
        clock: Clock,
    ) -> None:
        self.holder: tuple[int, int] | None = None
        self.unheard = 0
        self._inbox = inbox
        self._clock = clock
        self._routes = Routes()
        self._homes: dict[str, int] = {}
        for module in modules:
            self._routes.add(module.module_id, **interests(module))
            self._homes[module.module_id] = partition_of(module.module_id, partitions)

    def __call__(self, event: SignalEvent) -> bool:
        return self.accept(Post((event,)), ACCEPT_S)

    def accept(self, post: Post, timeout_s: float) -> bool:
        """Whether the post is committed, in time."""
        marks = [mark for mark in post.marks if mark]
        try:
            future = self._inbox.put(
                self._written(post.events, post.marks), self._clock.now(), marks=marks
            )
            try:
                future.result(timeout_s)
            except LateError:
                if future.cancel():
                    raise
                future.result(timeout_s)  # it is being written
        except (SourceError, LateError):
            post.settle(stored=False)
            return False
        post.settle(stored=True)
        return True

    def put(self, batch: SourceBatch, is_ended: Callable[[], bool]) -> bool:
        """Commit the batch with its places, however long that takes; False once it ends before."""
        written = self._written(batch.events, ())
        while not is_ended():
            try:
                self._inbox.put(
                    written, self._clock.now(), places=batch.places, holder=self.holder
                ).result()
            except FencedError:
                return False
            except SourceError:
                Event().wait(RETRY_S)
            else:
                return True
        return False

    def place(self, name: str) -> bytes | None:
        return self._inbox.places(name).get(name)

    def places(self, prefix: str) -> dict[str, bytes]:
        return self._inbox.places(prefix)

    def keep(self, name: str, content: bytes) -> None:
        places = ((name, content),)
        now = self._clock.now()
        self._inbox.put(lambda _: (), now, places=places, holder=self.holder).result()

    def _written(self, events: Sequence[SignalEvent], marks: Sequence[bytes]) -> Written:
        """What makes the rows of those events that have no mark, or a new one."""
        homes = [self._homes_of(event) for event in events]
        marked = list(zip(marks or (b"",) * len(events), events, homes, strict=True))

        def written(new: Collection[bytes]) -> list[tuple[int, str | bytes]]:
            rows: dict[int, list[SignalEvent]] = {}
            for mark, event, numbers in marked:
                if not mark or mark in new:
                    for number in numbers:
                        rows.setdefault(number, []).append(event)
            return [
                (number, events_to_json(some[start : start + ROW]))
                for number, some in rows.items()
                for start in range(0, len(some), ROW)
            ]

        return written

    def _homes_of(self, event: SignalEvent) -> set[int]:
        homes = {self._homes[name] for name in self._routes.match([event])}
        self.unheard += not homes
        return homes
