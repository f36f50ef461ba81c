"""What keeps tables: rows, transactions and snapshots, whichever database they lie in."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self, TypeAlias

from ..errors import PrefrontalError, SourceError

Value: TypeAlias = str | bytes | int | float | None
Row: TypeAlias = tuple[Any, ...]

APPLICATION_ID = 0x50464342
"""Written into every database of this package ("PFCB"), so that another program's is refused."""


class RowError(PrefrontalError):
    """A row breaks a rule of the schema, such as an id that is there already."""


class DamagedFileError(SourceError):
    """What the file holds cannot be read, or not all of it."""


class FencedError(SourceError):
    """Another process owns the store since: whoever gets this must end."""


class TextBytes(bytes):
    """A text that is no UTF-8, kept in a column of text."""


def this_process() -> str:
    """Machine and process, for people who ask who owns a store."""
    return f"{socket.gethostname()}, process {os.getpid()}"


class Database(Protocol):
    """Tables of one store, shared by the threads of a process.

    Statements are in the SQL that SQLite and PostgreSQL share, their parameters `?` or `?1`. A
    transaction that has ended without an error survives a power cut. Every method raises
    SourceError naming the path when the store cannot be reached, read or written.
    """

    @property
    def path(self) -> str:
        """The file that holds or names the store; ":memory:" for one in memory."""
        ...

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        ...

    def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows`; returns how many rows of the table changed."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All that is executed inside is written at the end, or, on any exception, nothing.

        Other threads and processes that want to write wait. Inside another transaction it joins
        that one.
        """
        ...

    def reading(self) -> AbstractContextManager[None]:
        """All that is read inside is of one moment; other threads wait."""
        ...

    def beside(self) -> Self:
        """Another connection, whose commits survive the process but maybe no power cut."""
        ...

    def claim(self, owner: str) -> None:
        """Be the one owner of the store from now on: what an earlier one writes is refused.

        A file's owner is whoever has its folder. Raises SourceError naming an owner that lives.
        """
        ...

    def write_as(self, epoch: int) -> None:
        """Write for the owner of that number, as long as none has a higher one."""
        ...

    def schema_version(self) -> int:
        """Number of the last migration step the store has seen."""
        ...

    def note_schema_version(self, version: int) -> None:
        """Set that number, in the transaction of the step."""
        ...

    def number_after(self, table: str, column: str) -> None:
        """Number the table's next row above all that it holds, whoever numbered those."""
        ...

    def changes(self) -> int:
        """Another number whenever another connection has written; costs microseconds."""
        ...

    def give_back_space(self) -> None:
        """Return what deleted rows took to the disk; some of it only outside a transaction."""
        ...

    def shred(self) -> None:
        """Leave no byte of a deleted row in the files of the store.

        Raises SourceError while another process reads or writes them.
        """
        ...

    def close(self) -> None:
        """Give the store back; a second call does nothing, any other then raises SourceError."""
        ...
