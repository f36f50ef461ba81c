"""Messages by their words, best first, in a time that does not grow with how common they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import InputError
from . import rows, vectors
from .models import Hit, Message, MessageQuery, Wall
from .words import channel_word, terms

if TYPE_CHECKING:
    from ...storage.database import Database, Value
    from .vectors import Meaning

MOST_LIMIT = 1000
CANDIDATES = 2000
"""Newest messages with a word that are looked at; a word that more have counts as common."""
_NOTHING = "place : w0"
_PAGE = 20
"""Messages read at least at once, as some may be of another time than asked for."""
_FUSION = 1
"""So small that only what stands high in both rankings comes before the best of either."""


def matches(
    database: Database,
    query: MessageQuery,
    walls: Sequence[Wall] | None,
    meaning: Meaning | None = None,
) -> list[Hit]:
    """The messages that fit, best first, then newest first.

    walls: those behind which one may look; None for all. A word weighs ln(1 + N / n), n of
    N messages having it; a message's score is the sum of its words. Words that are common count
    among the messages that have a rare one. meaning: of the query; with it, a message's score is
    the sum of 1 / (1 + place) over its places by words and by meaning (reciprocal rank fusion).
    Raises InputError for a limit out of range.
    """
    if not 1 <= query.limit <= MOST_LIMIT:
        raise InputError(f"limit must be a whole number in 1..{MOST_LIMIT}, got {query.limit!r}")
    index = _Index(database, query, walls)
    wanted = terms(query.words)
    if query.words.strip() and not wanted:
        return []
    scores = _scores(index, wanted) if wanted else dict.fromkeys(index.newest(""), 0.0)
    best = _best(scores)
    if meaning is not None:
        near = vectors.nearest(database, meaning, query, index.walls, index.span)
        scores = _fused(best, near)
        best = _best(scores)
    hits: list[Hit] = []
    size = max(query.limit, _PAGE)
    for start in range(0, len(best), size):
        messages = rows.select(database, page := best[start : start + size])
        fitting = [messages[number] for number in page if _is_in_time(messages[number], query)]
        hits += [Hit(each, scores[each.id]) for each in fitting]
        if len(hits) >= query.limit:
            break
    return hits[: query.limit]


def _best(scores: Mapping[int, float]) -> list[int]:
    """The highest first, of the same the newest."""
    newest = sorted(scores, reverse=True)
    return sorted(newest, key=scores.__getitem__, reverse=True)


def _fused(*rankings: Sequence[int]) -> dict[int, float]:
    """The sum of 1 / (1 + place) over the rankings (Cormack et al., SIGIR 2009)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (_FUSION + place)
    return scores


def _is_in_time(message: Message, query: MessageQuery) -> bool:
    """Whether it is of the time asked for: ids follow the time only while no clock jumps."""
    since = -math.inf if query.since is None else query.since
    return since <= message.created_at < (math.inf if query.until is None else query.until)


def _scores(index: _Index, wanted: Sequence[str]) -> dict[int, float]:
    holders = {term: index.newest(term) for term in wanted}
    rare = [term for term, numbers in holders.items() if 0 < len(numbers) < CANDIDATES]
    common = [term for term, numbers in holders.items() if len(numbers) >= CANDIDATES]
    scores: dict[int, float] = {}
    total = index.total
    if not rare and len(common) > 1:
        both = index.newest(" AND ".join(common))
        if both:
            return dict.fromkeys(both, len(common) * math.log1p(total / CANDIDATES))
    for term in rare or common:
        weight = math.log1p(total / max(1, len(holders[term])))
        for number in holders[term]:
            scores[number] = scores.get(number, 0.0) + weight
    if rare:
        among, weight = " OR ".join(rare), math.log1p(total / CANDIDATES)
        for term in common:
            for number in index.newest(f"({among}) AND {term}"):
                if number in scores:
                    scores[number] += weight
    return scores


class _Index:
    """The index of words behind the walls and filters of one query."""

    def __init__(
        self, database: Database, query: MessageQuery, walls: Sequence[Wall] | None
    ) -> None:
        self._database = database
        self.walls = (
            None
            if walls is None
            else [rows.number_of(database, "walls", **rows.columns_of(wall)) for wall in walls]
        )
        self._place = _place(database, query, self.walls)
        self.span = _span(database, query)

    @property
    def total(self) -> int:
        """How many messages were ever written."""
        [(last,)] = self._database.execute("SELECT coalesce(max(id), 0) FROM messages")
        return int(last)

    def newest(self, expression: str) -> list[int]:
        """At most `CANDIDATES` ids of messages that match, the newest first."""
        parts = [f"content : ({expression})"] if expression else []
        parts += [f"({place})" for place in self._place]
        values: tuple[Value, ...] = (*self.span, CANDIDATES)
        if not parts:
            sql = "SELECT id FROM messages WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"
        else:
            sql = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
            sql += " ORDER BY rowid DESC LIMIT ?"
            values = (" AND ".join(parts), *values)
        return [number for (number,) in self._database.execute(sql, values)]


def _place(
    database: Database, query: MessageQuery, walls: Sequence[int | None] | None
) -> list[str]:
    """What `place` must hold, as expressions of FTS5."""
    places = []
    if walls is not None:
        places.append(_any_of("w", walls))
    if query.peer_id is not None:
        places.append(_any_of("p", [rows.number_of(database, "peers", peer_id=query.peer_id)]))
    if query.channel_type is not None:
        places.append(f"place : {channel_word(query.channel_type)}")
    return places


def _any_of(letter: str, numbers: Sequence[int | None]) -> str:
    words = [f"{letter}{number}" for number in numbers if number is not None]
    return f"place : ({' OR '.join(words)})" if words else _NOTHING


def _span(database: Database, query: MessageQuery) -> tuple[int, int]:
    """The first and the last id of the hours that are asked for."""
    if query.since is None and query.until is None:
        return 0, 2**62
    since = -math.inf if query.since is None else query.since
    until = math.inf if query.until is None else query.until
    [(first, last)] = database.execute(
        "SELECT min(first), max(last) FROM hours WHERE hour BETWEEN ? AND ?",
        (rows.hour_of(since), rows.hour_of(until)),
    )
    return (1, 0) if first is None else (first, last)
