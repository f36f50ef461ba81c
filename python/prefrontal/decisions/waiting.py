"""What waits in the log for somebody who goes through it: wakes without an act, labels said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .decision import Decision, from_row
from .payloads import ROUTE, WAKE
from .queries import LABELLED, RECORD

if TYPE_CHECKING:
    from ..storage.database import Database

_PAGE = 500
_WAITING = f"""\
SELECT {RECORD}, decisions.seq FROM {LABELLED}
WHERE decisions.seq > ?1 AND time >= ?2 AND acted AND kind = '{WAKE}' AND question IS NOT NULL
AND NOT EXISTS (
  SELECT 1 FROM decisions AS route JOIN decisions AS act ON act.cause = route.id
  WHERE route.cause = decisions.id AND route.kind = '{ROUTE}')
ORDER BY decisions.seq LIMIT ?3"""
_SAID = f"""\
SELECT {RECORD}, given.seq, given.label FROM labels AS given
CROSS JOIN {LABELLED} WHERE decisions.seq = given.decision AND given.seq > ?1
AND given.source NOT IN (SELECT value FROM json_each(?2)) ORDER BY given.seq LIMIT {_PAGE}"""
_SAID_OF = """\
SELECT seq, label FROM labels
WHERE decision = (SELECT seq FROM decisions WHERE id = ?1) AND seq <= ?2
AND source NOT IN (SELECT value FROM json_each(?3)) ORDER BY seq"""


@dataclass(frozen=True, slots=True)
class WaitingWake:
    """A wake that nobody has acted on yet. number: grows with each decision that is kept."""

    number: int
    wake: Decision


def waiting_wakes(database: Database, after: int, since: float, limit: int) -> list[WaitingWake]:
    """Wakes with a question, numbered above `after`, none older than Unix second `since`."""
    rows = database.execute(_WAITING, (after, since, limit))
    return [WaitingWake(row[-1], from_row(row[:-1])) for row in rows]


def said_after(
    database: Database, seq: int, besides: Sequence[str]
) -> Iterator[tuple[int, Decision, float]]:
    """(number, decision, label) of each label numbered above `seq` from another source."""
    while rows := database.execute(_SAID, (seq, json.dumps(list(besides)))):
        for row in rows:
            *decision, seq, label = row
            yield seq, from_row(tuple(decision)), label


def said_of(
    database: Database, decision_id: str, through: int, besides: Sequence[str]
) -> list[tuple[int, float]]:
    """(number, label) of each label of the decision up to number `through` from another source."""
    rows = database.execute(_SAID_OF, (decision_id, through, json.dumps(list(besides))))
    return [(int(seq), float(label)) for seq, label in rows]
