"""Decisions listed: a list that a notebook shows as a table."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from ..notebook import NOTHING, frame, share, table
from ..plural import many
from .decision import Decision

SHOWN = 50
"""Rows that a notebook shows; `to_pandas` has them all."""

_HEADS = ("id", "when (UTC)", "subject", "score", "threshold", "reason", "label", "question")
_NESTED = ("window", "why", "payload")


class DecisionList(list[Decision]):
    """Decisions in the order they were asked for."""

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row for each decision, without its events; times are UTC.

        Adds `events`, how many there were, and `location`, of the last. Raises SourceError
        without pandas.
        """
        names = [each.name for each in fields(Decision) if each.name not in _NESTED]
        rows = [
            (each.kind, *(getattr(each, name) for name in names), *_events(each)) for each in self
        ]
        return frame(rows, ["kind", *names, "events", "location"], times=("time", "labelled_at"))

    def _repr_html_(self) -> str:
        more = f", the first {SHOWN}" if len(self) > SHOWN else ""
        return table(f"{many(len(self), 'decision')}{more}", _HEADS, map(_cells, self[:SHOWN]))


def _events(record: Decision) -> tuple[int, str]:
    return len(record.window), record.window[-1].location if record.window else ""


def _cells(record: Decision) -> tuple[str, ...]:
    return (
        record.id[:8],
        _moment(record.time),
        record.subject,
        share(record.score),
        share(record.threshold),
        record.reason.replace("_", " "),
        NOTHING if record.label is None else f"{record.label:g}",
        record.question or NOTHING,
    )


def _moment(time: float) -> str:
    """The second in UTC; a dash for what is no date."""
    try:
        return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, OSError, ValueError):
        return NOTHING
