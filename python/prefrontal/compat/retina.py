"""The senses a gate has without being told: the file system and the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Protocol

from ..pulse.sources.clock import ClockSource
from ..pulse.sources.filesystem import FilesystemSource
from ..types import FEATURE_DIM, SignalEvent

__all__ = ["FEATURE_DIM", "Retina", "SignalEvent", "SignalQueue"]


class SignalQueue(Protocol):
    """Where events go: a `queue.Queue`, a `SignalBus`, anything with `put`."""

    def put(self, item: SignalEvent, /) -> object: ...


class Retina:
    """Puts file events and one tick a minute into a queue.

    watch_dirs: folders, watched with all below them, see `FilesystemSource`. signal_queue: only
    its `put` is used. get_minutes_since_activation: asked at each tick, see `ClockSource`.
    """

    TICK_INTERVAL: float = 60
    """Seconds from tick to tick; may be set on an instance before `start`."""

    def __init__(
        self,
        watch_dirs: Iterable[str | os.PathLike[str]],
        signal_queue: SignalQueue,
        get_minutes_since_activation: Callable[[], float | None] | None = None,
    ) -> None:
        self._queue = signal_queue
        self._files = FilesystemSource(watch_dirs)
        self._minutes = get_minutes_since_activation
        self._ticks: ClockSource | None = None

    def start(self) -> None:
        """Begin; a second call does nothing, and after `stop` it begins again."""
        if self._ticks is None:
            self._ticks = ClockSource(self._minutes, self.TICK_INTERVAL)
            self._files.start(self._queue.put)
            self._ticks.start(self._queue.put)

    def stop(self, timeout_s: float = 5.0) -> None:
        """End, and wait for the threads; a second call does nothing."""
        ticks, self._ticks = self._ticks, None
        if ticks is not None:
            ticks.stop(timeout_s)
            self._files.stop(timeout_s)

    def add_watch_dir(self, path: str | os.PathLike[str]) -> None:
        """Watch one more folder, now or as soon as it exists; a known one is ignored."""
        self._files.add_root(path)

    def status(self) -> dict[str, object]:
        """What the file system and the time say of themselves."""
        ticks = {} if self._ticks is None else self._ticks.status()
        return {"filesystem": self._files.status(), "time": ticks}
