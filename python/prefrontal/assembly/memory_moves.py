"""Texts that an agent keeps by key, from files into one table and back to files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..errors import SourceError
from ..storage.memory_files import MemoryFiles
from ..storage.memory_table import MemoryTable, StoredText

FORMER = "before-postgresql"
"""Ends the name of what was copied, which stays where it was."""


def read_files(folder: Path) -> list[StoredText]:
    """All texts of the folder, in the order of their keys. Raises SourceError."""
    files = MemoryFiles(folder)
    keys = files.keys()
    return [
        StoredText(key, text, round(files.modified(key) or 0.0, 3))
        for key in keys
        if (text := files.retrieve(key)) is not None
    ]


def fold_files(folder: Path, table: Path) -> None:
    """Make the file `table` of the texts in the folder, which is renamed once both are equal.

    Cut off before the end, the folder is still in use, and a second call does it. Raises
    SourceError where the folder was written to meanwhile.
    """
    part = table.with_name(f"{table.name}.part")
    for left_over in table.parent.glob(f"{part.name}*"):
        left_over.unlink()
    texts = read_files(folder)
    copy = MemoryTable(part)
    copy.put(texts)
    _compare(texts, copy.texts(), part)
    _compare(read_files(folder), texts, folder)
    part.replace(table)
    _rename(folder, folder.with_name(f"{folder.name}.{FORMER}"))


def unfold_table(table: Path, folder: Path) -> None:
    """Make files of the table, which goes once both are equal; until then it is in use.

    Raises SourceError.
    """
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    files, texts = MemoryFiles(part), MemoryTable(table).texts()
    part.mkdir(mode=0o700, parents=True)
    for each in texts:
        files.store(each.key, each.content)
        path, at = files.path(each.key), round(each.modified * 1000) * 1_000_000
        os.utime(path, ns=(at, at))
    _compare(texts, read_files(part), part)
    _rename(folder, folder.with_name(f"{folder.name}.{FORMER}"))
    part.rename(folder)
    for file in table.parent.glob(f"{table.name}*"):
        if file.name in (table.name, f"{table.name}-wal", f"{table.name}-shm"):
            file.unlink()


def _compare(expected: Sequence[StoredText], copies: Sequence[StoredText], place: Path) -> None:
    if sorted(expected) != sorted(copies):
        raise SourceError(
            f"{place} differs from what it was copied from, so nothing was switched: end what"
            " writes there and do this again"
        )


def _rename(folder: Path, name: Path) -> None:
    """Move the folder out of the way, in place of an earlier one; nothing where there is none."""
    if folder.exists():
        shutil.rmtree(name, ignore_errors=True)
        folder.rename(name)
