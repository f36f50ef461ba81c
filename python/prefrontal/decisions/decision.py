"""One decision of any kind, and its row in the log."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InputError
from .event_json import (
    details_from_json,
    details_to_json,
    events_from_json,
    events_to_json,
    restored,
    storable,
    why_from_json,
    why_to_json,
)
from .payload_json import from_plain, to_plain
from .payloads import PAYLOADS, Payload

if TYPE_CHECKING:
    from ..storage.database import Row
    from ..types import SignalEvent

KINDS = tuple(PAYLOADS)
"""The sorts of decisions, in the order in which one leads to the next."""
SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""Odd, so that numbers that follow each other have ids that begin differently."""


def new_id() -> str:
    """A fresh id for a decision: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def slept_id(first_id: int, number: int) -> str:
    """The id of the decision of that number of a start, where none is fresh."""
    return f"{(first_id + number * SPREAD) % 2**128:032x}"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and why: one shape for everything that prefrontal decides.

    id: from `new_id`. time: Unix seconds. payload: what belongs to its kind; it says which that is.
    cause: id of the decision that led to this one, None for a first one. reason: a word for why: of
    `types.Reason` for a wake. label: 1.0 it was right, 0.0 it was not, None nobody has said.
    labelled_at: Unix seconds. window: the events decided about. why: contributions (name, signed
    amount), largest first.

    By kind, subject (who or what it is about), acted, score and threshold (NaN: there is none) and
    question (the text at its heart, None without one) are:

    wake: a module's id; whether the agent was woken; probabilities, 0..1; what the agent was asked.
        propensity: chance, above 0 and at most 1, that this window was to be woken for.
    route: the tool, or the policy where none was chosen; whether it may be run; 0..1; the prompt.
    act: the tool, or "agent"; whether it was done to its end; none; what came of it, in words.
    assessment: a peer's id; whether the trust changed; none; the rationale.
    belief: its key; whether it holds from now on; confidence, 0..1, and none; its text.
    directive: who is addressed; whether it was queued; none; its text.
    """

    id: str
    time: float
    subject: str
    acted: bool
    reason: str
    score: float
    threshold: float
    question: str | None
    propensity: float
    window: tuple[SignalEvent, ...]
    payload: Payload
    why: tuple[tuple[str, float], ...] = ()
    label: float | None = None
    labelled_at: float | None = None
    cause: str | None = None

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return self.payload.kind


COLUMNS = (
    "id, time, kind, subject, acted, reason, score, threshold, question, propensity, events, why, "
    "cause, details"
)
"""The columns of a decision, in the order of `to_row`."""


def to_row(record: Decision) -> Row:
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
        record.kind,
        storable(record.subject),
        bool(record.acted),
        str(record.reason),
        float(record.score),
        float(record.threshold),
        None if record.question is None else storable(record.question),
        float(record.propensity),
        events_to_json(record.window),
        why_to_json(record.why),
        record.cause,
        details_to_json(to_plain(record.payload)),
    )


def from_row(row: Row) -> Decision:
    """The record of the values of COLUMNS and then of its last label and that label's time."""
    id_, time, kind, subject, acted, reason, score, threshold, question, propensity, *rest = row
    events, why, cause, details, label, labelled_at = rest
    return Decision(
        id=str(id_),
        time=_number(time),
        subject=restored(subject),
        acted=bool(acted),
        reason=str(reason),
        score=_number(score),
        threshold=_number(threshold),
        question=None if question is None else restored(question),
        propensity=_number(propensity),
        window=events_from_json(events),
        payload=from_plain(str(kind), details_from_json(details), _number(time)),
        why=why_from_json(why),
        label=None if label is None else _number(label),
        labelled_at=None if labelled_at is None else _number(labelled_at),
        cause=None if cause is None else str(cause),
    )


def _number(value: float | None) -> float:
    """The float; SQLite keeps NaN as NULL."""
    return math.nan if value is None else float(value)
