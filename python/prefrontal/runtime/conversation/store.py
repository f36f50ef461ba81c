"""The conversations of an agent in one SQLite file; durable before it acknowledges."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ...redaction import redact
from ...storage.store_file import IN_MEMORY, Schema, StoreFile
from . import condensing, drawn_facts, erasure, facts, rows, search, vectors
from .models import EVERYBODY, NewMessage
from .schema import APPLICATION_ID, REMEDY, STEPS, VIEWS

if TYPE_CHECKING:
    from ...storage.database import Value
    from .condensing import Note
    from .facts import PeerFact, Statement
    from .models import Hit, Message, MessageQuery, Viewer, Wall
    from .vectors import Meaning

_SCHEMA = Schema(APPLICATION_ID, STEPS, VIEWS, REMEDY)
MOST_IN_MEMORY = 10_000
"""Messages of a store that has no file."""


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
        self._file = StoreFile(_SCHEMA, path, read_only=read_only)

    @property
    def path(self) -> str:
        """The file, absolute, or ":memory:"."""
        return self._file.path

    def submit(self, new: NewMessage) -> Future[int]:
        """Queue a message, without its secrets; the future has its id once it is on the disk."""
        text = _text(new.content)
        clean = new if text is new.content else replace(new, content=text)
        return self._file.submit(partial(self._insert, clean))

    def chat_of(self, peer_id: str, channel_type: str, channel_id: str) -> Viewer:
        """Whose chat it is that something is sent to without a question; see `rows.chat_of`."""
        return rows.chat_of(self._file.reader, peer_id, channel_type, channel_id)

    def history(self, viewer: Viewer, limit: int) -> list[Message]:
        """The newest messages of a conversation that may be seen in it and stand in no note.

        Oldest first. Questions that were never answered are left out. limit: of messages.
        """
        messages = rows.newest(self._file.reader, viewer, 2 * limit, self._condensed_to(viewer))
        return _answered(messages)[-limit:]

    def uncondensed(self, viewer: Viewer) -> list[Message]:
        """The oldest of those messages, as many as one note is made of and a history has."""
        limit = condensing.MOST_AT_ONCE + condensing.MOST_MESSAGES
        return _answered(rows.oldest(self._file.reader, viewer, limit, self._condensed_to(viewer)))

    def facts(
        self,
        viewer: Viewer | None = None,
        *,
        peer_id: str | None = None,
        ended: bool = False,
        limit: int | None = None,
    ) -> list[PeerFact]:
        """What peers stated and still holds, the newest first; of a viewer, in its chat.

        peer_id: only what that peer stated. ended: also what holds no more. limit: of a viewer at
        most `MOST_OF_A_WALL`.
        """
        conditions = ["1"] if ended else ["valid_until IS NULL"]
        values: list[Value] = []
        if viewer is not None:
            numbers = (
                rows.number_of(self._file.reader, "walls", **rows.columns_of(wall))
                for wall in (viewer.wall, EVERYBODY)
            )
            conditions.append("facts.wall IN (?, ?)")
            values += numbers
            limit = facts.MOST_OF_A_WALL if limit is None else min(limit, facts.MOST_OF_A_WALL)
        if peer_id is not None:
            conditions.append("peer_id = ?")
            values.append(peer_id)
        return facts.select(self._file.reader, " AND ".join(conditions), values, limit)

    def former_facts(self, limit: int) -> list[PeerFact]:
        """What peers stated and holds no more, the newest first."""
        return facts.select(self._file.reader, "valid_until IS NOT NULL", (), limit)

    def fact(self, number: int) -> PeerFact | None:
        """The fact of that number; None without one."""
        return next(iter(facts.select(self._file.reader, "facts.id = ?", (number,), 1)), None)

    def correct_fact(self, number: int, value: str | None = None, by: str = "") -> bool:
        """Approve a fact, with another value where one is given; whether it was there.

        by: who does.
        """
        return self._file.submit(
            partial(facts.correct, self._file.database, number, value, by)
        ).result()

    def delete_fact(self, number: int) -> bool:
        """Delete a fact; whether it was there. No byte of it is left in the files."""
        return self._file.erase(partial(facts.delete, self._file.database, number))

    def notes(self, viewer: Viewer) -> list[Note]:
        """What the older part of a conversation was condensed to, oldest first."""
        return rows.notes(self._file.reader, viewer)

    def submit_facts(
        self, drawn: Sequence[tuple[int, Statement]], messages: Sequence[Message]
    ) -> Future[None]:
        """Queue facts that a model drew from messages, each with the id of its message."""
        return self._file.submit(
            partial(drawn_facts.keep, self._file.database, drawn, tuple(messages))
        )

    def submit_note(
        self,
        viewer: Viewer,
        new: Note,
        old: Sequence[Note] = (),
        messages: Sequence[Message] = (),
    ) -> Future[None]:
        """Queue a note that was made of old notes, in their place, or of messages.

        It is not written if one of those is deleted meanwhile.
        """
        numbers = [each.id for each in messages]
        return self._file.submit(
            partial(rows.replace_notes, self._file.database, viewer, new, tuple(old), numbers)
        )

    def _condensed_to(self, viewer: Viewer) -> int:
        return max((each.last for each in rows.notes(self._file.reader, viewer)), default=0)

    def search(
        self,
        query: MessageQuery,
        viewer: Viewer | None = None,
        meaning: Meaning | None = None,
    ) -> list[Hit]:
        """The messages that fit, best first; of a viewer, only what may be seen in its chat.

        meaning: of the query; messages near it are found beside those with its words. Raises
        InputError for a limit out of range.
        """
        return search.matches(self._file.reader, query, _walls(viewer), meaning)

    def submit_vectors(self, embedder: str, packed: Sequence[tuple[int, bytes]]) -> Future[None]:
        """Queue vectors of messages, each with the message's id."""
        return self._file.submit(partial(vectors.keep, self._file.database, embedder, packed))

    def newest_message(self) -> int:
        """The id of the newest message; 0 before the first."""
        [(number,)] = self._file.reader.execute("SELECT coalesce(max(id), 0) FROM messages")
        return int(number)

    def newest_vector(self, embedder: str) -> int | None:
        """The newest message with a vector; None before the first."""
        return vectors.newest(self._file.reader, embedder)

    def vector_counts(self, embedder: str) -> tuple[int, int]:
        """How many messages there are, and how many have a vector."""
        return vectors.counts(self._file.reader, embedder)

    def later(self, after: int, limit: int) -> list[tuple[int, str]]:
        """Ids and texts of messages after an id, the oldest first."""
        return vectors.later(self._file.reader, after, limit)

    def without_vector(
        self, embedder: str, limit: int, before: int | None = None
    ) -> list[tuple[int, str]]:
        """Ids and texts of messages without a vector before an id, the newest first."""
        return vectors.missing(self._file.reader, embedder, limit, before)

    def delete_other_vectors(self, embedder: str) -> int:
        """Delete some of the vectors of other embedders; returns 0 when none is left."""
        job = partial(vectors.delete_others, self._file.database, embedder)
        return self._file.submit(job).result()

    def erase_vectors(self) -> int:
        """Delete all vectors; returns how many. No byte of them is left in the files."""
        return self._file.erase(partial(vectors.delete_all, self._file.database))

    def around(
        self, number: int, before: int, after: int, viewer: Viewer | None = None
    ) -> list[Message]:
        """A message with its neighbours of the same conversation and wall, oldest first.

        Empty when there is none, or when it may not be seen in the viewer's chat.
        """
        return rows.around(self._file.reader, number, before, after, _walls(viewer))

    def delete(self, number: int) -> bool:
        """Delete a message and what was made of it; whether it was there.

        No byte of it is left in the files.
        """
        return self._file.erase(partial(erasure.delete, self._file.database, number))

    def answers(self, number: int) -> list[int]:
        """The messages of the agent in the turn that a message began."""
        sql = "SELECT id FROM messages WHERE turn = ? AND direction = 'out' ORDER BY id"
        return [int(each) for (each,) in self._file.reader.execute(sql, (number,))]

    def repeating(self, peer_id: str) -> list[int]:
        """The messages to others that may repeat the peer's words."""
        return rows.repeating(self._file.reader, peer_id)

    def forget(self, peer_id: str) -> int:
        """Delete all messages of and to a peer; returns how many.

        No byte of them is left in the files. Raises SourceError while another process has the
        file open: then the messages are gone, and some bytes are not.
        """
        return self._file.erase(partial(rows.forget, self._file.database, peer_id))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A snapshot for all reads of this thread inside the context."""
        with self._file.reader.reading():
            yield

    def finish(self) -> Future[None]:
        """Accept no more messages; the future is done when all queued ones are on the disk."""
        return self._file.finish()

    def close(self) -> None:
        """Finish the queued writes and close the file; a second call does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _insert(self, new: NewMessage) -> int:
        number = rows.insert(self._file.database, new)
        if self._file.in_memory and number % 1000 == 0:
            rows.delete_up_to(self._file.database, number - MOST_IN_MEMORY)
        return number


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


def conversations_path(folder: Path) -> Path:
    """The file in the workspace."""
    return folder / "conversations.sqlite"
