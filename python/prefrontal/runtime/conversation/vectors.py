"""Vectors of messages beside the index of words: kept a byte a number, compared one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...storage.database import Database, Value
    from .models import MessageQuery

MOST_COMPARED = 20_000
"""Newest vectors that a search looks at."""
NEAREST = 100
AT_ONCE = 5_000
"""Vectors deleted in one transaction, so that messages do not wait."""
_FULL = 127
_BLOCK = 1024
"""Vectors compared at once: as many as stay in a cache."""
_IN_ONE = "json_group_array(message), CAST(group_concat(vector, '') AS BLOB)"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a query means: its vector by an embedder. least: cosine of a message that fits."""

    embedder: str
    vector: Sequence[float]
    least: float


def packed(vector: Sequence[float]) -> bytes:
    """The vector's direction, a signed byte a number; empty for a vector of zeros.

    Raises InputError for what is no vector.
    """
    import numpy as np

    values = np.asarray(vector, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise InputError(f"vector must be a list of finite numbers, got {vector!r:.80}")
    largest = float(np.abs(values).max())
    return np.rint(values * (_FULL / largest)).astype(np.int8).tobytes() if largest else b""


def nearest(
    database: Database,
    meaning: Meaning,
    query: MessageQuery,
    walls: Sequence[int | None] | None,
    span: tuple[int, int],
) -> list[int]:
    """At most `NEAREST` ids of messages that mean about the same, the nearest first.

    Compares the newest `MOST_COMPARED` that the query's peer, channel and span (first and last id)
    leave. walls: numbers of those behind which one may look; None for all.
    """
    import numpy as np

    # all in one row: a row for each would cost more than the arithmetic
    sql, values = _selection(database, meaning, query, walls, span)
    [(ids, vectors)] = database.execute(f"SELECT {_IN_ONE} FROM ({sql})", values)
    if not vectors:
        return []
    numbers = np.array(json.loads(ids), np.int64)
    cosines = _cosines(vectors, meaning.vector)
    fitting = np.flatnonzero(cosines >= meaning.least)
    order = np.lexsort((-numbers[fitting], -cosines[fitting]))[:NEAREST]
    return list(map(int, numbers[fitting[order]]))


def _cosines(packed_vectors: bytes, vector: Sequence[float]) -> NDArray[np.float32]:
    """The cosine of each of the vectors, which stand one behind the other, with `vector`."""
    import numpy as np

    wanted = np.asarray(vector, np.float32)
    matrix = np.frombuffer(packed_vectors, np.int8).reshape(-1, wanted.size)
    length = float(np.linalg.norm(wanted)) or math.inf
    cosines = np.empty(len(matrix), np.float32)
    room = np.empty((min(_BLOCK, len(matrix)), wanted.size), np.float32)
    for start in range(0, len(matrix), _BLOCK):
        rows = matrix[start : start + _BLOCK]
        block = room[: len(rows)]
        block[...] = rows
        squares = np.einsum("ij,ij->i", block, block)
        cosines[start : start + _BLOCK] = block @ wanted / (np.sqrt(squares) * length)
    return cosines


def _selection(
    database: Database,
    meaning: Meaning,
    query: MessageQuery,
    walls: Sequence[int | None] | None,
    span: tuple[int, int],
) -> tuple[str, list[Value]]:
    """The statement that reads the newest vectors with their messages' ids, and its values."""
    # a plus keeps SQLite from an index: of one chat few of all, of everything the newest
    embedder_is, order = ("embedder = ?", "+message") if walls else ("+embedder = ?", "message")
    conditions = [embedder_is, "message BETWEEN ? AND ?", "length(vector) = ?"]
    values: list[Value] = [_known(database, meaning.embedder), *span, len(meaning.vector)]
    if walls is not None:
        conditions.append(f"vectors.wall IN ({', '.join('?' * len(walls))})")
        values += walls
    source = "vectors"
    if query.peer_id is not None or query.channel_type is not None:
        source += " JOIN messages ON messages.id = message"
    if query.peer_id is not None:
        conditions.append("peer = (SELECT id FROM peers WHERE peer_id = ?)")
        values.append(query.peer_id)
    if query.channel_type is not None:
        conditions.append("conversation IN (SELECT id FROM conversations WHERE channel_type = ?)")
        values.append(query.channel_type)
    where = f"{' AND '.join(conditions)} ORDER BY {order} DESC LIMIT ?"
    if walls is None:
        sql = f"SELECT message, vector FROM {source} WHERE {where}"
        return sql, [*values, MOST_COMPARED]
    # sorted without their vectors, which are long
    ids = f"SELECT message FROM {source} WHERE {where}"
    sql = f"SELECT message, vector FROM vectors WHERE message IN ({ids}) ORDER BY message DESC"
    return sql, [*values, MOST_COMPARED]


def keep(database: Database, embedder: str, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Write vectors of messages that are still there. Raises InputError for another length."""
    size = next((len(vector) for _, vector in vectors if vector), 0)
    number = _number(database, embedder, size) if size else _known(database, embedder)
    if number > 0:
        database.execute_many(
            "INSERT OR REPLACE INTO vectors SELECT id, ?, wall, ? FROM messages WHERE id = ?",
            [(number, vector, message) for message, vector in vectors],
        )


def _number(database: Database, embedder: str, size: int) -> int:
    database.execute(
        "INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (?, ?)", (embedder, size)
    )
    [(number, dimensions)] = database.execute(
        "SELECT id, dimensions FROM embedders WHERE name = ?", (embedder,)
    )
    if dimensions != size:
        raise InputError(
            f"vectors of {embedder!r} must have {dimensions} numbers as before, got {size}:"
            " `prefrontal memory embed --remove` deletes those, to begin anew"
        )
    return int(number)


def missing(
    database: Database, embedder: str, limit: int, before: int | None = None
) -> list[tuple[int, str]]:
    """Ids and texts of messages without a vector, the newest first. before: an id; None for any."""
    return database.execute(
        "SELECT id, content FROM messages WHERE id < ? AND NOT EXISTS (SELECT 1 FROM vectors"
        " WHERE message = messages.id AND embedder = ?) ORDER BY id DESC LIMIT ?",
        (2**62 if before is None else before, _known(database, embedder), limit),
    )


def later(database: Database, after: int, limit: int) -> list[tuple[int, str]]:
    """Ids and texts of messages after an id, the oldest first."""
    return database.execute(
        "SELECT id, content FROM messages WHERE id > ? ORDER BY id LIMIT ?", (after, limit)
    )


def newest(database: Database, embedder: str) -> int | None:
    """The newest message with a vector; None before the first."""
    rows = database.execute(
        "SELECT message FROM vectors WHERE +embedder = ? ORDER BY message DESC LIMIT 1",
        (_known(database, embedder),),
    )
    return rows[0][0] if rows else None


def counts(database: Database, embedder: str) -> tuple[int, int]:
    """How many messages there are, and how many of them have a vector."""
    [row] = database.execute(
        "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM vectors WHERE embedder = ?)",
        (_known(database, embedder),),
    )
    return row[0], row[1]


def delete_all(database: Database) -> int:
    """Delete all vectors; returns how many."""
    [(count,)] = database.execute("SELECT count(*) FROM vectors")
    database.execute("DELETE FROM vectors")
    database.execute("DELETE FROM embedders")
    return int(count)


def delete_others(database: Database, embedder: str) -> int:
    """Delete at most `AT_ONCE` vectors of other embedders; returns 0 when none is left."""
    own = _known(database, embedder)
    others = database.execute("SELECT id FROM embedders WHERE id <> ? LIMIT 1", (own,))
    if not others:
        return 0
    [(other,)] = others
    gone = database.execute(
        "DELETE FROM vectors WHERE message IN"
        " (SELECT message FROM vectors WHERE embedder = ? LIMIT ?) RETURNING message",
        (other, AT_ONCE),
    )
    if not gone:
        database.execute("DELETE FROM embedders WHERE id = ?", (other,))
    return max(1, len(gone))


def _known(database: Database, embedder: str) -> int:
    """The number of an embedder; -1 before its first vector."""
    rows = database.execute("SELECT id FROM embedders WHERE name = ?", (embedder,))
    return rows[0][0] if rows else -1
