"""A peer that is forgotten, in the lists of origins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...origins import dump_origins, parse_origins
from ...plain_text import MORE

if TYPE_CHECKING:
    from ...storage.database import Database


def forget_origin(database: Database, origin: str) -> None:
    """Let it stand in no list: what it had a part in is anybody's."""
    for table in ("messages", "notes", "facts"):
        sql = f"SELECT id, origins FROM {table} WHERE instr(origins, ?)"
        rows = database.execute(sql, (dump_origins([origin])[2:-2],))
        changed = []
        for number, origins in rows:
            others = [each for each in parse_origins(origins) if each not in (origin, MORE)]
            changed.append((dump_origins([*others, MORE]), number))
        database.execute_many(f"UPDATE {table} SET origins = ? WHERE id = ?", changed)
