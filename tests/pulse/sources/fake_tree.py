"""Files that exist only in a dictionary, for tests of what is made of changes to them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from prefrontal.pulse.sources.files.file_index import FileIndex, FileState, Listing, Missing
from prefrontal.pulse.sources.files.file_names import NameRules, is_partial
from prefrontal.pulse.sources.files.settling import Settler
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

SETTLE_S = 0.5


class FakeTree:
    """A `file_index.Tree`: what the test writes, moves and removes."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.files: dict[str, FileState] = {}
        self._inodes = 0

    def look(self, path: str) -> FileState | Missing:
        if path in self.files:
            return self.files[path]
        below = any(each.startswith(path + "/") for each in self.files)
        return Missing.FOLDER if below else Missing.NOTHING

    def walk(self, folder: str) -> Iterator[Listing]:
        if self.look(folder) is not Missing.FOLDER:
            return
        prefix = folder + "/"
        below = [path[len(prefix) :] for path in self.files if path.startswith(prefix)]
        here = {name: self.files[prefix + name] for name in below if "/" not in name}
        deeper = frozenset(name.partition("/")[0] for name in below if "/" in name)
        yield Listing(folder, here, deeper)
        for name in sorted(deeper):
            yield from self.walk(prefix + name)

    def download_beside(self, path: str) -> bool:
        here = os.path.dirname(path)  # noqa: PTH120
        return any(os.path.dirname(each) == here and is_partial(each) for each in self.files)  # noqa: PTH120


class Desk:
    """A settler over a fake tree, with the verbs of somebody who works on files."""

    def __init__(self, *before: str, lag_s: float = 0.0) -> None:
        self.clock = ManualClock()
        self.tree = FakeTree(self.clock)
        self.index = FileIndex()
        self.names = NameRules()
        for path in before:
            self.tree.files[path] = self._fresh(7)
            self.index.put(path, self.tree.files[path])
        self.clock.advance(1_000)
        self.settler = Settler(self.tree, self.index, self.clock, SETTLE_S, lag_s=lag_s)

    def _fresh(self, size: int) -> FileState:
        self.tree._inodes += 1
        now = self.clock.now()
        return FileState(size, int(now * 1e9), self.tree._inodes, 1, now)

    def write(self, path: str, size: int = 10) -> None:
        before = self.tree.files.get(path)
        state = self._fresh(size)
        if before is not None:
            state = state._replace(inode=before.inode)
        self.tree.files[path] = state
        self.report(path)

    def remove(self, path: str) -> None:
        for each in [e for e in self.tree.files if e == path or e.startswith(path + "/")]:
            del self.tree.files[each]
        self.report(path)

    def move(self, old: str, new: str) -> None:
        for each in [e for e in self.tree.files if e == old or e.startswith(old + "/")]:
            state = self.tree.files.pop(each)._replace(changed=self.clock.now())
            self.tree.files[new + each[len(old) :]] = state
        self.report(old)
        self.report(new)

    def report(self, path: str) -> None:
        """What the watch does with a path it heard of."""
        if not self.names.ignores_below("/", path):
            self.settler.feed(path)

    def wait(self, seconds: float) -> list[SignalEvent]:
        """Let time pass in steps, as the thread of the source does."""
        events = []
        end = self.clock.monotonic() + seconds
        while (due := self.settler.next_due()) is not None and due <= end:
            self.clock.advance(max(due - self.clock.monotonic(), 0.0))
            events += self.settler.due()
        self.clock.advance(max(end - self.clock.monotonic(), 0.0))
        return events
