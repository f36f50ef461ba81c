"""What came into the log of decisions since the last look, whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import queries

if TYPE_CHECKING:
    from ..storage.database import Database
    from .decision import Decision

MOST_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class News:
    """wakes: with a question, in the order they were kept. labelled: ids of decisions."""

    wakes: tuple[Decision, ...] = ()
    labelled: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.wakes or self.labelled)


class DecisionNews:
    """Follows a log by the numbers of its rows: nothing is told twice, nothing passed over.

    It begins where the log ends now. Raises SourceError when the log cannot be read.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wake, self._label = queries.ends(database)

    def look(self) -> News:
        """What came since the last look, at most MOST_AT_ONCE wakes; the rest is told next."""
        decision, label = queries.ends(self._database)
        wakes: list[tuple[int, Decision]] = []
        labelled: list[str] = []
        if decision > self._wake:
            wakes = queries.wakes_after(self._database, self._wake, MOST_AT_ONCE, decision)
            self._wake = wakes[-1][0] if len(wakes) == MOST_AT_ONCE else decision
        if label > self._label:
            labelled = queries.labelled_after(self._database, self._label, label)
            self._label = label
        return News(tuple(record for _, record in wakes), tuple(labelled))
