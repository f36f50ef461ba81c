"""Which files were told of: a file that is written now and then, and what came since, by path."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..source_batch import Post, SourceBatch
from .file_index import FileIndex, FileState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ....types import SignalEvent
    from ..running import Outlet

SEEN = "seen "
"""Places of files begin so; the path follows as JSON."""
STORE_S = 5.0
"""How long to wait until all that was handed on is stored."""


class SeenFiles:
    """Keeps what the index says of each file with the decisions about it.

    Where events go to a gate, what changed is stored with what was decided about it, and forgotten
    once `save` has written the whole index; elsewhere there is the file alone.
    """

    def __init__(self, path: Path, outlet: Outlet) -> None:
        self._path = path
        self._outlet = outlet
        self._since: set[str] = set()
        self.is_ahead = False
        """Whether the index says what was not handed on."""

    def load(self) -> tuple[FileIndex, list[str]] | None:
        """The index and the roots it covers; None when nothing was kept.

        Raises InputError for another file, OSError and SourceError when it cannot be read.
        """
        self.is_ahead = False
        index_and_roots = FileIndex.load(self._path)
        intake = self._outlet.intake
        if index_and_roots is None or intake is None:
            return index_and_roots
        index, roots = index_and_roots
        for name, content in intake.places(SEEN).items():
            path, state = json.loads(name.removeprefix(SEEN)), json.loads(content)
            self._since.add(name)
            if state is None:
                index.drop(path)
            else:
                index.put(path, FileState(*state))
        return index, roots

    def hand_on(
        self, events: Iterable[SignalEvent], changed: Mapping[str, FileState | None]
    ) -> bool:
        """Hand events on with what the index says since; False when the source ends before."""
        places = [
            (SEEN + json.dumps(path), json.dumps(state and state[:4]).encode())
            for path, state in changed.items()
        ]
        batch = SourceBatch("files", tuple(events), tuple(places))
        if not (batch.events or places):
            return True
        if not self._outlet.put(batch):
            self.is_ahead = True
            return False
        if self._outlet.intake is not None:
            self._since.update(name for name, _ in places)
        return True

    def is_stored(self) -> bool:
        """Whether the index may be written: all that was handed on is stored."""
        intake = self._outlet.intake
        if self.is_ahead:
            return False
        return intake is None or intake.accept(Post(()), STORE_S)

    def save(self, index: FileIndex, roots: Iterable[str]) -> None:
        """Write the index, which `is_stored`. Raises SourceError."""
        index.save(self._path, roots)

    def forget(self) -> None:
        """Forget what the index that was written holds, too."""
        if self._since and self._outlet.intake is not None:
            forgotten = tuple((name, b"") for name in self._since)
            if self._outlet.put(SourceBatch("files", (), forgotten)):
                self._since.clear()
