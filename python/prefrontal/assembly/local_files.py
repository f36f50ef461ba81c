"""What an installation keeps on its machine, beside its stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .memory_moves import FORMER

if TYPE_CHECKING:
    from ..storage.state_folder import StateFolder
    from .storage_moves import LocalStore

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file or a folder with the files in it; bytes of all."""

    path: Path
    files: int
    size: int


def local_files(
    state: StateFolder, workspace: Path, stores: Sequence[LocalStore]
) -> list[LocalFile]:
    """What lies in the two folders and in no store, sorted; locks and former copies left out."""
    of_stores = [each.path for each in stores]
    of_stores += [each.folder for each in stores if each.folder is not None]
    remains = [
        LocalFile(path, len(sizes), sum(sizes))
        for folder in dict.fromkeys([state.path.resolve(), workspace.resolve()])
        for path in _entries(folder)
        if (sizes := list(_sizes(path, [each.resolve() for each in of_stores])))
    ]
    return sorted(remains, key=lambda each: each.path)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _sizes(path: Path, of_stores: Sequence[Path]) -> Iterator[int]:
    """Of each plain file at or below the path that belongs to no store."""
    if path.is_symlink() or _is_of(path, of_stores):
        return
    if path.is_dir():
        for each in _entries(path):
            yield from _sizes(each, of_stores)
    elif path.is_file():
        yield path.stat().st_size


def _is_of(path: Path, stores: Sequence[Path]) -> bool:
    """Whether it is a store, what SQLite or a move left beside one, or a lock."""
    name = path.name
    return name.endswith((_LOCK, FORMER)) or any(
        path.parent == store.parent
        and name in (store.name, f"{store.name}-wal", f"{store.name}-shm")
        for store in stores
    )
