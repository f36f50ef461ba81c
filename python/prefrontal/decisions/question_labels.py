"""The label of a question that tells of several windows: whether any of them mattered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .decision import COLUMNS, Decision, from_row
from .event_json import storable
from .labels import PRESET, TOLD
from .payloads import WakePayload

if TYPE_CHECKING:
    from ..storage.database import Database

_CONCERNED = f"""\
SELECT {COLUMNS}, NULL, NULL FROM decisions WHERE seq IN (
  SELECT folds.question FROM folds JOIN decisions AS held ON held.seq = folds.held
  WHERE folds.question IS NOT NULL AND held.id IN (SELECT value FROM json_each(?)))"""
_THEMSELVES = f"""\
SELECT {COLUMNS}, NULL, NULL FROM decisions
WHERE acted AND id IN (SELECT value FROM json_each(?))"""
_KNOWN = f"""\
SELECT decisions.id, own.label, own.source, own.at, last.label FROM decisions
LEFT JOIN labels AS own ON own.seq = (
  SELECT max(seq) FROM labels WHERE decision = decisions.seq AND source <> '{TOLD}')
LEFT JOIN labels AS last ON last.seq = (SELECT max(seq) FROM labels WHERE decision = decisions.seq)
WHERE decisions.id IN (SELECT value FROM json_each(?))"""
_LABEL = f"""\
INSERT INTO labels (decision, label, at, source)
SELECT seq, ?2, ?3, '{TOLD}' FROM decisions WHERE id = ?1"""
_UNLABELLED = """\
SELECT id FROM decisions WHERE acted AND kind = 'wake' AND subject = ? AND question IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM labels WHERE decision = decisions.seq)"""
_RELEVANT = 0.5


class _Known(NamedTuple):
    """What the labels of one decision say. label, source, at: its own. last: of all of them."""

    label: float | None
    source: str | None
    at: float | None
    last: float | None


_NOTHING = _Known(None, None, None, None)


def label_questions(
    database: Database, records: Iterable[Decision], labelled: Sequence[str]
) -> None:
    """Let the labels of questions follow those of their windows; in the caller's transaction.

    records: decisions that were just kept. labelled: ids of those that just got a label. A question
    matters once any of its windows does, and does not once all are known not to. So it is where a
    history labels windows; what a person said of the question itself stays.
    """
    questions = {each.id: each for each in records if _others(each)}
    if labelled:
        for sql in (_CONCERNED, _THEMSELVES):
            rows = database.execute(sql, (json.dumps(list(labelled)),))
            questions |= {each.id: each for each in map(from_row, rows) if _others(each)}
    labels = [label for each in questions.values() if (label := _label(database, each))]
    if labels:
        database.execute_many(_LABEL, labels)


def label_unanswered(database: Database, module_id: str) -> None:
    """The same for the questions of a module that were kept before their labels followed."""
    rows = database.execute(_UNLABELLED, (storable(module_id),))
    label_questions(database, (), [str(id_) for (id_,) in rows])


def _others(record: Decision) -> tuple[str, ...]:
    """Ids of the windows that waited and that a question tells of."""
    wake = record.payload
    if not record.acted or not isinstance(wake, WakePayload):
        return ()
    return tuple(each.id for each in wake.folded)


def _label(database: Database, question: Decision) -> tuple[str, float, float] | None:
    """The values of a new label of the question; None where it has that, or none follows."""
    others = _others(question)
    ids = json.dumps([question.id, *others])
    known = {str(id_): _Known(*rest) for id_, *rest in database.execute(_KNOWN, (ids,))}
    own, waited = known[question.id], [known.get(each, _NOTHING) for each in others]
    if own.source not in (None, PRESET) or all(each.source != PRESET for each in waited):
        return None
    is_late = isinstance(question.payload, WakePayload) and question.payload.late
    windows = waited if is_late else [own, *waited]  # a late one is about one of these
    value = _value(windows)
    if value is None or value == own.last:
        return None
    return question.id, value, max(question.time, *(each.at or 0.0 for each in windows))


def _value(windows: Sequence[_Known]) -> float | None:
    if any(each.label is not None and each.label >= _RELEVANT for each in windows):
        return 1.0
    return None if any(each.label is None for each in windows) else 0.0
