"""The thread that hears of changes and hands them to the settling."""

from __future__ import annotations

import logging
import math
from threading import Condition, Event
from typing import TYPE_CHECKING

from .file_index import FileIndex, differences
from .file_roots import Roots, holder
from .file_watch import FileChanges, FileWatch, PollingWatch, SystemWatch, WatchError

if TYPE_CHECKING:
    from ....clock import Clock
    from .file_tree import DiskTree
    from .settling import Settler

ROOTS_S = 1.0
"""How often it is looked whether a missing folder is there now."""
SHORT_S = 2.0
"""A watch that breaks again so soon is broken by the scan that follows its making: it opens
folders, and the system reports that by a name that may be no UTF-8.
"""

_ADMIT_S = 60.0
log = logging.getLogger("prefrontal.pulse")


class FileWatcher:
    """Keeps a watch on the roots that exist, scans where it may have missed something.

    Everything but `run` and `admit` belongs to the thread in `run`, and before it to whoever
    starts it. The settler and the index are touched under `settling`, their lock.
    """

    def __init__(
        self,
        roots: Roots,
        tree: DiskTree,
        index: FileIndex,
        settler: Settler,
        settling: Condition,
        clock: Clock,
    ) -> None:
        self._roots = roots
        self._tree = tree
        self._index = index
        self._settler = settler
        self._settling = settling
        self._clock = clock
        self.poll, self.poll_s, self.rescan_s = False, 2.0, 300.0
        self.interrupt = Event()
        self.known_roots: list[str] = []
        """Folders whose files the index knows; what is new in others was there before."""
        self.errors = 0
        self.last_error = ""
        self._watch: FileWatch | None = None
        self._broken_at = -math.inf
        self._told: dict[bool, str] = {}
        self._polls_until = -math.inf
        self._running = False
        self._requests: list[tuple[str, Event]] = []
        self._next_roots = 0.0
        self._next_scan = 0.0

    @property
    def polls(self) -> bool:
        """Whether the system is not asked, by choice or because it cannot be for now."""
        return self.poll or self._polls_until > -math.inf

    def fail(self, sentence: str) -> None:
        """Be loud: log it and keep it for the status."""
        self.errors += 1
        self.last_error = sentence
        log.error("%s", sentence)

    def arm_first(self) -> None:
        """Watch what is there; report what changed since the state was kept, if one was."""
        self.interrupt.clear()
        self._running = True
        self._arm()
        for root in self._roots.paths:
            self._learn(root, catch_up=True)
        now = self._clock.monotonic()
        self._next_roots, self._next_scan = now + ROOTS_S, now + self.rescan_s

    def admit(self, root: str) -> None:
        """Have the running thread watch `root` too, and wait until it does."""
        done = Event()
        self._requests.append((root, done))
        self.interrupt.set()
        done.wait(_ADMIT_S)

    def run(self, end: Event) -> None:
        try:
            while not end.is_set():
                try:
                    self._step(end)
                except Exception as error:
                    log.exception("Watching files failed and starts anew")
                    self.errors += 1
                    self.last_error = repr(error)
                    self._disarm()
                    end.wait(ROOTS_S)
        finally:
            self._running = False
            self._disarm()
            self._answer_requests()

    def _step(self, end: Event) -> None:
        news = self._hear()
        if end.is_set():
            return
        if self.interrupt.is_set():
            self.interrupt.clear()
            self._answer_requests()
        now = self._clock.monotonic()
        if news.deleted & self._roots.armed.keys():
            self._roots.armed = {}  # a folder made anew may look like the one that went
            self._next_roots = now
        if self._polls_until <= now and self._polls_until > -math.inf:
            self._polls_until = -math.inf
            self._roots.armed = {}  # perhaps the system can be asked again
            self._next_roots = now
        rescan = news.rescan or now >= self._next_scan
        if now >= self._next_roots:
            self._next_roots = now + ROOTS_S
            if self._roots.present() != self._roots.armed:
                self._arm()
                rescan = True
        self._feed(news)
        if rescan:
            self._next_scan = now + self.rescan_s
            self._scan()

    def _hear(self) -> FileChanges:
        if self._watch is None:
            self.interrupt.wait(ROOTS_S)
            return FileChanges()
        try:
            return self._watch.wait(self.interrupt)
        except WatchError as error:
            self._mend(str(error))
            return FileChanges()

    def _mend(self, reason: str) -> None:
        """Watch anew after a break, or poll for a while where that would break at once, too."""
        # Among others for a name that is not UTF-8; the scan finds the file.
        now = self._clock.monotonic()
        again = now - self._broken_at < SHORT_S
        if again:
            self._polls_until = now + self.rescan_s
            what = f"Folders are polled every {self.poll_s:g} s, as their watch breaks"
        else:
            what = "The watch broke and is made anew"
        sentence = f"{what}: {reason}"
        self._broken_at = now
        self.errors += 1
        self.last_error = sentence
        if self._told.get(again) != sentence:
            self._told[again] = sentence
            log.warning("%s", sentence)
        self._roots.armed = {}
        self.interrupt.wait(ROOTS_S / 4)
        self._next_roots = 0.0  # which arms, and scans what was missed

    def _arm(self) -> None:
        """Watch all roots that are there, without a moment in which nobody does."""
        before, self._watch = self._watch, None
        present = self._roots.present()
        try:
            if self.polls:
                self._watch = PollingWatch(self.poll_s)
            elif present:
                self._watch = SystemWatch(list(present), self._clock)
        except WatchError as error:
            if self._roots.present() == present:
                self.poll = True
                self._watch = PollingWatch(self.poll_s)
                self.fail(
                    f"Folders cannot be watched and are polled every {self.poll_s:g} s: {error}"
                )
        self._roots.armed = present
        if before is not None:
            before.close()

    def _disarm(self) -> None:
        watch, self._watch = self._watch, None
        self._roots.armed = {}
        if watch is not None:
            watch.close()

    def _answer_requests(self) -> None:
        requests, self._requests = self._requests, []
        if not requests:
            return
        # Here and not before: a scan must not meet a root whose files are not known yet.
        for root, _ in requests:
            self._roots.add(root)
        if self._running:
            self._arm()
        for root, done in requests:
            self._learn(root, catch_up=False)
            done.set()

    def _learn(self, root: str, *, catch_up: bool) -> None:
        """Take the files of a new root as they are; of one known before, report what changed."""
        if holder(root, self.known_roots) is not None:
            if catch_up:
                self._compare(root, catch_up=True)
            return
        for listing in self._tree.walk(root):
            if holder(listing.folder, self.known_roots) is not None:
                continue  # watched already: what is new there is news
            with self._settling:
                for name, state in listing.files.items():
                    self._index.put(f"{listing.folder.rstrip('/')}/{name}", state)
        self.known_roots.append(root)

    def _feed(self, news: FileChanges) -> None:
        with self._settling:
            for path in news.paths:
                root = self._roots.holder_of(path) or holder(path, self._roots.paths)
                place = None if root is None else self._tree.place(root, path)
                if place is not None:
                    self._settler.feed(place)
            if news.paths:
                self._settling.notify_all()

    def _scan(self) -> None:
        self._tree.forget_links()
        for root in self._roots.paths:
            if holder(root, [each for each in self._roots.paths if each != root]) is None:
                self._compare(root, catch_up=False)

    def _compare(self, root: str, *, catch_up: bool) -> None:
        for path in differences(self._tree, self._index, root):
            with self._settling:
                self._settler.suspect(path, catch_up=catch_up)
        with self._settling:
            self._settling.notify_all()
