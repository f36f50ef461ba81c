"""Statements that write and read messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...origins import dump_origins, parse_origins, peer_origin
from . import facts
from .condensing import Note
from .models import Message, NewMessage, Viewer, Wall
from .origin_lists import forget_origin
from .words import channel_word, indexed

if TYPE_CHECKING:
    from ...storage.database import Database, Value

_SELECT = """\
SELECT messages.id, walls.scope, conversations.channel_type, conversations.channel_id,
  peers.peer_id, direction, content, created_at, turn, messages.origins
FROM messages JOIN walls ON walls.id = wall
  JOIN conversations ON conversations.id = conversation JOIN peers ON peers.id = peer"""

_NUMBERS = """\
SELECT (SELECT coalesce(max(id), 0) + 1 FROM messages),
  (SELECT id FROM conversations WHERE channel_type = ? AND channel_id = ?),
  (SELECT id FROM peers WHERE peer_id = ?),
  coalesce((SELECT wall FROM messages WHERE id = ?),
    (SELECT id FROM walls WHERE scope = ? AND channel_type = ? AND name = ?))"""
_INSERT = """\
INSERT INTO messages (id, wall, conversation, peer, direction, content, created_at, turn, origins)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce(?8, ?1), ?9)"""
_WRITERS = """\
SELECT DISTINCT walls.scope, peers.peer_id
FROM messages JOIN walls ON walls.id = wall JOIN peers ON peers.id = peer
WHERE direction = 'in' AND conversation =
  (SELECT id FROM conversations WHERE channel_type = ? AND channel_id = ?)
LIMIT 1000"""
_HOUR = """\
INSERT INTO hours VALUES (?1, ?2, ?2)
ON CONFLICT (hour) DO UPDATE SET first = min(first, ?2), last = max(last, ?2)"""
HOUR_S = 3600.0
FARTHEST_S = 1e18


def insert(database: Database, new: NewMessage) -> int:
    """Write a message and its words; returns its id.

    An answer stands behind the wall of its question.
    """
    viewer, own = new.viewer, new.viewer.wall
    chat = {"channel_type": viewer.channel_type, "channel_id": viewer.channel_id}
    [(number, conversation, peer, wall)] = database.execute(
        _NUMBERS,
        (*chat.values(), viewer.peer_id, new.turn, own.scope, own.channel_type, own.name),
    )
    conversation = conversation or _new(database, "conversations", **chat)
    peer = peer or _new(database, "peers", peer_id=viewer.peer_id)
    wall = wall or _new(database, "walls", **columns_of(own))
    origins = None if new.direction == "in" else dump_origins(new.origins)
    values = (wall, conversation, peer, new.direction, new.content, new.created_at, new.turn)
    database.execute(_INSERT, (number, *values, origins))
    place = f"w{wall} c{conversation} p{peer} {channel_word(viewer.channel_type)}"
    index(database, number, new.content, place, new.created_at)
    if new.direction == "in" and viewer.peer_id:
        facts.learn(database, number, new.content, new.created_at)
    return int(number)


def index(database: Database, number: int, content: str, place: str, at: float) -> None:
    """Let a message be found by its words, its place and its time."""
    database.execute(
        "INSERT INTO words (rowid, content, place) VALUES (?, ?, ?)",
        (number, indexed(content), place),
    )
    database.execute(_HOUR, (hour_of(at), number))


def hour_of(moment: float) -> int:
    """The row of `hours` for a moment, however far off."""
    return int(min(max(moment, -FARTHEST_S), FARTHEST_S) // HOUR_S)


def newest(database: Database, viewer: Viewer, limit: int, after: int = 0) -> list[Message]:
    """The newest messages of the conversation that may be seen in it, exchange by exchange.

    after: the turn after which they begin.
    """
    rows = database.execute(
        f"{_SELECT} WHERE wall = ? AND conversation = ? AND turn > ?"
        " ORDER BY turn DESC, messages.id DESC LIMIT ?",
        (*_place(database, viewer), after, limit),
    )
    return [_message(row) for row in reversed(rows)]


def oldest(database: Database, viewer: Viewer, limit: int, after: int) -> list[Message]:
    """The first messages after a turn that may be seen in the conversation."""
    rows = database.execute(
        f"{_SELECT} WHERE wall = ? AND conversation = ? AND turn > ?"
        " ORDER BY turn, messages.id LIMIT ?",
        (*_place(database, viewer), after, limit),
    )
    return [_message(row) for row in rows]


def notes(database: Database, viewer: Viewer) -> list[Note]:
    """What the older part of the conversation was condensed to, oldest first."""
    rows = database.execute(
        "SELECT id, first, last, text, origins FROM notes"
        " WHERE wall = ? AND conversation = ? ORDER BY first",
        _place(database, viewer),
    )
    return [replace(Note(*row), origins=parse_origins(row[-1])) for row in rows]


def replace_notes(
    database: Database, viewer: Viewer, new: Note, old: Sequence[Note], messages: Sequence[int]
) -> None:
    """Put one note in the place of others, or at the end.

    messages: ids of those that it was made of. Does nothing where one of them or of the old notes
    is no more what it was: somebody deleted a message meanwhile, whose words may be in the note.
    """
    if not (are_there(database, messages) and all(_is_as_it_was(database, each) for each in old)):
        return
    database.execute_many("DELETE FROM notes WHERE id = ?", [(each.id,) for each in old])
    wall, conversation = _place(database, viewer)
    database.execute(
        "INSERT INTO notes (wall, conversation, first, last, text, origins)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (wall, conversation, new.first, new.last, new.text, dump_origins(new.origins)),
    )


def are_there(database: Database, messages: Sequence[int]) -> bool:
    """Whether none of the messages was deleted."""
    sql = "SELECT 1 FROM messages WHERE id = ?"
    return all(database.execute(sql, (number,)) for number in messages)


def _is_as_it_was(database: Database, note: Note) -> bool:
    rows = database.execute("SELECT text FROM notes WHERE id = ?", (note.id,))
    return rows == [(note.text,)]


def _message(row: Sequence[Any]) -> Message:
    message = Message(*row)
    own = message.direction == "in"
    origins = (peer_origin(message.peer_id),) if own else parse_origins(row[-1])
    return replace(message, origins=origins)


def _place(database: Database, viewer: Viewer) -> tuple[int | None, int | None]:
    """The numbers of a chat's wall and conversation."""
    wall = number_of(database, "walls", **columns_of(viewer.wall))
    conversation = number_of(
        database, "conversations", channel_type=viewer.channel_type, channel_id=viewer.channel_id
    )
    return wall, conversation


def chat_of(database: Database, peer_id: str, channel_type: str, channel_id: str) -> Viewer:
    """Whose chat it is that something is sent to without a question.

    The group's, where one wrote there as a group; else the peer's; without a peer that of the only
    one who wrote there.
    """
    writers = database.execute(_WRITERS, (channel_type, channel_id))
    group = any(scope == "group" for scope, _ in writers)
    alone = [writer for scope, writer in writers if scope == "peer"]
    if not peer_id and not group and len(alone) == 1:
        peer_id = str(alone[0])
    return Viewer(peer_id, channel_type, channel_id, group)


def select(database: Database, numbers: list[int]) -> dict[int, Message]:
    """Messages by id."""
    marks = ", ".join("?" * len(numbers))
    rows = database.execute(f"{_SELECT} WHERE messages.id IN ({marks})", numbers)
    return {row[0]: _message(row) for row in rows}


def columns_of(wall: Wall) -> dict[str, Value]:
    """A row of `walls`."""
    return {"scope": wall.scope, "channel_type": wall.channel_type, "name": wall.name}


def number_of(database: Database, table: str, **columns: Value) -> int | None:
    """The number of a row in `walls`, `conversations` or `peers`; None without one."""
    where = " AND ".join(f"{name} = ?" for name in columns)
    rows = database.execute(f"SELECT id FROM {table} WHERE {where}", tuple(columns.values()))
    return rows[0][0] if rows else None


def _new(database: Database, table: str, **columns: Value) -> int:
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    [(number,)] = database.execute(
        f"INSERT INTO {table} ({names}) VALUES ({marks}) RETURNING id", tuple(columns.values())
    )
    return int(number)


def around(
    database: Database, number: int, before: int, after: int, walls: Sequence[Wall] | None
) -> list[Message]:
    """A message and its neighbours of the same conversation, behind the same wall, oldest first."""
    chosen = select(database, [number]).get(number)
    if chosen is None or not (walls is None or _wall(database, number) in walls):
        return []
    [(wall, conversation)] = database.execute(
        "SELECT wall, conversation FROM messages WHERE id = ?", (number,)
    )
    where = f"{_SELECT} WHERE wall = ? AND conversation = ?"
    place = (wall, conversation)
    earlier = database.execute(
        f"{where} AND messages.id < ? ORDER BY messages.id DESC LIMIT ?", (*place, number, before)
    )
    later = database.execute(
        f"{where} AND messages.id > ? ORDER BY messages.id LIMIT ?", (*place, number, after)
    )
    return [*map(_message, reversed(earlier)), chosen, *map(_message, later)]


def delete_up_to(database: Database, number: int) -> None:
    """Drop the oldest messages and their words."""
    database.execute("DELETE FROM words WHERE rowid <= ?", (number,))
    database.execute("DELETE FROM messages WHERE id <= ?", (number,))


def _wall(database: Database, number: int) -> Wall:
    [row] = database.execute(
        "SELECT scope, channel_type, name FROM walls"
        " WHERE id = (SELECT wall FROM messages WHERE id = ?)",
        (number,),
    )
    return Wall(*row)


def repeating(database: Database, peer_id: str) -> list[int]:
    """Ids of messages to others that list the peer among their origins."""
    origin = dump_origins([peer_origin(peer_id)])[1:-1]
    numbers = database.execute(
        "SELECT messages.id FROM messages JOIN peers ON peers.id = peer"
        " WHERE instr(messages.origins, ?) AND peer_id <> ? ORDER BY messages.id",
        (origin, peer_id),
    )
    return [int(number) for (number,) in numbers]


def forget(database: Database, peer_id: str) -> int:
    """Delete all messages of and to a peer with their words, and its id; returns how many."""
    peer = number_of(database, "peers", peer_id=peer_id)
    places = [
        place
        for (place,) in database.execute(
            "SELECT id FROM conversations WHERE channel_id = ?1"
            " OR id IN (SELECT conversation FROM messages WHERE peer = ?2)",
            (peer_id, peer),
        )
    ]
    numbers = database.execute("SELECT id FROM messages WHERE peer = ?", (peer,))
    database.execute_many("DELETE FROM words WHERE rowid = ?", numbers)
    database.execute("DELETE FROM messages WHERE peer = ?", (peer,))
    database.execute("DELETE FROM facts WHERE peer = ?", (peer,))
    database.execute_many("DELETE FROM notes WHERE conversation = ?", [(each,) for each in places])
    for place in places:  # a channel is often named after its peer
        if not database.execute("SELECT 1 FROM messages WHERE conversation = ? LIMIT 1", (place,)):
            database.execute("DELETE FROM conversations WHERE id = ?", (place,))
    database.execute(
        "DELETE FROM walls WHERE id NOT IN (SELECT wall FROM messages) AND scope <> 'agent'"
    )
    database.execute("DELETE FROM peers WHERE id = ?", (peer,))
    forget_origin(database, peer_origin(peer_id))
    if numbers:
        database.execute("INSERT INTO words (words) VALUES ('optimize')")
    return len(numbers)
