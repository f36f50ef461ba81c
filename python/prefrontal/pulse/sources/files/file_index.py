"""What is known of the watched files: the state each had when it was last reported."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from ....errors import InputError
from ....storage.files import write_atomic

VERSION = 1


class FileState(NamedTuple):
    """A file at one moment. changed: Unix seconds of its last change of any kind, a rename too."""

    size: int
    modified_ns: int
    inode: int
    device: int
    changed: float = 0.0

    def same_content(self, other: FileState) -> bool:
        """Whether it looks as it did; permissions and the like do not count."""
        return self.size == other.size and self.modified_ns == other.modified_ns

    def same_file(self, other: FileState) -> bool:
        """Whether it is the same file with the same content, by whatever name."""
        one, two = (self.inode, self.device), (other.inode, other.device)
        return one == two and self.same_content(other)


class Missing(Enum):
    """What can be at a path instead of a file."""

    NOTHING = "nothing"
    FOLDER = "folder"
    UNREADABLE = "unreadable"


class Listing(NamedTuple):
    """What is directly in a folder: its files, and the names of the folders in it."""

    folder: str
    files: Mapping[str, FileState]
    folders: frozenset[str]


class Tree(Protocol):
    """The files as they are."""

    def look(self, path: str) -> FileState | Missing: ...
    def walk(self, folder: str) -> Iterator[Listing]:
        """The folder and those below it; one that cannot be read is left out with all below."""
        ...

    def download_beside(self, path: str) -> bool:
        """Whether a download is under way in the folder of `path`."""
        ...


@dataclass(slots=True)
class _Folder:
    files: dict[str, FileState] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)


class FileIndex:
    """States of files by absolute path, with the folders that hold them."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def get(self, path: str) -> FileState | None:
        folder, name = os.path.split(path)
        held = self._folders.get(folder)
        return None if held is None else held.files.get(name)

    def is_folder(self, path: str) -> bool:
        """Whether a file below this path is known."""
        return path in self._folders

    def listing(self, path: str) -> Listing:
        held = self._folders.get(path) or _Folder()
        return Listing(path, dict(held.files), frozenset(held.folders))

    def put(self, path: str, state: FileState) -> None:
        folder, name = os.path.split(path)
        held = self._folders.get(folder) or self._make(folder)
        self._count += name not in held.files
        held.files[name] = state

    def _make(self, folder: str) -> _Folder:
        made = self._folders[folder] = _Folder()
        parent, name = os.path.split(folder)
        if parent != folder:
            (self._folders.get(parent) or self._make(parent)).folders.add(name)
        return made

    def drop(self, path: str) -> None:
        folder, name = os.path.split(path)
        held = self._folders.get(folder)
        if held is None or held.files.pop(name, None) is None:
            return
        self._count -= 1
        while held is not None and not held.files and not held.folders:
            del self._folders[folder]
            folder, name = os.path.split(folder)
            held = self._folders.get(folder)
            if held is not None:
                held.folders.discard(name)

    def under(self, path: str) -> list[tuple[str, FileState]]:
        """The file at `path`, if it is one, and all files below it."""
        state = self.get(path)
        files = [] if state is None else [(path, state)]
        pending = [path]
        while pending:
            folder = pending.pop()
            held = self._folders.get(folder)
            if held is not None:
                files += [(os.path.join(folder, name), each) for name, each in held.files.items()]  # noqa: PTH118
                pending += [os.path.join(folder, name) for name in held.folders]  # noqa: PTH118
        return files

    def adopt(self, other: FileIndex) -> None:
        """Become what `other` is."""
        self._folders, self._count = other._folders, other._count

    def save(self, path: Path, roots: Iterable[str]) -> None:
        """Write it whole or not at all. Raises SourceError when the file cannot be written."""
        folders = {
            name: {file: list(state[:4]) for file, state in held.files.items()}
            for name, held in self._folders.items()
            if held.files
        }
        document = {"version": VERSION, "roots": sorted(roots), "folders": folders}
        write_atomic(path, json.dumps(document, separators=(",", ":")))

    @classmethod
    def load(cls, path: Path) -> tuple[FileIndex, list[str]] | None:
        """The index and the roots it covers; None when there is no file.

        Raises InputError when the file is no index of this version, OSError when unreadable.
        """
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        index = cls()
        try:
            document = json.loads(text)
            if document["version"] != VERSION:
                raise ValueError(f"version {document['version']!r}")
            roots = [str(root) for root in document["roots"]]
            for folder, files in document["folders"].items():
                for name, (size, modified, inode, device) in files.items():
                    state = FileState(int(size), int(modified), int(inode), int(device))
                    index.put(os.path.join(folder, name), state)  # noqa: PTH118
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InputError(f"{path} must be a saved file index, got: {error!r}") from None
        return index, roots


def differences(tree: Tree, index: FileIndex, root: str) -> Iterator[str]:
    """Paths at or below `root` where the files are not as the index has them.

    A folder that vanished is given as one path. Nothing is said of what cannot be read.
    """
    seen = False
    for now in tree.walk(root):
        seen = True
        known = index.listing(now.folder)
        for name, state in now.files.items():
            before = known.files.get(name)
            if before is None or not before.same_content(state):
                yield os.path.join(now.folder, name)  # noqa: PTH118
        gone = [*(known.files.keys() - now.files.keys()), *(known.folders - now.folders)]
        yield from (os.path.join(now.folder, name) for name in gone)  # noqa: PTH118
    if not seen and index.is_folder(root) and tree.look(root) is Missing.NOTHING:
        yield root
