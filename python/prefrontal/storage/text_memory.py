"""The texts that an agent keeps by key: a file each, or rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from .memory_files import MemoryFiles


class TextMemory(Protocol):
    """Texts by key, each replaced whole.

    What a method has stored survives the process. Every method raises InputError for what is no
    key, SourceError where the texts cannot be read or written.
    """

    def claim(self, owner: str) -> None:
        """Be the one agent that keeps texts here: what an earlier one writes is refused.

        A folder's agent is whoever has its ledger. Raises SourceError naming one that lives.
        """
        ...

    def place(self, key: str) -> str:
        """Where the text lies, for people."""
        ...

    def store(self, key: str, content: str) -> None:
        """Keep the text under the key, in place of what was there, whole or not at all.

        What UTF-8 cannot hold becomes "?". Raises InputError for a text that is too large.
        """
        ...

    def retrieve(self, key: str) -> str | None:
        """The text; None when there is none."""
        ...

    def delete(self, key: str) -> bool:
        """Delete the text; whether there was one."""
        ...

    def modified(self, key: str) -> float | None:
        """When it was stored last, in Unix seconds; None when it is not there."""
        ...

    def keys(self) -> list[str]:
        """All keys, sorted."""
        ...

    def search(self, query: str, limit: int = 20) -> list[tuple[str, float]]:
        """Keys of texts with words of the query, and how well each fits; see `ranked`."""
        ...

    def close(self) -> None:
        """Give them back; a second call does nothing."""
        ...


def files_folder(workspace: Path) -> Path:
    """Where a workspace has its texts while nothing else is chosen."""
    return workspace / "memory" / "files"


def table_path(workspace: Path) -> Path:
    """The database that holds them instead, or names the server that does."""
    return workspace / "memory" / "texts.sqlite"


def open_memory(workspace: Path) -> TextMemory:
    """The texts of that workspace, wherever they lie; nothing is opened or made yet."""
    path = table_path(workspace)
    if path.exists():
        from .memory_table import MemoryTable

        return MemoryTable(path)
    return MemoryFiles(files_folder(workspace))
