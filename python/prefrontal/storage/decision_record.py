"""One decision as it is kept, and its row in the database."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass

from ..errors import InputError
from ..types import SignalEvent
from .database import Row
from .event_json import (
    events_from_json,
    events_to_json,
    restored,
    storable,
    why_from_json,
    why_to_json,
)


def new_id() -> str:
    """A fresh id for a decision: 32 hexadecimal digits."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """What was decided about one window, and why.

    id: from `new_id`. time: Unix seconds. kind: the sort of decision, "wake".
    subject: who decided, a module's id. acted: whether the agent was woken.
    reason: a word of `types.Reason`. score, threshold: probabilities, 0..1; NaN is kept.
    question: what the agent was asked, None when it was not.
    propensity: chance, above 0 and at most 1, that this window was to be woken for.
    window: the events decided about. why: contributions (name, log-odds), largest first.
    label: 1.0 it mattered, 0.0 it did not, None nobody has said. labelled_at: Unix seconds.
    """

    id: str
    time: float
    kind: str
    subject: str
    acted: bool
    reason: str
    score: float
    threshold: float
    question: str | None
    propensity: float
    window: tuple[SignalEvent, ...]
    why: tuple[tuple[str, float], ...] = ()
    label: float | None = None
    labelled_at: float | None = None


COLUMNS = (
    "id, time, kind, subject, acted, reason, score, threshold, question, propensity, events, why"
)
"""The columns of a decision, in the order of `to_row`."""


def to_row(record: DecisionRecord) -> Row:
    """The values of COLUMNS. Raises InputError for a field that cannot be kept."""
    if not record.id or not record.id.isascii():
        raise InputError(f"id must be ASCII text that is not empty, got {record.id!r}")
    if not math.isfinite(record.time):
        raise InputError(f"time must be a finite number, got {record.time!r}")
    if not 0.0 < record.propensity <= 1.0:
        raise InputError(f"propensity must be above 0 and at most 1, got {record.propensity!r}")
    return (
        record.id,
        float(record.time),
        str(record.kind),
        storable(record.subject),
        int(record.acted),
        str(record.reason),
        float(record.score),
        float(record.threshold),
        None if record.question is None else storable(record.question),
        float(record.propensity),
        events_to_json(record.window),
        why_to_json(record.why),
    )


def from_row(row: Row) -> DecisionRecord:
    """The record of the values of COLUMNS and then of its last label and that label's time."""
    id_, time, kind, subject, acted, reason, score, threshold, question, propensity, *rest = row
    events, why, label, labelled_at = rest
    return DecisionRecord(
        id=str(id_),
        time=_number(time),
        kind=str(kind),
        subject=restored(subject),
        acted=bool(acted),
        reason=str(reason),
        score=_number(score),
        threshold=_number(threshold),
        question=None if question is None else restored(question),
        propensity=_number(propensity),
        window=events_from_json(events),
        why=why_from_json(why),
        label=None if label is None else _number(label),
        labelled_at=None if labelled_at is None else _number(labelled_at),
    )


def _number(value: float | None) -> float:
    """The float; SQLite keeps NaN as NULL."""
    return math.nan if value is None else float(value)
