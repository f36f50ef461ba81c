"""Indexes that took long to build, kept for the next run under the hash of what went into them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...errors import SourceError
from .index import ToolIndex

FEWEST_PHRASINGS = 100
"""With fewer, building is faster than reading."""
MOST_KEPT = 4
_CONTENT = 4
"""What a saved index holds; another number leaves the older files aside. 2: whole names, too.
3: how much each word tells. 4: margins."""


class IndexStore:
    """A folder of saved indexes. folder: None keeps nothing. note: why one was not used."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.note = ""

    def get(
        self,
        entries: Sequence[Mapping[str, Any]],
        rejected: Sequence[tuple[str, str]],
    ) -> ToolIndex:
        """The index of these tools after these (prompt, key) were rejected, saved or built anew."""
        phrasings = sum(len(entry["intents"]) for entry in entries) + len(rejected)
        if self._folder is None or phrasings < FEWEST_PHRASINGS:
            return _built(entries, rejected)
        text = json.dumps([_CONTENT, *entries, *rejected], ensure_ascii=True)
        path = self._folder / f"index-{sha256(text.encode()).hexdigest()[:24]}.bin"
        if path.is_file():
            try:
                return ToolIndex.load(path)
            except SourceError as error:
                self.note = f"{error}; it is built anew"
        index = _built(entries, rejected)
        self._keep(index.save, path)
        return index

    def _keep(self, save: Callable[[Path], None], path: Path) -> None:
        """A folder that cannot be written leaves a note, no error."""
        assert self._folder is not None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            save(path)
        except (OSError, SourceError) as error:
            self.note = f"the index was not kept: {error}"
            return
        files = sorted(self._folder.glob("index-*.bin"), key=lambda one: one.stat().st_mtime_ns)
        for old in files[:-MOST_KEPT]:
            with suppress(OSError):
                old.unlink()


def _built(entries: Sequence[Mapping[str, Any]], rejected: Sequence[tuple[str, str]]) -> ToolIndex:
    index = ToolIndex.build(entries)
    for intent, key in rejected:
        index.reject(intent, key)
    return index
