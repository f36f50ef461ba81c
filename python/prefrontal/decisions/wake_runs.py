"""The wakes of the log by the start of the gate that decided them, in the order it did."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .decision import COLUMNS, Decision, from_row

if TYPE_CHECKING:
    from ..storage.database import Database

START, ADOPTION = "start ", "adoption "
"""The names of the states that tell of a start begin so; its run follows. Of what all modules knew
when a history was adopted; an id follows."""

_PAGE = 500
_LAST = "\U0010ffff"
_DETAILS = "CASE typeof(details) WHEN 'text' THEN details END"
_RUN = f"json_extract({_DETAILS}, '$.run')"
_EVENT = f"CAST(json_extract({_DETAILS}, '$.event') AS BIGINT)"
_MONOTONIC = "CAST(json_extract(details, '$.monotonic') AS DOUBLE PRECISION)"
_GATHERED = f"json_extract({_DETAILS}, '$.gathered') IS NOT NULL"
_LATE = f"({_GATHERED} OR json_extract({_DETAILS}, '$.late') IS NOT NULL)"

_OF_RUN = f"seq BETWEEN ? AND ? AND kind = 'wake' AND {_RUN} = ?"


@dataclass(frozen=True, slots=True)
class WakeRun:
    """What the log holds of one start. first, last: numbers of its decisions. "": of none."""

    run: str
    first: int
    last: int
    decisions: int


class WakeRuns:
    """Reads a log of decisions, start by start."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def runs(self) -> list[WakeRun]:
        """The starts that decided something, the earliest first."""
        rows = self._database.execute(
            f"SELECT coalesce({_RUN}, ''), min(seq), max(seq), count(*) FROM decisions"
            " WHERE kind = 'wake' GROUP BY 1 ORDER BY 2"
        )
        return [WakeRun(str(run), first, last, count) for run, first, last, count in rows]

    def starts(self) -> list[tuple[str, bytes]]:
        """(name, content) of what was kept of each start and each adoption, the earliest first."""
        rows = self._database.execute(
            "SELECT name, content FROM states WHERE name BETWEEN ? AND ? OR name BETWEEN ? AND ?"
            " ORDER BY rowid",
            (START, START + _LAST, ADOPTION, ADOPTION + _LAST),
        )
        return [(name, content) for name, content in rows]

    def wakes(self, run: WakeRun) -> Iterator[Decision]:
        """The decisions of one start in the order it took its events, a page at a time.

        What was asked after an event, when a hold ended, comes after it. Labels are left out.
        """
        rows = self._database.execute(
            f"SELECT seq FROM decisions WHERE {_OF_RUN}"
            f" ORDER BY {_EVENT} NULLS FIRST, {_LATE}, {_MONOTONIC} NULLS FIRST, seq",
            (run.first, run.last, run.run),
        )
        order = array("q", (seq for (seq,) in rows))
        for start in range(0, len(order), _PAGE):
            page = order[start : start + _PAGE].tolist()
            result = self._database.execute(
                f"SELECT {COLUMNS}, NULL, NULL, seq FROM decisions"
                " WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
                (json.dumps(page),),
            )
            records = {row[-1]: from_row(row[:-1]) for row in result}
            yield from (records[seq] for seq in page)

    def gathered(self, run: WakeRun) -> Iterator[Decision]:
        """Those of them that are about several events, in any order."""
        rows = self._database.execute(
            f"SELECT {COLUMNS}, NULL, NULL FROM decisions WHERE {_OF_RUN} AND {_GATHERED}",
            (run.first, run.last, run.run),
        )
        return map(from_row, rows)
