"""The conversations of an agent in one SQLite file; durable before it acknowledges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from ...errors import SourceError
from ...redaction import redact
from ...storage.database import Database
from ...storage.group_writer import GroupWriter, run_alone
from ...storage.migrations import migrate, open_migrated
from ...storage.opening import open_database
from . import condensing, drawn_facts, facts, rows, search
from .models import EVERYBODY, NewMessage
from .schema import APPLICATION_ID, STEPS, read_as_today

if TYPE_CHECKING:
    from ...storage.database import Value
    from .condensing import Note
    from .facts import PeerFact, Statement
    from .models import Hit, Message, MessageQuery, Viewer, Wall

IN_MEMORY = ":memory:"
MOST_IN_MEMORY = 10_000
"""Messages of a store that has no file."""
Result = TypeVar("Result")


class ConversationStore:
    """Messages whole but for their secrets, in one SQLite file.

    path: the file, created if missing, in an existing folder; ":memory:" keeps the newest
    `MOST_IN_MEMORY`. read_only: the file must exist.

    Thread-safe. What a method has returned, or a future has, survives a killed process and a power
    cut. Methods raise SourceError naming the path when the file is damaged, full, foreign or of a
    newer release.
    """

    def __init__(
        self, path: str | os.PathLike[str] = IN_MEMORY, *, read_only: bool = False
    ) -> None:
        self._read_only = read_only
        self._writer: GroupWriter | None = None
        if read_only:
            self._database = self._reader = _open_reader(path)
            return
        self._database = self._reader = _open_writer(path)
        if os.fspath(path) != IN_MEMORY:
            self._writer = GroupWriter(self._database)
            self._reader = _open_reader(path)

    @property
    def path(self) -> str:
        """The file, absolute, or ":memory:"."""
        return self._database.path

    def submit(self, new: NewMessage) -> Future[int]:
        """Queue a message, without its secrets; the future has its id once it is on the disk."""
        clean = replace(new, content=_text(new.content))
        return self._submit(partial(self._insert, clean))

    def history(self, viewer: Viewer, limit: int) -> list[Message]:
        """The newest messages of a conversation that may be seen in it and stand in no note.

        Oldest first. Questions that were never answered are left out. limit: of messages.
        """
        messages = rows.newest(self._reader, viewer, 2 * limit, self._condensed_to(viewer))
        return _answered(messages)[-limit:]

    def uncondensed(self, viewer: Viewer) -> list[Message]:
        """The oldest of those messages, as many as one note is made of and a history has."""
        limit = condensing.MOST_AT_ONCE + condensing.MOST_MESSAGES
        return _answered(rows.oldest(self._reader, viewer, limit, self._condensed_to(viewer)))

    def facts(
        self, viewer: Viewer | None = None, *, peer_id: str | None = None, ended: bool = False
    ) -> list[PeerFact]:
        """What peers stated and still holds, the newest first; of a viewer, in its chat.

        peer_id: only what that peer stated. ended: also what holds no more.
        """
        conditions = ["1"] if ended else ["valid_until IS NULL"]
        values: list[Value] = []
        if viewer is not None:
            numbers = (
                rows.number_of(self._reader, "walls", **rows.columns_of(wall))
                for wall in (viewer.wall, EVERYBODY)
            )
            conditions.append("facts.wall IN (?, ?)")
            values += numbers
        if peer_id is not None:
            conditions.append("peer_id = ?")
            values.append(peer_id)
        return facts.select(self._reader, " AND ".join(conditions), values)

    def correct_fact(self, number: int, value: str | None = None, by: str = "") -> bool:
        """Approve a fact, with another value where one is given; whether it was there.

        by: who does.
        """
        return self._submit(partial(facts.correct, self._database, number, value, by)).result()

    def delete_fact(self, number: int) -> bool:
        """Delete a fact; whether it was there. No byte of it is left in the files."""
        return self._erase(partial(facts.delete, self._database, number))

    def notes(self, viewer: Viewer) -> list[Note]:
        """What the older part of a conversation was condensed to, oldest first."""
        return rows.notes(self._reader, viewer)

    def submit_facts(
        self, drawn: Sequence[tuple[int, Statement]], messages: Sequence[Message]
    ) -> Future[None]:
        """Queue facts that a model drew from messages, each with the id of its message."""
        return self._submit(partial(drawn_facts.keep, self._database, drawn, tuple(messages)))

    def submit_note(self, viewer: Viewer, new: Note, old: Sequence[int] = ()) -> Future[None]:
        """Queue a note, in the place of notes with old ids."""
        return self._submit(partial(rows.replace_notes, self._database, viewer, tuple(old), new))

    def _condensed_to(self, viewer: Viewer) -> int:
        return max((each.last for each in rows.notes(self._reader, viewer)), default=0)

    def search(self, query: MessageQuery, viewer: Viewer | None = None) -> list[Hit]:
        """The messages that fit, best first; of a viewer, only what may be seen in its chat.

        Raises InputError for a limit out of range.
        """
        return search.matches(self._reader, query, _walls(viewer))

    def around(
        self, number: int, before: int, after: int, viewer: Viewer | None = None
    ) -> list[Message]:
        """A message with its neighbours of the same conversation and wall, oldest first.

        Empty when there is none, or when it may not be seen in the viewer's chat.
        """
        return rows.around(self._reader, number, before, after, _walls(viewer))

    def delete(self, number: int) -> bool:
        """Delete a message; whether it was there. No byte of it is left in the files."""
        return self._erase(partial(rows.delete, self._database, number))

    def forget(self, peer_id: str) -> int:
        """Delete all messages of and to a peer; returns how many.

        No byte of them is left in the files. Raises SourceError while another process has the
        file open: then the messages are gone, and some bytes are not.
        """
        return self._erase(partial(rows.forget, self._database, peer_id))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A snapshot for all reads of this thread inside the context."""
        with self._reader.reading():
            yield

    def finish(self) -> Future[None]:
        """Accept no more messages; the future is done when all queued ones are on the disk."""
        if self._writer is not None:
            return self._writer.end()
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def close(self) -> None:
        """Finish the queued writes and close the file; a second call does nothing."""
        self.finish().result()
        self._reader.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _erase(self, job: Callable[[], Result]) -> Result:
        result = self._submit(job).result()
        own = self._reader is not self._database
        if own:
            self._reader.close()  # it would keep the log
        try:
            self._database.shred()
        finally:
            if own:
                self._reader = _open_reader(self.path)
        return result

    def _insert(self, new: NewMessage) -> int:
        number = rows.insert(self._database, new)
        if self._writer is None and number % 1000 == 0:
            rows.delete_up_to(self._database, number - MOST_IN_MEMORY)
        return number

    def _submit(self, job: Callable[[], Result]) -> Future[Result]:
        if self._read_only:
            raise SourceError(f"{self.path} was opened only to read")
        if self._writer is not None:
            return self._writer.submit(job)
        return run_alone(self._database, job)


def _answered(messages: list[Message]) -> list[Message]:
    """Those of turns that have an answer."""
    turns = {each.turn for each in messages if each.direction == "out"}
    return [each for each in messages if each.turn in turns]


def _walls(viewer: Viewer | None) -> tuple[Wall, ...] | None:
    """Behind which walls a chat may look: its own, and where all may."""
    return None if viewer is None else (viewer.wall, EVERYBODY)


def _text(text: str) -> str:
    """The text without secrets, as UTF-8 can hold it."""
    clean = redact(text)
    return clean if clean.isascii() else clean.encode(errors="replace").decode()


def _open_writer(path: str | os.PathLike[str]) -> Database:
    return open_migrated(path, STEPS, application_id=APPLICATION_ID)


def _open_reader(path: str | os.PathLike[str]) -> Database:
    """The database, read-only; an empty one for a file without a schema yet."""
    database = open_database(path, read_only=True, application_id=APPLICATION_ID)
    try:
        if (version := database.schema_version()) > 0:
            if version < len(STEPS):
                read_as_today(database, version)
            else:
                migrate(database, STEPS)  # writes nothing: only refuses a newer schema
            return database
    except BaseException:
        database.close()
        raise
    database.close()
    return _open_writer(IN_MEMORY)


def conversations_path(folder: Path) -> Path:
    """The file in the workspace."""
    return folder / "conversations.sqlite"
