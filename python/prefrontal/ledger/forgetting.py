"""A peer erased from the tables, and from the reasons that its words may have gone into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..origins import may_hold, peer_origin
from . import queries, rows

if TYPE_CHECKING:
    from ..storage.database import Database
    from .models import Peer

FORGOTTEN = "[forgotten]"
_LEAST_NAME = 3
_TABLES = ("interactions", "assessments", "peers")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many rows were deleted, and of how many judgments of others the reason was erased."""

    rows: int
    reasons: int


def mention_of(peer_id: str, peer: Peer | None) -> re.Pattern[str]:
    """Finds the id as a word of its own, and the name where it is long enough to mean one."""
    name = "" if peer is None else peer.display_name.strip()
    names = (peer_id, name) if len(name) >= _LEAST_NAME else (peer_id,)
    return re.compile("|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in names))


def forget_peer(database: Database, peer_id: str) -> Forgotten:
    """Delete the peer's rows, and replace the reasons of others that may hold its words."""
    peer = rows.select_peer(database, peer_id)
    mention = mention_of(peer_id, peer)
    spoiled = [*_spoiled(database, peer_id, mention, is_known=peer is not None)]
    database.execute_many(
        "UPDATE assessments SET rationale = ?, origins = '[]' WHERE id = ?",
        [(FORGOTTEN, number) for number in spoiled],
    )
    deleted = 0
    for table in _TABLES:
        deleted += len(
            database.execute(f"DELETE FROM {table} WHERE peer_id = ? RETURNING 1", (peer_id,))
        )
    return Forgotten(deleted, len(spoiled))


def _spoiled(
    database: Database, peer_id: str, mention: re.Pattern[str], *, is_known: bool
) -> Iterator[int]:
    """The judgments of others whose reason may hold words of the peer.

    Of one who never wrote, origins that nobody noted hold none: a mistyped id erases nothing.
    """
    origin = peer_origin(peer_id)
    for each in queries.each_assessment(database, None):
        if each.peer_id == peer_id or each.rationale == FORGOTTEN:
            continue
        holds = may_hold(each.origins, origin) if is_known else origin in each.origins
        if holds or mention.search(each.rationale):
            yield each.id
