"""Windows that were held back, and the question that told of each; until there is one they wait."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .decision import COLUMNS, Decision, from_row
from .payloads import WakePayload

if TYPE_CHECKING:
    from ..storage.database import Database

_WAITS = "INSERT INTO folds (held, question) SELECT seq, NULL FROM decisions WHERE id = ?"
_FOLD = """\
UPDATE folds SET question = (SELECT seq FROM decisions WHERE id = ?2)
WHERE held = (SELECT seq FROM decisions WHERE id = ?1)"""
_OPENED = """\
INSERT INTO folds (held, question) SELECT held.seq, opening.seq
FROM decisions AS held, decisions AS opening WHERE held.id = ?1 AND opening.id = ?2"""
_WAITING = f"""\
SELECT {COLUMNS}, NULL, NULL FROM decisions
WHERE seq IN (SELECT held FROM folds WHERE folds.question IS NULL) ORDER BY seq"""
_QUESTIONS = """\
SELECT held.id, asked.id FROM folds
JOIN decisions AS held ON held.seq = folds.held
LEFT JOIN decisions AS asked ON asked.seq = folds.question
WHERE held.id IN (SELECT value FROM json_each(?))"""
_LATEST = f"""\
SELECT {COLUMNS}, NULL, NULL FROM decisions WHERE seq = (
SELECT max(held) FROM folds WHERE question = (SELECT seq FROM decisions WHERE id = ?1))
AND json_extract(details, '$.opening') = ?1"""
_CHOSEN = f"""\
SELECT {COLUMNS}, NULL, NULL FROM decisions
WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq"""


def keep_folds(database: Database, records: Iterable[Decision]) -> None:
    """Note which of these records wait and which tell of others; in the caller's transaction."""
    waiting: list[tuple[str]] = []
    folded: list[tuple[str, str]] = []
    opened: list[tuple[str, str]] = []
    for record in records:
        if isinstance(wake := record.payload, WakePayload):
            if wake.waits:
                waiting.append((record.id,))
            folded += [(each.id, record.id) for each in wake.folded]
            if wake.opening:
                opened.append((record.id, wake.opening))
    if waiting:
        database.execute_many(_WAITS, waiting)
    if folded:
        database.execute_many(_FOLD, folded)
    if opened:
        database.execute_many(_OPENED, opened)


def waiting_windows(database: Database) -> list[Decision]:
    """The held back windows that no question has told of, in the order they were kept."""
    return [from_row(row) for row in database.execute(_WAITING)]


def fold_questions(database: Database, held: Sequence[str]) -> dict[str, str | None]:
    """The id of the question that told of each held back window; None for one that waits.

    Windows that were not held back so are left out.
    """
    return dict(database.execute(_QUESTIONS, (json.dumps(list(held)),)))


def latest_of_burst(database: Database, opening: str) -> Decision | None:
    """How far a burst got by the log: the last record of it that the decision opened."""
    rows = database.execute(_LATEST, (opening,))
    return next(map(from_row, rows), None)


def chosen(database: Database, ids: Sequence[str]) -> list[Decision]:
    """The decisions of these ids, in the order they were kept."""
    return [from_row(row) for row in database.execute(_CHOSEN, (json.dumps(list(ids)),))]
