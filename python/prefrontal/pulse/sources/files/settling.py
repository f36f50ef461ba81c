"""Many reports about a file become one event, once the file has come to rest."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from .file_events import file_event
from .file_index import FileIndex, FileState, Missing, Tree, differences

if TYPE_CHECKING:
    from ....clock import Clock
    from ....types import SignalEvent

BATCH = 512
"""Paths looked at in one call of `due`, so that events flow during a burst."""

_RECHECK_S = 1.0


@dataclass(slots=True)
class _Pending:
    first: float
    fed: float
    due: float
    catch_up: bool
    scanned: bool
    seen: FileState | None = None


class Settler:
    """Collects reports that something changed and says what did, by comparing with the index.

    A path is looked at when nothing was reported about it, and its file did not change, for
    `settle_s`. What is there then decides, against the state last reported: "created", "modified",
    "deleted" or nothing. So a file written in pieces is one event, a file that came and went is
    none, and an atomic save (a new file renamed over the old) is one "modified".

    A file that moved is one event at its new place with `old_location` in its features and no
    "deleted"; it is recognised by inode, size and time of modification, and only when both
    ends are reported within the settle time. An empty new file waits while a download is under
    way beside it. lag_s: how late reports may be; used to look early, never to report early.
    patience_s, patience_new_s: a known, a new file that never rests is reported after these.
    No threads and no locks; time comes from `clock`, files from `tree`.
    """

    def __init__(
        self,
        tree: Tree,
        index: FileIndex,
        clock: Clock,
        settle_s: float = 0.5,
        *,
        lag_s: float = 0.0,
        patience_s: float = 30.0,
        patience_new_s: float = 600.0,
    ) -> None:
        self._tree = tree
        self._index = index
        self._clock = clock
        self._settle_s = settle_s
        self._lag_s = min(lag_s, settle_s)
        self._patience_s = patience_s
        self._patience_new_s = patience_new_s
        self._pending: dict[str, _Pending] = {}
        self._queue: list[tuple[float, str]] = []
        self._leaving: dict[tuple[int, int], str] = {}
        self.changed: dict[str, FileState | None] = {}
        """What the index says of each path that it said something else of before."""
        self.coalesced = 0
        """Reports that became part of an event that was being waited for."""
        self.found_by_scan = 0
        """Events about changes that nothing but a scan reported."""

    def __len__(self) -> int:
        return len(self._pending)

    def feed(self, path: str) -> None:
        """Something was reported about `path`: a file, a folder, or nothing any more."""
        now = self._clock.monotonic()
        pending = self._pending.get(path)
        if pending is None:
            pending = self._await(path, now, catch_up=False, scanned=False)
        else:
            self.coalesced += 1
        pending.fed = now
        pending.scanned = False
        rested = now + self._settle_s - self._lag_s
        self._postpone(path, pending, min(rested, self._last_call(path, pending)))

    def suspect(self, path: str, *, catch_up: bool = False) -> None:
        """A scan found `path` changed; a path that is being waited for already is left alone.

        catch_up: it changed while nobody watched, and its event says so.
        """
        if path not in self._pending:
            now = self._clock.monotonic()
            pending = self._await(path, now, catch_up=catch_up, scanned=True)
            self._postpone(path, pending, now)

    def next_due(self) -> float | None:
        """The monotonic second at which `due` has something to do; None when nothing waits."""
        while self._queue:
            due, path = self._queue[0]
            pending = self._pending.get(path)
            if pending is not None and pending.due == due:
                return due
            heapq.heappop(self._queue)
        return None

    def due(self) -> list[SignalEvent]:
        """Events about what has come to rest, those of files by the time they changed; call again
        while `next_due` has passed.
        """
        now = self._clock.monotonic()
        arrived: list[tuple[float, list[SignalEvent]]] = []
        events: list[SignalEvent] = []
        gone: list[tuple[str, _Pending]] = []
        for _ in range(BATCH):
            due = self.next_due()
            if due is None or due > now:
                break
            path = heapq.heappop(self._queue)[1]
            pending = self._pending[path]
            state = self._tree.look(path)
            if (rest := self._wait(path, state, pending, now)) > 0:
                self._postpone(path, pending, now + rest)
                continue
            del self._pending[path]
            if isinstance(state, FileState):
                arrived.append((state.changed, self._arrive(path, state, pending)))
            elif state is Missing.FOLDER:
                events += self._open(path, pending)
            elif state is Missing.NOTHING:
                gone.append((path, pending))
        arrived.sort(key=itemgetter(0))
        events += chain.from_iterable(each for _, each in arrived)
        # Last, because a file that moved must be found at its new place first.
        for path, pending in gone:
            events += self._farewell(path, pending)
        if not self._pending:
            self._leaving.clear()
        return events

    def _wait(self, path: str, state: FileState | Missing, pending: _Pending, now: float) -> float:
        """Seconds until it is time; 0 when it is."""
        if isinstance(state, FileState):
            return self._rest(path, state, pending, now)
        if state is Missing.NOTHING:  # time for its new place to be found, if it moved
            return pending.fed + self._settle_s - now
        return 0.0

    def _await(self, path: str, now: float, *, catch_up: bool, scanned: bool) -> _Pending:
        pending = self._pending[path] = _Pending(now, now, now, catch_up, scanned)
        for old, state in self._index.under(path):
            self._leaving[(state.device, state.inode)] = old
        return pending

    def _postpone(self, path: str, pending: _Pending, due: float) -> None:
        pending.due = due
        heapq.heappush(self._queue, (due, path))

    def _rest(self, path: str, state: FileState, pending: _Pending, now: float) -> float:
        """Seconds the file still has to rest; 0 when it is ready."""
        known = self._index.get(path)
        if known is None and state.size == 0 and self._tree.download_beside(path):
            return max(self._settle_s, _RECHECK_S)
        rest = self._settle_s - (self._clock.now() - state.changed)
        if rest > self._settle_s:
            # A time to come is another machine's clock: what counts then is that nothing moves.
            rest = 0.0 if state == pending.seen else self._settle_s
            pending.seen = state
        return max(min(rest, self._last_call(path, pending) - now), 0.0)

    def _last_call(self, path: str, pending: _Pending) -> float:
        """When the path is looked at even if it has not come to rest."""
        known = self._index.get(path) is not None
        return pending.first + (self._patience_s if known else self._patience_new_s)

    def _arrive(self, path: str, state: FileState, pending: _Pending) -> list[SignalEvent]:
        known = self._index.get(path)
        old = self._moved_from(path, state)
        for below, _ in self._index.under(path):
            if below != path:  # a folder was here
                self.suspect(below, catch_up=pending.catch_up)
        self._put(path, state)
        if known is not None and known.same_content(state) and old is None:
            return []
        delta = "created" if known is None else "modified"
        return [self._event(path, delta, state.size, pending, old)]

    def _moved_from(self, path: str, state: FileState) -> str | None:
        old = self._leaving.get((state.device, state.inode))
        if old is None or old == path:
            return None
        before = self._index.get(old)
        if before is None or not before.same_file(state):
            return None
        if self._tree.look(old) is not Missing.NOTHING:
            return None
        self._drop(old)
        return old

    def _open(self, path: str, pending: _Pending) -> list[SignalEvent]:
        """A folder is here now: what is in it came with it, what was in it may be gone."""
        file_before = self._index.get(path) is not None
        self._drop(path)
        for changed in differences(self._tree, self._index, path):
            self.suspect(changed, catch_up=pending.catch_up)
        return [self._event(path, "deleted", 0, pending, None)] if file_before else []

    def _farewell(self, path: str, pending: _Pending) -> list[SignalEvent]:
        events = []
        for old, _ in self._index.under(path):
            self._drop(old)
            events.append(self._event(old, "deleted", 0, pending, None))
        return events

    def _put(self, path: str, state: FileState) -> None:
        self._index.put(path, state)
        self.changed[path] = state

    def _drop(self, path: str) -> None:
        if self._index.get(path) is not None:
            self._index.drop(path)
            self.changed[path] = None

    def _event(
        self, path: str, delta: str, size: int, pending: _Pending, old: str | None
    ) -> SignalEvent:
        self.found_by_scan += pending.scanned and not pending.catch_up
        return file_event(path, delta, size, self._clock.now(), old, catch_up=pending.catch_up)
