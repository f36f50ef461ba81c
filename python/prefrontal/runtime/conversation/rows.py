"""Statements that write and read messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .models import Message, NewMessage, Viewer, Wall
from .words import channel_word, indexed

if TYPE_CHECKING:
    from ...storage.database import Database, Value

_SELECT = """\
SELECT messages.id, walls.scope, conversations.channel_type, conversations.channel_id,
  peers.peer_id, direction, content, created_at, turn
FROM messages JOIN walls ON walls.id = wall
  JOIN conversations ON conversations.id = conversation JOIN peers ON peers.id = peer"""


def insert(database: Database, new: NewMessage) -> int:
    """Write a message and its words; returns its id.

    An answer stands behind the wall of its question.
    """
    viewer = new.viewer
    conversation = _number(
        database, "conversations", channel_type=viewer.channel_type, channel_id=viewer.channel_id
    )
    peer = _number(database, "peers", peer_id=viewer.peer_id)
    wall = _wall_of_turn(database, new.turn)
    if wall is None:
        wall = _number(database, "walls", **columns_of(viewer.wall))
    [(number,)] = database.execute(
        "INSERT INTO messages (wall, conversation, peer, direction, content, created_at, turn)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (wall, conversation, peer, new.direction, new.content, new.created_at, new.turn or 0),
    )
    if new.turn is None:
        database.execute("UPDATE messages SET turn = id WHERE id = ?", (number,))
    place = f"w{wall} c{conversation} p{peer} {channel_word(viewer.channel_type)}"
    database.execute(
        "INSERT INTO words (rowid, content, place) VALUES (?, ?, ?)",
        (number, indexed(new.content), place),
    )
    return int(number)


def newest(database: Database, viewer: Viewer, limit: int) -> list[Message]:
    """The newest messages of the conversation that may be seen in it, exchange by exchange."""
    wall = number_of(database, "walls", **columns_of(viewer.wall))
    conversation = number_of(
        database, "conversations", channel_type=viewer.channel_type, channel_id=viewer.channel_id
    )
    rows = database.execute(
        f"{_SELECT} WHERE wall = ? AND conversation = ?"
        " ORDER BY turn DESC, messages.id DESC LIMIT ?",
        (wall, conversation, limit),
    )
    return [Message(*row) for row in reversed(rows)]


def select(database: Database, numbers: list[int]) -> dict[int, Message]:
    """Messages by id."""
    marks = ", ".join("?" * len(numbers))
    rows = database.execute(f"{_SELECT} WHERE messages.id IN ({marks})", numbers)
    return {row[0]: Message(*row) for row in rows}


def columns_of(wall: Wall) -> dict[str, Value]:
    """A row of `walls`."""
    return {"scope": wall.scope, "channel_type": wall.channel_type, "name": wall.name}


def number_of(database: Database, table: str, **columns: Value) -> int | None:
    """The number of a row in `walls`, `conversations` or `peers`; None without one."""
    where = " AND ".join(f"{name} = ?" for name in columns)
    rows = database.execute(f"SELECT id FROM {table} WHERE {where}", tuple(columns.values()))
    return rows[0][0] if rows else None


def _number(database: Database, table: str, **columns: Value) -> int:
    number = number_of(database, table, **columns)
    if number is None:
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        rows: list[Any] = database.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks}) RETURNING id", tuple(columns.values())
        )
        number = rows[0][0]
    return int(number)


def _wall_of_turn(database: Database, turn: int | None) -> int | None:
    rows = database.execute("SELECT wall FROM messages WHERE id = ?", (turn,)) if turn else []
    return rows[0][0] if rows else None


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
    return [*(Message(*row) for row in reversed(earlier)), chosen, *(Message(*r) for r in later)]


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
    for place in places:  # a channel is often named after its peer
        if not database.execute("SELECT 1 FROM messages WHERE conversation = ? LIMIT 1", (place,)):
            database.execute("DELETE FROM conversations WHERE id = ?", (place,))
    database.execute(
        "DELETE FROM walls WHERE id NOT IN (SELECT wall FROM messages) AND scope <> 'agent'"
    )
    database.execute("DELETE FROM peers WHERE id = ?", (peer,))
    if numbers:
        database.execute("INSERT INTO words (words) VALUES ('optimize')")
    return len(numbers)


def delete(database: Database, number: int) -> bool:
    """Delete one message with its words; whether it was there."""
    database.execute("DELETE FROM words WHERE rowid = ?", (number,))
    done = database.execute("DELETE FROM messages WHERE id = ? RETURNING id", (number,))
    if done:
        database.execute("INSERT INTO words (words) VALUES ('optimize')")
    return bool(done)
