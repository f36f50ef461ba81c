"""What a page that follows the log asks of it: small reads, by number, while others write."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from ..storage.database import Row
from ..storage.opening import open_database
from ..types import Reason
from .decision import COLUMNS, Decision, from_row
from .deliveries import STANDING, SinkProgress
from .event_json import restored, storable
from .gate_reads import EVENT, IS_TOLD, LATE, RUN, GateReads
from .labels import TOLD
from .newest import CLOCKS_DIFFER_S, newest_first
from .payloads import PAYLOADS, WAKE, FoldedWindow, WakePayload

_PAGE = 1000
_LAST_LABEL = "(SELECT label FROM labels WHERE decision = decisions.seq ORDER BY seq DESC LIMIT 1)"
_LAST_SOURCE = _LAST_LABEL.replace("label", "source", 1)
_UNLABELLED = (
    "decisions.seq, id, time, kind, subject, acted, reason, score, threshold, "
    f"question IS NOT NULL, propensity, {RUN}, {EVENT}, {IS_TOLD}, "
    f"{LATE}, (SELECT question FROM folds WHERE held = decisions.seq)"
)
_LIGHT = f"{_UNLABELLED}, {_LAST_LABEL}, {_LAST_SOURCE}"
_WHOLE = (
    f"seq, {COLUMNS}, {_LAST_LABEL}, "
    "(SELECT at FROM labels WHERE decision = decisions.seq ORDER BY seq DESC LIMIT 1)"
)


@dataclass(frozen=True, slots=True)
class LogRow:
    """A decision without its events, its reasons and its texts; the fields of Decision.

    seq: grows with each decision that is kept. asks: whether it has a question. label: the last;
    source: who gave it. run, event: the start of the gate and the number of the event in it; "" and
    0 where it was not noted. is_told: whether it was held back and a later question tells of it.
    told_by: number of that question, None while it waits. is_late: whether it was asked when a hold
    ended, about windows that have rows of their own.
    """

    seq: int
    id: str
    time: float
    kind: str
    subject: str
    acted: bool
    reason: str
    score: float
    threshold: float
    asks: bool
    propensity: float
    label: float | None
    source: str | None = None
    run: str = ""
    event: int = 0
    is_told: bool = False
    is_late: bool = False
    told_by: int | None = None

    def as_record(self, folded: Iterable[FoldedWindow] = ()) -> Decision:
        """The decision of its window, as far as this row tells of it.

        folded: what it told of. A label that follows from these says nothing of its own window.
        """
        payload = PAYLOADS[self.kind]()
        if isinstance(payload, WakePayload):
            waits = self.is_told and not self.acted
            payload = replace(payload, waits=waits, late=self.is_late, folded=tuple(folded))
        return Decision(
            id=self.id,
            time=self.time,
            subject=self.subject,
            acted=self.acted,
            reason=self.reason,
            score=self.score,
            threshold=self.threshold,
            question=None,
            propensity=self.propensity,
            window=(),
            payload=payload,
            label=None if self.source == TOLD else self.label,
        )


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A label that was given: its number, the decision, and what that one's label was before."""

    seq: int
    row: LogRow
    before: float | None
    before_source: str | None = None


class DecisionPages:
    """Reads of one log on a connection of its own, for one thread; it never writes or waits.

    path: the file, which must be there. Raises SourceError when it cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._database = open_database(path, read_only=True)

    def version(self) -> int:
        """Another number whenever another connection has written; costs microseconds."""
        return self._database.changes()

    def reading(self) -> AbstractContextManager[None]:
        """All that is read inside is of one moment."""
        return self._database.reading()

    def ends(self) -> tuple[int, int]:
        """Numbers of the last decision and of the last label; 0 where there is none."""
        [(decisions, labels)] = self._database.execute(
            "SELECT (SELECT max(seq) FROM decisions), (SELECT max(seq) FROM labels)"
        )
        return decisions or 0, labels or 0

    def after(self, seq: int) -> Iterator[LogRow]:
        """The decisions that were kept after the one numbered `seq`, in their order."""
        sql = f"SELECT {_LIGHT} FROM decisions WHERE seq > ? ORDER BY seq LIMIT {_PAGE}"
        while rows := self._database.execute(sql, (seq,)):
            yield from map(_row, rows)
            seq = rows[-1][0]

    def since(self, time: float) -> Iterator[LogRow]:
        """The wakes decided about since that Unix second, in the order they were kept."""
        sql = f"SELECT {_LIGHT} FROM decisions WHERE time >= ? AND kind = '{WAKE}' ORDER BY seq"
        yield from map(_row, self._database.execute(sql, (time,)))

    def relabelled(self, seq: int) -> list[Relabelled]:
        """The labels given after the one numbered `seq`, in their order."""
        earlier = "FROM labels WHERE decision = given.decision AND seq < given.seq"
        rows = self._database.execute(
            f"SELECT given.seq, (SELECT label {earlier} ORDER BY seq DESC LIMIT 1), "
            f"(SELECT source {earlier} ORDER BY seq DESC LIMIT 1), "
            f"{_UNLABELLED}, given.label, given.source "
            "FROM labels AS given JOIN decisions ON decisions.seq = given.decision "
            "WHERE given.seq > ? ORDER BY given.seq",
            (seq,),
        )
        return [
            Relabelled(number, _row(light), before, source)
            for number, before, source, *light in rows
        ]

    @property
    def gate(self) -> GateReads:
        """What figures about the gate need, over the same connection."""
        return GateReads(self._database)

    def latest(self, now: float) -> list[tuple[str, float, float]]:
        """(module, threshold, Unix second) of the newest wake that each decided about; one that a
        clock ahead of `now` dated where there is no other.
        """
        latest: dict[str, tuple[str, float, float]] = {}
        border = now + CLOCKS_DIFFER_S
        for since, until in ((border, math.inf), (-math.inf, border)):
            rows = self._database.execute(
                "SELECT newest.subject, decisions.threshold, newest.time FROM decisions"
                " JOIN (SELECT subject, max(time) AS time FROM decisions"
                f" WHERE kind = '{WAKE}' AND time >= ? AND time < ? GROUP BY subject) AS newest"
                " ON decisions.time = newest.time AND decisions.subject = newest.subject"
                f" WHERE kind = '{WAKE}' ORDER BY decisions.seq",
                (since, until),
            )
            for subject, threshold, time in rows:
                value = math.nan if threshold is None else float(threshold)
                latest[subject] = (restored(subject), value, float(time))
        return list(latest.values())

    def unanswered(self) -> list[int]:
        """Numbers of the wakes with a question that nobody has answered, in their order."""
        rows = self._database.execute(
            f"SELECT seq FROM decisions WHERE acted AND kind = '{WAKE}' AND question IS NOT NULL "
            "AND NOT EXISTS (SELECT 1 FROM labels WHERE decision = decisions.seq) ORDER BY seq"
        )
        return [seq for (seq,) in rows]

    def whole(self, numbers: Sequence[int]) -> dict[int, Decision]:
        """The decisions of these numbers, with everything that is kept of them."""
        marks = ", ".join("?" * len(numbers))
        rows = self._database.execute(
            f"SELECT {_WHOLE} FROM decisions WHERE seq IN ({marks})", tuple(numbers)
        )
        return {seq: from_row(tuple(row)) for seq, *row in rows}

    def of_kinds(self, kinds: Sequence[str], limit: int, now: float) -> list[tuple[int, Decision]]:
        """The newest decisions of these kinds, none of them wakes; the newest first, those that a
        clock ahead of `now` dated last.
        """
        marks = ", ".join("?" * len(kinds))

        def read(since: float, until: float) -> list[tuple[int, Decision]]:
            rows = self._database.execute(
                f"SELECT {_WHOLE} FROM decisions WHERE kind <> '{WAKE}' AND kind IN ({marks}) "
                "AND time >= ? AND time < ? ORDER BY time DESC, seq DESC LIMIT ?",
                (*kinds, since, until, limit),
            )
            return [(seq, from_row(tuple(row))) for seq, *row in rows]

        return newest_first(read, limit, now)

    def led_to(self, cause: str) -> list[Decision]:
        """What one decision led to at once, in the order it was kept."""
        rows = self._database.execute(
            f"SELECT {_WHOLE} FROM decisions WHERE cause = ? ORDER BY seq", (cause,)
        )
        return [from_row(tuple(row)) for _, *row in rows]

    def of_module(self, module_id: str, newest: int, since: float) -> list[LogRow]:
        """The wakes decided about for one module since that Unix second, oldest first, looked for
        among the `newest` decisions that were kept last; those of an adopted history left out.
        """
        first = self.ends()[0] - newest
        rows = self._database.execute(
            f"SELECT {_LIGHT} FROM decisions WHERE seq > ? AND subject = ? AND time >= ? "
            f"AND kind = '{WAKE}' AND reason <> '{Reason.REPLAYED}' ORDER BY time, seq",
            (first, storable(module_id), since),
        )
        return list(map(_row, rows))

    def state(self, name: str) -> bytes | None:
        """What `DecisionLog.save_state` kept under that name."""
        for (content,) in self._database.execute(
            "SELECT content FROM states WHERE name = ?", (name,)
        ):
            return bytes(content)
        return None

    def deliveries(self, since: float) -> list[SinkProgress]:
        """What the sinks are owed, and what of the decisions since then was given up."""
        rows = self._database.execute(STANDING, (since,))
        return [
            SinkProgress(sink, state, count, restored(detail))
            for sink, state, count, detail in rows
        ]

    def close(self) -> None:
        """Give the connection back; a second call does nothing."""
        self._database.close()


def _row(row: Row | Sequence[Any]) -> LogRow:
    seq, id_, time, kind, subject, acted, reason, score, threshold, asks, propensity, *rest = row
    run, event, is_told, is_late, told_by, label, source = rest
    return LogRow(
        seq=seq,
        id=str(id_),
        time=float(time),
        kind=str(kind),
        subject=restored(subject),
        acted=bool(acted),
        reason=str(reason),
        score=math.nan if score is None else float(score),
        threshold=math.nan if threshold is None else float(threshold),
        asks=bool(asks),
        propensity=float(propensity),
        label=None if label is None else float(label),
        source=None if source is None else str(source),
        run=str(run),
        event=int(event),
        is_told=bool(is_told),
        is_late=bool(is_late),
        told_by=None if told_by is None else int(told_by),
    )
