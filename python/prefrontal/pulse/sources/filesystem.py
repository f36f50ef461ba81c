"""Files as signals: exactly one event for each file that came, changed, moved or went."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Condition, Event, Lock, Thread, current_thread
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import InputError, SourceError
from .files.file_index import FileIndex
from .files.file_names import IGNORED, NameRules
from .files.file_roots import Roots, resolved
from .files.file_tree import DiskTree
from .files.file_watch import LAG_S
from .files.file_watcher import FileWatcher
from .files.seen_files import SeenFiles
from .files.settling import Settler
from .running import Outlet, Push, log
from .source_batch import SourceBatch

if TYPE_CHECKING:
    from ...types import SignalEvent
    from .files.file_index import FileState

_LONGEST_WAIT_S = 1.0


class FilesystemSource:
    """Watches folders and all below them, and pushes what `Settler` makes of the changes.

    roots: folders; one that does not exist is watched as soon as it does, one in another is
    watched once, one deleted and made again is watched again. settle_s: see `Settler`.
    poll: scan every `poll_s` seconds instead of relying on the system's reports (network drives,
    shared folders of containers); also done, with an error logged, when a limit of the system
    forbids watching. state_path: file that keeps what was seen, so that what changed while
    nothing ran is reported at the next start; the first start reports nothing. A gate keeps what
    came since it was written with what was decided about it. ignored: patterns
    of names, see `file_names`. rescan_s: every so often the folders are compared with what is
    known, which finds what the system forgot to report. save_s: how often the state is saved.
    own_folders: what changes in them is the agent's own doing, and no signal.

    Two threads. After `start` and `add_root` return, no change is missed.
    """

    def __init__(
        self,
        roots: Iterable[str | os.PathLike[str]] = (),
        settle_s: float = 0.5,
        *,
        poll: bool = False,
        poll_s: float = 2.0,
        state_path: str | os.PathLike[str] | None = None,
        ignored: Iterable[str] = IGNORED,
        rescan_s: float = 300.0,
        save_s: float = 300.0,
        own_folders: Iterable[str | os.PathLike[str]] = (),
        clock: Clock | None = None,
    ) -> None:
        for name, value in (("poll_s", poll_s), ("rescan_s", rescan_s), ("save_s", save_s)):
            if not 0 < value < math.inf:
                raise InputError(f"{name} must be a number of seconds above 0, got {value!r}")
        if not 0 <= settle_s < math.inf:
            raise InputError(f"settle_s must be 0 or more seconds, got {settle_s!r}")
        self._clock = SystemClock() if clock is None else clock
        self._roots = Roots(roots)
        self._outlet = Outlet()
        self._seen: SeenFiles | None = None
        own: tuple[str, ...] = ()
        if state_path is not None:
            kept_in = Path(resolved(state_path))
            self._seen, own = SeenFiles(kept_in, self._outlet), (str(kept_in),)
        folders = [resolved(each) for each in own_folders]
        self._tree = DiskTree(NameRules(ignored), self._clock, own, folders)
        self._index = FileIndex()
        lag_s = 0.0 if poll else LAG_S
        self._settler = Settler(self._tree, self._index, self._clock, settle_s, lag_s=lag_s)
        self._settling = Condition(Lock())
        self._watcher = FileWatcher(
            self._roots, self._tree, self._index, self._settler, self._settling, self._clock
        )
        self._watcher.poll, self._watcher.poll_s, self._watcher.rescan_s = poll, poll_s, rescan_s
        self._save_s = save_s
        self._lock = Lock()
        self._end: Event | None = None
        self._threads: list[Thread] = []
        self._loaded = False
        self._save_soon = False
        self._handing_on = False

    def start(self, push: Push) -> None:
        with self._lock:
            if self._end is not None:
                return
            self._outlet.push = push
            self._end = end = Event()
            self._outlet.is_ended = end.is_set
            self._load()
            known = list(self._watcher.known_roots)
            self._watcher.arm_first()
            if known != self._watcher.known_roots:  # what is new here was no event, and stays none
                self._write()
            self._threads = [
                Thread(target=self._watcher.run, args=(end,), name="prefrontal-files", daemon=True),
                Thread(target=self._settle, args=(end,), name="prefrontal-settling", daemon=True),
            ]
            for thread in self._threads:
                thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """End; what has not come to rest yet is found by the next start, if there is a state."""
        with self._lock:
            end, self._end = self._end, None
            if end is None:
                return
            end.set()
            self._watcher.interrupt.set()
            with self._settling:
                self._settling.notify_all()
            deadline = self._clock.monotonic() + timeout_s
            for thread in self._threads:
                if thread is not current_thread():
                    thread.join(max(deadline - self._clock.monotonic(), 0.0))
            self._threads = []
            self._outlet.is_ended = lambda: False
            self._save()

    def add_root(self, path: str | os.PathLike[str]) -> None:
        """Watch one more folder; what is in it already is no event. A known one is ignored."""
        root = resolved(path)
        with self._lock:
            if self._end is None:
                self._roots.add(root)
            elif root not in self._roots.paths:
                self._watcher.admit(root)
                self._save_soon = True

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for what changed to come to rest; whether all of it has been handed on."""
        with self._settling:
            return self._settling.wait_for(
                lambda: not (len(self._settler) or self._handing_on or self._settler.changed),
                timeout_s,
            )

    @property
    def coalesced(self) -> int:
        """Reports of the system that became part of another's event."""
        return self._settler.coalesced

    def status(self) -> dict[str, object]:
        """What is watched, what is missing, what waits to come to rest, and what went wrong."""
        watcher = self._watcher
        return {
            "running": self._end is not None,
            "watched": sorted(self._roots.armed),
            "missing": self._roots.missing(),
            "polling": watcher.polls,
            "files": len(self._index),
            "settling": len(self._settler),
            "errors": watcher.errors,
            "last_error": watcher.last_error,
            "coalesced": self._settler.coalesced,
            "found_by_scan": self._settler.found_by_scan,
            "unreadable": self._tree.unreadable,
            **self._outlet.counts(),
        }

    def _settle(self, end: Event) -> None:
        saved = self._clock.monotonic()
        while not end.is_set():
            events: list[SignalEvent] = []
            with self._settling:
                due = self._settler.next_due()
                left = _LONGEST_WAIT_S if due is None else due - self._clock.monotonic()
                if left > 0:
                    self._settling.wait(min(left, _LONGEST_WAIT_S))
                else:
                    events = self._due()
                changed, self._settler.changed = self._settler.changed, {}
                self._handing_on = bool(events or changed)
            if not self._hand_on(events, changed):
                return
            with self._settling:
                self._handing_on = False
                self._settling.notify_all()
            if self._save_soon or self._clock.monotonic() - saved >= self._save_s:
                saved, self._save_soon = self._clock.monotonic(), False
                self._save()

    def _hand_on(self, events: list[SignalEvent], changed: dict[str, FileState | None]) -> bool:
        if self._seen is not None:
            return self._seen.hand_on(events, changed)
        return not events or self._outlet.put(SourceBatch("files", tuple(events), ()))

    def _due(self) -> list[SignalEvent]:
        before = self._settler.found_by_scan
        events = self._settler.due()
        if not self._watcher.polls and (missed := self._settler.found_by_scan - before):
            many = "1 change; a scan found it"
            if missed > 1:
                many = f"{missed:,} changes; a scan found them"
            log.warning("The system did not report %s", many)
        return events

    def _load(self) -> None:
        if self._seen is None or (self._loaded and not self._seen.is_ahead):
            return
        self._loaded = True
        try:
            index_and_roots = self._seen.load()
        except (InputError, SourceError, OSError, ValueError, TypeError) as error:
            self._watcher.fail(f"What was seen before is lost: {error}")
            return
        if index_and_roots is not None:
            self._watcher.known_roots = index_and_roots[1]
            self._index.adopt(index_and_roots[0])

    def _save(self) -> None:
        if self._seen is not None and self._seen.is_stored():
            self._write()
            self._seen.forget()

    def _write(self) -> None:
        if self._seen is None:
            return
        try:
            with self._settling:
                self._seen.save(self._index, self._watcher.known_roots)
        except SourceError as error:
            self._watcher.fail(f"What was seen cannot be kept: {error}")
