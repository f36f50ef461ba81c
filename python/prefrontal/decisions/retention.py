"""What is forgotten: refusals that nobody labelled and no question tells of, after some days."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..storage.database import Database

_CHUNK = 2000
"""Rows deleted in one transaction, so that writers wait for milliseconds only."""

_DELETE = f"""\
DELETE FROM decisions WHERE seq IN (
  SELECT seq FROM decisions
  WHERE time < ? AND NOT acted AND kind = 'wake' AND seq NOT IN (SELECT decision FROM labels)
  AND seq NOT IN (SELECT held FROM folds)
  ORDER BY time LIMIT {_CHUNK})"""


def delete_refusals(database: Database, before: float) -> int:
    """Delete unlabelled refusals older than Unix second `before`; returns how many.

    The file shrinks by what they took.
    """
    deleted = 0
    while True:
        with database.transaction():
            gone = database.execute_many(_DELETE, [(before,)])
            database.give_back_space()
        deleted += gone
        if gone < _CHUNK:
            break
    if deleted:
        database.give_back_space()
    return deleted
