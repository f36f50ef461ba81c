"""What figures about a live gate ask of the log: wakes by module and reason, time, signals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..types import Reason
from .event_json import restored
from .labels import TOLD
from .newest import newest_first
from .payloads import WAKE

if TYPE_CHECKING:
    from ..storage.database import Database

_DETAILS = "CASE WHEN typeof(details) = 'text' AND json_valid(details) THEN details END"
RUN = f"coalesce(json_extract({_DETAILS}, '$.run'), '')"
IS_TOLD = "EXISTS (SELECT 1 FROM folds WHERE held = decisions.seq)"
"""Whether a question told of the held back window, or is owed: then it waits and is not missed."""
LATE = f"(acted AND json_extract({_DETAILS}, '$.late') IS NOT NULL)"
"""Whether a question was asked when a hold ended; the windows that it told of count themselves."""
EVENT = f"CAST(coalesce(json_extract({_DETAILS}, '$.event'), '0') AS BIGINT)"

_OF_TIME = f"kind = '{WAKE}' AND reason <> '{Reason.REPLAYED}' AND time >= ? AND time < ?"
# A late question is told of by what it folded, whose moments count.
_ASKED_TIMES = f"""\
SELECT decisions.time, acted, asked.time, last.label FROM decisions
LEFT JOIN folds ON folds.held = decisions.seq
LEFT JOIN (SELECT seq AS number, time FROM decisions) AS asked ON asked.number = folds.question
LEFT JOIN labels AS last
ON last.seq = (
  SELECT max(seq) FROM labels WHERE decision = decisions.seq AND source <> '{TOLD}')
WHERE kind = '{WAKE}' AND reason <> '{Reason.REPLAYED}' AND decisions.time >= ?
AND (acted OR folds.held IS NOT NULL OR last.label IS NOT NULL)
AND NOT {LATE}
AND json_extract({_DETAILS}, '$.opening') IS NULL ORDER BY decisions.time"""
# A burst that went on was told of before; a late question, by what it folded.
_AT_ONCE = f"""\
SELECT count(*) FROM decisions WHERE seq > ? AND acted AND {_OF_TIME}
AND json_extract({_DETAILS}, '$.late') IS NULL"""
_WAITED = f"""\
SELECT asked.time - decisions.time FROM folds JOIN decisions ON decisions.seq = folds.held
JOIN (SELECT seq AS number, time, acted AS asks FROM decisions) AS asked
ON asked.number = folds.question
WHERE asked.number > ? AND asked.asks AND asked.time >= ? AND asked.time < ?
AND json_extract({_DETAILS}, '$.opening') IS NULL"""
_LAST = "labels AS last ON last.seq = (SELECT max(seq) FROM labels WHERE decision = decisions.seq)"


@dataclass(frozen=True, slots=True)
class AskedWakes:
    """So many wakes of one module, one reason and one chance, whose last label has one source.

    labelled: of them; relevant: of those. source: None where there is no label. is_told: whether
    they were held back and a later question tells of them.
    """

    subject: str
    acted: bool
    reason: str
    propensity: float
    source: str | None
    count: int
    labelled: int
    relevant: int
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class AskedTime:
    """A window that was asked about or is labelled.

    happened, question_at: Unix seconds; None where no question told of it. mattered: by its last
    label; None where there is none.
    """

    happened: float
    question_at: float | None
    mattered: bool | None


class GateReads:
    """Reads of one log. since: Unix seconds, included; until: left out."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def wakes(self, since: float | None = None, until: float | None = None) -> Iterator[AskedWakes]:
        """All that was asked about, and what of the rest is below the threshold or labelled."""
        named = "SELECT subject, acted, reason, propensity, source"
        counted = f"{named}, 0, count(*), count(label), count(*) FILTER (WHERE label >= 0.5)"
        labelled = f"{named}, {IS_TOLD}, 0, count(label), count(*) FILTER (WHERE label >= 0.5)"
        below = "SELECT subject, 0, reason, 1.0, NULL, 0, count(*), 0, 0"
        for sql in (
            f"{counted} FROM decisions LEFT JOIN {_LAST} WHERE acted AND {_OF_TIME}",
            f"{below} FROM decisions WHERE reason = '{Reason.BELOW_THRESHOLD}' AND {_OF_TIME}",
            f"{labelled} FROM labels AS last JOIN decisions ON decisions.seq = last.decision "
            "WHERE last.seq = (SELECT max(seq) FROM labels WHERE decision = decisions.seq) "
            f"AND NOT acted AND {_OF_TIME}",
        ):
            by_kind = f"{sql} GROUP BY 1, 2, 3, 4, 5, 6"
            rows = self._database.execute(by_kind, _between(since, until))
            for subject, acted, reason, propensity, source, is_told, *counts in rows:
                count, known, relevant = counts
                yield AskedWakes(
                    restored(subject),
                    bool(acted),
                    str(reason),
                    float(propensity),
                    None if source is None else str(source),
                    count,
                    known,
                    int(relevant),
                    bool(is_told),
                )

    def span(
        self, since: float | None = None, until: float | None = None, now: float = math.inf
    ) -> tuple[float | None, float | None]:
        """When the earliest and the latest were decided about, Unix seconds; None without any.

        What a clock ahead of `now` dated is the latest only where there is nothing else.
        """
        begin, end = _between(since, until)

        def read(begin: float, beyond: float, order: str = "DESC") -> list[float]:
            sql = f"SELECT time FROM decisions WHERE {_OF_TIME} ORDER BY time {order} LIMIT 1"
            rows = self._database.execute(sql, (begin, min(beyond, end)))
            return [float(time) for (time,) in rows]

        latest = newest_first(read, 1, now, since=begin)
        earliest = read(begin, end, "ASC")
        return next(iter(earliest), None), next(iter(latest), None)

    def asked_times(self, since: float) -> list[AskedTime]:
        """What was or would be asked about, and what mattered, since that Unix second."""
        rows = self._database.execute(_ASKED_TIMES, (since,))
        return [
            AskedTime(time, time if acted else told_at, None if label is None else label >= 0.5)
            for time, acted, told_at, label in rows
        ]

    def waits(
        self, since: float | None = None, until: float | None = None, *, after: int = 0
    ) -> list[float]:
        """Seconds from each window that a question told of to that question.

        after: number of a decision; only questions after it.
        """
        span = (after, *_between(since, until))
        [(at_once,)] = self._database.execute(_AT_ONCE, span)
        waited = self._database.execute(_WAITED, span)
        return [0.0] * int(at_once) + [max(0.0, float(seconds)) for (seconds,) in waited]

    def events(
        self, since: float | None = None, until: float | None = None
    ) -> dict[str, tuple[int, int]]:
        """By start of the gate the numbers of the last event before that time and of its last."""
        begin, end = _between(since, until)
        rows = self._database.execute(
            f"SELECT {RUN}, max(CASE WHEN time < ? THEN {EVENT} ELSE 0 END), max({EVENT}) "
            f"FROM decisions WHERE {_OF_TIME} AND {RUN} <> '' GROUP BY 1 HAVING max(time) >= ?",
            (begin, -math.inf, end, begin),
        )
        return {str(run): (before, last) for run, before, last in rows if last}

    def unnumbered(self, since: float | None = None, until: float | None = None) -> int:
        """Moments at which something was decided by a start that noted neither itself nor events.

        A start that asks about what an earlier one held back notes itself and no event.
        """
        sql = f"SELECT count(DISTINCT time) FROM decisions WHERE {_OF_TIME} AND {RUN} = ''"
        [(count,)] = self._database.execute(sql, _between(since, until))
        return int(count)


def _between(since: float | None, until: float | None) -> tuple[float, float]:
    return (-math.inf if since is None else since, math.inf if until is None else until)
