"""What is asked of the log of decisions: newest first, oldest first, by label, by count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..errors import InputError
from ..storage.database import Database, Value
from ..types import Reason
from .decision import COLUMNS, Decision, from_row
from .event_json import storable
from .labels import TOLD, GivenLabel
from .payloads import WAKE

# The last label of a decision counts; every earlier one stays in the table.
LABELLED = """\
decisions LEFT JOIN labels AS last
ON last.seq = (SELECT max(seq) FROM labels WHERE decision = decisions.seq)"""
RECORD = ", ".join(f"decisions.{name}" for name in COLUMNS.split(", ")) + ", last.label, last.at"
_OWN = LABELLED.replace("= decisions.seq)", f"= decisions.seq AND source <> '{TOLD}')")
"""With the last label of the window, not that of the question that told of others."""
_PAGE = 500
_SHORTEST_PREFIX = 4
_LAST = 2**62


def by_id(database: Database, decision_id: str) -> Decision | None:
    """The decision of that id, or of the only id that begins so. Raises InputError."""
    if not decision_id.isascii():
        return None
    if decisions := _select(database, "WHERE id = ?", (decision_id,)):
        return decisions[0]
    if len(decision_id) < _SHORTEST_PREFIX:
        rule = f"must have at least {_SHORTEST_PREFIX} characters"
        raise InputError(f"decision id {rule}, got {decision_id!r}")
    beyond = decision_id + "\x80"  # ids are ASCII
    decisions = _select(database, "WHERE id > ? AND id < ? LIMIT 2", (decision_id, beyond))
    if len(decisions) > 1:
        raise InputError(f"decision id must belong to one decision, got {decision_id!r} of several")
    return decisions[0] if decisions else None


def newest(
    database: Database,
    limit: int,
    subject: str | None,
    acted: bool | None,
    reason: str | None,
    kind: str | None,
    since: float,
    until: float,
    *,
    unanswered: bool = False,
) -> list[Decision]:
    """The newest decisions first, only those that match what is given."""
    conditions, values = ["TRUE"], list[Value]()
    if unanswered:
        conditions.append("last.label IS NULL")
    if acted is not None:
        conditions.append("acted" if acted else "NOT acted")
    if kind is not None and kind != WAKE:
        conditions.append("kind <> 'wake'")  # what the index of the few others is restricted to
    for condition, value in (
        ("subject = ?", None if subject is None else storable(subject)),
        ("reason = ?", None if reason is None else str(reason)),
        ("time >= ?", since),
        ("time < ?", until),
        ("kind = ?", kind),
    ):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    order = "ORDER BY time DESC, decisions.seq DESC LIMIT ?"
    return _select(database, f"WHERE {' AND '.join(conditions)} {order}", (*values, max(limit, 0)))


def oldest(
    database: Database, since: float | None, until: float | None, *, own_labels: bool = False
) -> Iterator[Decision]:
    """The decisions of that time, oldest first, a page at a time: no long read, little memory."""
    labelled = _OWN if own_labels else LABELLED
    [(last,)] = database.execute("SELECT max(seq) FROM decisions")
    place = (-math.inf if since is None else since, -1)
    end = math.inf if until is None else until
    page = f"""\
SELECT {RECORD}, decisions.seq FROM {labelled}
WHERE (time, decisions.seq) > (?, ?) AND time < ? AND decisions.seq <= ?
ORDER BY time, decisions.seq LIMIT {_PAGE}"""
    while rows := database.execute(page, (*place, end, last)):
        for row in rows:
            yield from_row(row[:-1])
        place = (rows[-1][1], rows[-1][-1])


def followed(database: Database, decision_id: str) -> list[Decision]:
    """The decisions that one led to, however far."""
    return [
        from_row(row)
        for row in database.execute(
            f"""\
WITH RECURSIVE chain (id) AS (
  SELECT id FROM decisions WHERE cause = ?
  UNION SELECT later.id FROM decisions AS later JOIN chain ON later.cause = chain.id)
SELECT {RECORD} FROM {LABELLED} WHERE id IN (SELECT id FROM chain) ORDER BY decisions.seq""",
            (decision_id,),
        )
    ]


def labels_after(database: Database, seq: int) -> Iterator[GivenLabel]:
    """Each label after the one numbered `seq`, in their order."""
    page = f"""\
SELECT {RECORD}, given.seq, given.label, given.source FROM labels AS given
CROSS JOIN {LABELLED} WHERE decisions.seq = given.decision AND given.seq > ?
ORDER BY given.seq LIMIT {_PAGE}"""
    while rows := database.execute(page, (seq,)):
        for row in rows:
            *decision, seq, label, source = row
            yield GivenLabel(seq, from_row(tuple(decision)), label, source)


def ends(database: Database) -> tuple[int, int]:
    """The numbers of the newest decision and of the newest label; 0 where there is none."""
    [(decision, label)] = database.execute(
        "SELECT (SELECT max(seq) FROM decisions), (SELECT max(seq) FROM labels)"
    )
    return decision or 0, label or 0


def label_source(database: Database, decision_id: str) -> str | None:
    """Who gave the last label of the decision; None without one."""
    sql = """\
SELECT source FROM labels WHERE decision = (SELECT seq FROM decisions WHERE id = ?)
ORDER BY seq DESC LIMIT 1"""
    return next((str(source) for (source,) in database.execute(sql, (decision_id,))), None)


def number(database: Database, decision_id: str) -> int:
    """The number of a decision that is there."""
    [(seq,)] = database.execute("SELECT seq FROM decisions WHERE id = ?", (decision_id,))
    return int(seq)


def wakes_after(
    database: Database, seq: int, limit: int, last: int = _LAST
) -> list[tuple[int, Decision]]:
    """(number, wake with a question) after number `seq` up to `last`, in their order."""
    between = "decisions.seq > ? AND decisions.seq <= ? AND"
    return _wakes(database, between, "ASC", (seq, last, limit))


def latest_wakes(database: Database, limit: int) -> list[tuple[int, Decision]]:
    """(number, wake with a question) of the newest, in their order."""
    return _wakes(database, "", "DESC", (limit,))[::-1]


def labelled_after(database: Database, seq: int, last: int) -> list[str]:
    """Ids of the decisions that the labels after number `seq` up to `last` belong to."""
    sql = """\
SELECT id FROM labels JOIN decisions ON decisions.seq = labels.decision
WHERE labels.seq > ? AND labels.seq <= ? GROUP BY id ORDER BY min(labels.seq)"""
    return [id_ for (id_,) in database.execute(sql, (seq, last))]


def counts(database: Database) -> dict[str, int]:
    """How many wakes were decided about, by reason."""
    sql = "SELECT reason, count(*) FROM decisions WHERE kind = 'wake' GROUP BY reason"
    return dict(database.execute(sql))


def audits(database: Database, subject: str | None) -> list[tuple[bool, float, float | None]]:
    """(woken by the threshold, propensity, last label) of each wake, oldest first."""
    chosen: tuple[str, Sequence[Value]] = ("", ())
    if subject is not None:
        chosen = ("AND subject = ?", (storable(subject),))
    rows = database.execute(
        f"SELECT reason, propensity, last.label FROM {LABELLED} "
        f"WHERE acted AND kind = 'wake' {chosen[0]} ORDER BY time, decisions.seq",
        chosen[1],
    )
    return [(reason != Reason.AUDIT, propensity, label) for reason, propensity, label in rows]


def _select(database: Database, tail: str, values: Sequence[Value]) -> list[Decision]:
    rows = database.execute(f"SELECT {RECORD} FROM {LABELLED} {tail}", values)
    return [from_row(row) for row in rows]


def _wakes(
    database: Database, condition: str, order: str, values: Sequence[Value]
) -> list[tuple[int, Decision]]:
    rows = database.execute(
        f"SELECT {RECORD}, decisions.seq FROM {LABELLED} WHERE {condition} acted"
        f" AND kind = '{WAKE}' AND question IS NOT NULL ORDER BY decisions.seq {order} LIMIT ?",
        values,
    )
    return [(row[-1], from_row(row[:-1])) for row in rows]
