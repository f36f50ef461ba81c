"""A persistent cache of facts about files: an unchanged file is not read again."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import zlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from ...clock import Clock, SystemClock
from ...errors import SourceError
from ...storage import write_atomic
from ..regular_files import regular_bytes

FORMAT = 5
"""Version of the file and of the facts in it; raise it when either changes."""
FILE_NAME = "facts.json"
_DOUBT_NS = 2_000_000_000
_MOST_BYTES = 256 << 20

Entry = list[Any]
"""[inode, size, mtime_ns, ctime_ns, whether it was too young, sha256, facts]."""


class FactCache:
    """The facts of each file below a root, by relative path.

    folder: where the cache is stored, None for memory only. A file counts as unchanged when its
    inode, size and times are the same and it was two seconds old when last read; otherwise its
    bytes are read, and its facts recomputed only when the sha256 differs. A damaged or foreign
    cache file counts as empty, and `note` says so. Not thread-safe.
    """

    def __init__(self, folder: Path | None, clock: Clock | None = None) -> None:
        self._path = folder / FILE_NAME if folder else None
        self._clock = clock or SystemClock()
        self.note = ""
        self._changed = False
        self._entries: dict[str, Entry] = self._load() if self._path else {}

    def __len__(self) -> int:
        return len(self._entries)

    def facts(
        self,
        relative: str,
        status: os.stat_result,
        read: Callable[[], bytes],
        make: Callable[[bytes], Any],
    ) -> tuple[str, Any]:
        """(sha256, facts) of the file; calls `read` and `make` only on a miss.

        status: the file's current one. make: turns its bytes into JSON values.
        """
        key = [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        entry = self._entries.get(relative)
        if entry is not None and not entry[4] and entry[:4] == key:
            return entry[5], entry[6]
        young = status.st_mtime_ns + _DOUBT_NS > int(self._clock.now() * 1e9)
        data = read()
        sha256 = hashlib.sha256(data).hexdigest()
        facts = entry[6] if entry is not None and entry[5] == sha256 else make(data)
        fresh = [*key, young, sha256, facts]
        self._changed = self._changed or fresh != entry
        self._entries[relative] = fresh
        return sha256, facts

    def forget(self, present: Mapping[str, Collection[str]], whole: bool = False) -> None:
        """Drop the facts of deleted files.

        present: the file names of each folder. whole: there are no other folders.
        """
        gone = []
        for relative in self._entries:
            folder, _, name = relative.rpartition("/")
            names = present.get(folder, () if whole else None)
            if names is not None and name not in names:
                gone.append(relative)
        for relative in gone:
            del self._entries[relative]
        self._changed = self._changed or bool(gone)

    def save(self) -> None:
        """Write changes; a failure leaves a note, not an error."""
        if self._path is None or not self._changed:
            return
        body = json.dumps(self._entries, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        data = body.encode()
        header = json.dumps(_header(data))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._path, header.encode() + b"\n" + data)
        except (OSError, SourceError) as error:
            self.note = f"the cache was not written: {error}"
            return
        self._changed = False

    def _load(self) -> dict[str, Entry]:
        try:
            return _decoded(self._bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            self.note = f"the cache {self._path} was not used: {error}"
            self._changed = True
            return {}

    def _bytes(self) -> bytes:
        assert self._path is not None
        return regular_bytes(self._path, _MOST_BYTES)


def _header(body: bytes) -> dict[str, object]:
    """Includes the Python version, since syntax trees print differently between versions."""
    python = platform.python_version()
    return {"format": FORMAT, "python": python, "bytes": len(body), "crc32": zlib.crc32(body)}


def _decoded(data: bytes) -> dict[str, Entry]:
    first, _, body = data.partition(b"\n")
    header = json.loads(first)
    expected = _header(body)
    if not isinstance(header, dict) or header.keys() != expected.keys():
        raise ValueError("it is damaged")
    if (header["format"], header["python"]) != (expected["format"], expected["python"]):
        raise ValueError("another version wrote it")
    if header != expected:
        raise ValueError("it is damaged")
    entries: dict[str, Entry] = json.loads(body)
    return entries
