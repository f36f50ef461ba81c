"""Lists of origins in a column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...plain_text import MORE

if TYPE_CHECKING:
    from ...storage.database import Database


def dump(origins: Sequence[str]) -> str:
    return json.dumps(origins, ensure_ascii=False)


def parse(text: str | None) -> tuple[str, ...]:
    """The list; anybody's where it was not written down."""
    return (MORE,) if text is None else tuple(json.loads(text))


def forget_origin(database: Database, origin: str) -> None:
    """Let it stand in no list: what it had a part in is anybody's."""
    for table in ("messages", "notes", "facts"):
        rows = database.execute(
            f"SELECT id, origins FROM {table} WHERE instr(origins, ?)", (dump([origin])[2:-2],)
        )
        changed = []
        for number, origins in rows:
            others = [each for each in parse(origins) if each not in (origin, MORE)]
            changed.append((dump([*others, MORE]), number))
        database.execute_many(f"UPDATE {table} SET origins = ? WHERE id = ?", changed)
