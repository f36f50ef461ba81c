"""The files of the disk, as the settling and the index want to see them."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from .file_index import FileState, Listing, Missing
from .file_names import NameRules, is_partial

if TYPE_CHECKING:
    from ....clock import Clock

ACTIVE_S = 60.0
"""A download that was not written to for so long was given up."""


class DiskTree:
    """Looks at files and folders below `roots`; links to folders are not followed.

    ignored_paths: files of our own; own_folders: folders with all below them. A link to a file
    stands for that file.
    """

    def __init__(
        self,
        names: NameRules,
        clock: Clock,
        ignored_paths: Collection[str] = (),
        own_folders: Collection[str] = (),
    ) -> None:
        self._names = names
        self._clock = clock
        self._ignored_paths = frozenset((*ignored_paths, *own_folders))
        self._own_folders = tuple(f"{each.rstrip(os.sep)}{os.sep}" for each in own_folders)
        self.unreadable = 0
        """Files and folders that could not be looked at."""
        self._real_folder = lru_cache(16_384)(_real_folder)

    def place(self, root: str, path: str) -> str | None:
        """Where the file at `path`, at or below `root`, is reported; None for nowhere.

        The system may report a file by way of a link to a folder in the same root; it is reported
        where it really is.
        """
        if path != root:
            folder, name = os.path.split(path)
            real = self._real_folder(root, folder)
            if real is None:
                return None
            path = f"{real.rstrip(os.sep)}{os.sep}{name}"
        own = path in self._ignored_paths or path.startswith(self._own_folders)
        return None if own or self._names.ignores_below(root, path) else path

    def forget_links(self) -> None:
        """Look anew at which folders are links."""
        self._real_folder.cache_clear()

    def look(self, path: str) -> FileState | Missing:
        try:
            facts = os.stat(path)  # noqa: PTH116 - called for each event
            if stat.S_ISREG(facts.st_mode):
                return _state(facts)
            if stat.S_ISDIR(facts.st_mode) and not os.path.islink(path):  # noqa: PTH114
                return Missing.FOLDER
        except (FileNotFoundError, NotADirectoryError):
            return Missing.NOTHING
        except (OSError, ValueError):
            self.unreadable += 1
            return Missing.UNREADABLE
        return Missing.NOTHING

    def walk(self, folder: str) -> Iterator[Listing]:
        pending = [folder]
        while pending:
            listing = self._list(pending.pop())
            if listing is not None:
                yield listing
                pending += [os.path.join(listing.folder, name) for name in listing.folders]  # noqa: PTH118

    def download_beside(self, path: str) -> bool:
        try:
            with os.scandir(os.path.dirname(path)) as entries:  # noqa: PTH120
                downloads = [entry for entry in entries if is_partial(entry.name)]
            times = [entry.stat().st_mtime for entry in downloads]
        except OSError:
            return False
        return any(self._clock.now() - time < ACTIVE_S for time in times)

    def _list(self, folder: str) -> Listing | None:
        files, folders = {}, set()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self._names.ignores(entry.name) or entry.path in self._ignored_paths:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.add(entry.name)
                    elif (state := self._entry(entry)) is not None:
                        files[entry.name] = state
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            self.unreadable += 1
            return None
        return Listing(folder, files, frozenset(folders))

    def _entry(self, entry: os.DirEntry[str]) -> FileState | None:
        try:
            facts = entry.stat()
        except OSError:  # gone since, or a link to nothing
            return None
        return _state(facts) if stat.S_ISREG(facts.st_mode) else None


def _state(facts: os.stat_result) -> FileState:
    return FileState(
        facts.st_size, facts.st_mtime_ns, facts.st_ino, facts.st_dev, facts.st_ctime_ns / 1e9
    )


def _real_folder(root: str, folder: str) -> str | None:
    """The folder without links below the root; None when it is outside."""
    real, real_root = os.path.realpath(folder), os.path.realpath(root)
    if real != real_root and not real.startswith(real_root.rstrip(os.sep) + os.sep):
        return None
    return root + real[len(real_root) :]
