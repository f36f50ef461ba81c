"""What the durable sinks are still owed: a row for each question and sink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import PrefrontalError
from ..storage.database import Database
from .decision import COLUMNS, Decision, from_row
from .event_json import restored, storable

PENDING, DONE, GIVEN_UP = "pending", "done", "given up"
GATE_CALLER = "prefrontal gate"
"""Whoever calls `prefrontal gate`, under the name of a sink."""
LONGEST_DETAIL = 500
"""Characters."""

OWE = f"""\
INSERT INTO deliveries (decision, sink, state, attempts, next_at, detail)
SELECT seq, ?2, '{PENDING}', 0, ?3, '' FROM decisions WHERE id = ?1"""

# "state <> 'done'" stands beside each "state = ..." so that the index of open ones is used.
_OPEN = f"state <> '{DONE}' AND state = '{PENDING}'"
_FIRST = f"""\
SELECT {COLUMNS}, NULL, NULL, decision, attempts
FROM deliveries JOIN decisions ON seq = decision
WHERE {_OPEN} AND sink = ?1 AND decision > ?2 AND (next_at <= ?3 OR next_at > ?3 + ?4)
ORDER BY decision LIMIT 1"""
STANDING = f"""\
SELECT open.sink, open.state, open.number, newest.detail FROM (
  SELECT sink, state, count(*) AS number, max(decision) AS latest
  FROM deliveries JOIN decisions ON seq = decision
  WHERE state <> '{DONE}' AND (state = '{PENDING}' OR time >= ?) GROUP BY sink, state) AS open
JOIN deliveries AS newest ON newest.decision = open.latest AND newest.sink = open.sink
ORDER BY open.sink, open.state DESC"""


class DamagedRowError(PrefrontalError):
    """A question is owed that cannot be read. seq: its number; id: of its decision."""

    def __init__(self, seq: int, id_: str) -> None:
        super().__init__("it cannot be read")
        self.seq = seq
        self.id = id_


@dataclass(frozen=True, slots=True)
class Owed:
    """A question that a sink is owed. seq: grows with the decisions. attempts: tries so far."""

    seq: int
    attempts: int
    record: Decision


@dataclass(frozen=True, slots=True)
class Handover:
    """How far one question got with one sink.

    state: pending, done or given up. next_at: Unix second before which no try is made.
    detail: what came of the last try, for people; empty before the first.
    """

    sink: str
    state: str
    attempts: int
    next_at: float
    detail: str


@dataclass(frozen=True, slots=True)
class SinkProgress:
    """How many questions of one sink are in one state, and what the newest of them ran into."""

    sink: str
    state: str
    count: int
    detail: str


class Deliveries:
    """Reads and settles what is owed; who decides writes it, in the transaction of the decision.

    What is settled survives a killed process, but maybe no power cut: then a question is delivered
    again, under the same id. Any method raises SourceError, as those of `DecisionLog`.
    """

    def __init__(self, database: Database) -> None:
        self._own = database.path != ":memory:"
        self._database = database.beside() if self._own else database

    def first(self, sink: str, now: float, longest_s: float, after: int = 0) -> Owed | None:
        """The oldest question that the sink is owed and may be tried at Unix second `now`.

        after: the number of one that only later ones are looked for. A try that lies further
        ahead than `longest_s` was set by a clock that has been put back since: it is due. Raises
        DamagedRowError as well.
        """
        for *row, seq, attempts in self._database.execute(_FIRST, (sink, after, now, longest_s)):
            try:
                return Owed(seq, attempts, from_row(tuple(row)))
            except (ValueError, TypeError, RecursionError) as error:
                raise DamagedRowError(seq, str(row[0])) from error
        return None

    def next_at(self, sink: str, after: int = 0) -> float | None:
        """Unix second of the sink's next try; None when it is owed nothing."""
        sql = f"SELECT min(next_at) FROM deliveries WHERE {_OPEN} AND sink = ? AND decision > ?"
        [(moment,)] = self._database.execute(sql, (sink, after))
        return None if moment is None else float(moment)

    def owe(self, decision_id: str, sinks: Sequence[str], at: float) -> None:
        """Owe the decision to the sinks, once, from Unix second `at`; an unknown one is nothing."""
        rows = [(decision_id, sink, at) for sink in sinks]
        self._database.execute_many(f"{OWE} ON CONFLICT DO NOTHING", rows)

    def settle(self, sink: str, seq: int, state: str, next_at: float, detail: str) -> None:
        """Note one try more and what came of it; what is no longer pending stays as it is."""
        self._database.execute(
            "UPDATE deliveries SET state = ?, attempts = attempts + 1, next_at = ?, detail = ? "
            f"WHERE decision = ? AND sink = ? AND state = '{PENDING}'",
            (state, next_at, storable(detail[:LONGEST_DETAIL]), seq, sink),
        )

    def renew(self, sink: str, now: float) -> int:
        """Make all that the sink is owed due at once; returns how much that is."""
        sooner = "CASE WHEN next_at > ?1 THEN ?1 ELSE next_at END"
        sql = f"UPDATE deliveries SET next_at = {sooner} WHERE {_OPEN} AND sink = ?2"
        return self._database.execute_many(sql, [(now, sink)])

    def expire(self, sink: str, before: float, detail: str) -> int:
        """Give up what the sink is owed of decisions older than Unix second `before`; how much."""
        sql = (
            f"UPDATE deliveries SET state = '{GIVEN_UP}', detail = ? WHERE {_OPEN} AND sink = ? "
            "AND (SELECT time FROM decisions WHERE seq = decision) <= ?"
        )
        values = (storable(detail[:LONGEST_DETAIL]), sink, before)
        return self._database.execute_many(sql, [values])

    def knows(self, decision_id: str) -> bool:
        """Whether any sink is or was owed that decision."""
        sql = "SELECT 1 FROM deliveries JOIN decisions ON seq = decision WHERE id = ? LIMIT 1"
        return bool(self._database.execute(sql, (decision_id,)))

    def of(self, decision_id: str) -> list[Handover]:
        """How far that decision got, sink by sink."""
        rows = self._database.execute(
            "SELECT sink, state, attempts, next_at, deliveries.detail FROM deliveries "
            "JOIN decisions ON seq = decision WHERE id = ? ORDER BY sink",
            (decision_id,),
        )
        return [
            Handover(sink, state, attempts, next_at, restored(detail))
            for sink, state, attempts, next_at, detail in rows
        ]

    def standing(self, since: float) -> list[SinkProgress]:
        """What is pending, and what of the decisions since that Unix second was given up."""
        rows = self._database.execute(STANDING, (since,))
        return [
            SinkProgress(sink, state, count, restored(detail))
            for sink, state, count, detail in rows
        ]

    def close(self) -> None:
        """Give the connection back; a second call does nothing."""
        if self._own:
            self._database.close()
