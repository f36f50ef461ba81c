"""Lists of origins in a column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...origins import MORE, peer_origin, united

if TYPE_CHECKING:
    from ...storage.database import Database


def dump(origins: Sequence[str]) -> str:
    return json.dumps(origins, ensure_ascii=False)


def parse(text: str | None) -> tuple[str, ...]:
    """The list; anybody's where it was not written down."""
    return (MORE,) if text is None else tuple(json.loads(text))


def forget_origin(database: Database, peer_id: str) -> None:
    """Let the peer's name stand in no list: what it had a part in is anybody's."""
    name = peer_origin(peer_id)
    for table in ("messages", "notes", "facts"):
        rows = database.execute(
            f"SELECT id, origins FROM {table} WHERE instr(origins, ?)", (dump((name,))[1:-1],)
        )
        changed = [
            (dump(united(MORE if each == name else each for each in parse(origins))), number)
            for number, origins in rows
        ]
        database.execute_many(f"UPDATE {table} SET origins = ? WHERE id = ?", changed)
