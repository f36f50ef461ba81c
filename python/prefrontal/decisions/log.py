"""The log of decisions and labels: durable, append-only, shared by threads and processes."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..clock import Clock, SystemClock
from ..errors import InputError, SourceError
from ..storage.database import DamagedFileError, RowError, this_process
from ..storage.lock_file import in_turn
from ..storage.migrations import open_migrated, open_to_read
from . import queries, waiting
from .decision import COLUMNS, Decision, new_id, to_row
from .deferred import DeferredWriter
from .deliveries import OWE, Deliveries
from .folds import chosen, fold_questions, keep_folds, latest_of_burst, waiting_windows
from .labels import NewLabel
from .listing import DecisionList
from .newest import newest_first, rank
from .news import DecisionNews
from .payloads import WAKE
from .question_labels import label_questions, label_unanswered
from .retention import delete_refusals
from .schema import STEPS
from .slept_ring import SleptWindows
from .wake_runs import WakeRuns

if TYPE_CHECKING:
    from .labels import GivenLabel
    from .waiting import WaitingWake

__all__ = ["Decision", "DecisionLog", "NewLabel", "log_to_read", "new_id"]

_INSERT = f"INSERT INTO decisions ({COLUMNS}) VALUES ({', '.join('?' * 14)})"
_LABEL = """\
INSERT INTO labels (decision, label, at, source)
SELECT seq, ?2, ?3, ?4 FROM decisions WHERE id = ?1"""
_SAID_LAST = """\
SELECT label, source FROM labels WHERE decision = (SELECT seq FROM decisions WHERE id = ?)
ORDER BY seq DESC LIMIT 1"""
_STATE = """\
INSERT INTO states (name, content, through) VALUES (?, ?, ?) ON CONFLICT (name)
DO UPDATE SET content = excluded.content, through = excluded.through"""
_FORGET = "DELETE FROM states WHERE name = ?"
TELLING_S = 10.0
"""After which one who hangs keeps nobody from telling."""
_LAST_CHARACTER = "\U0010ffff"
_DAY_S = 86_400.0


class DecisionLog:
    """Decisions, labels and learned states in one SQLite file.

    path: the file, made if missing, in a folder that exists; ":memory:" keeps all in memory.
    clock: tells `prune` what is old. soon_limit: records that `append_soon` may hold back.
    owed_to: sinks that every wake with a question is owed to from now on: its deliveries are
        written in the transaction of the wake, and `on_owed` is called once they are.
    read_only: the file must be there, with today's schema; what would write raises SourceError.

    Every method may be called from any thread, and several processes may have the file open: a
    label that one adds is seen by the others. What a method has written when it returns survives
    a killed process and a power cut. Any method raises SourceError naming the path when the file
    is damaged, full, locked for long, foreign or of a newer release.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = ":memory:",
        *,
        clock: Clock | None = None,
        soon_limit: int = 100_000,
        owed_to: Sequence[str] = (),
        read_only: bool = False,
    ) -> None:
        self.on_owed: Callable[[], object] = lambda: None
        self._owed_to = tuple(owed_to)
        self._in_doubt = False
        self._clock = SystemClock() if clock is None else clock
        self._database = open_to_read(path, STEPS) if read_only else open_migrated(path, STEPS)
        folder = self.slept_folder
        self._slept = None if folder is None else SleptWindows(folder)
        self._deferred = DeferredWriter(self.append_many, soon_limit)

    def owe_to(self, *sinks: str) -> None:
        """Owe every wake with a question to these sinks, too, from now on."""
        self._owed_to += sinks

    def own(self, epoch: int | None = None) -> None:
        """Be the one process that decides here: what an earlier one still writes is refused.

        epoch: of an ownership that is kept elsewhere. Raises SourceError, naming the owner, while
        another lives.
        """
        if epoch is None:
            self._database.claim(this_process())
        else:
            self._database.write_as(epoch)

    def check_owner(self) -> None:
        """Raises FencedError once another process has taken over, SourceError while that cannot be
        known. A process that owns nothing, or a file, passes.
        """
        with self._database.transaction():
            pass

    @property
    def path(self) -> str:
        """The file, absolute, or ":memory:"."""
        return self._database.path

    @property
    def slept_folder(self) -> Path | None:
        """Where the ring of what slept lies beside the log; None for one in memory."""
        path = self._database.path
        return None if path == ":memory:" else Path(path).with_suffix(".slept")

    def append(self, record: Decision) -> None:
        """Keep the record. Raises InputError for an id that is there already."""
        self.append_many((record,))

    def append_many(self, records: Iterable[Decision]) -> None:
        """Keep all the records in one transaction, or, on any error, none.

        A label that a record carries is added as a label of its own.
        """
        self.keep(records)

    def keep(
        self,
        records: Iterable[Decision] = (),
        labels: Iterable[NewLabel] = (),
        states: Iterable[tuple[str, bytes, int]] = (),
    ) -> None:
        """Keep decisions, labels and states (the arguments of `save_state`) that belong together.

        In this order and in one transaction, or, on any error, none of them. A label of an unknown
        decision is left out; a state without content is forgotten. After a SourceError the same
        may be handed in again: what was kept all the same is not kept twice.
        """
        decisions, content = list(records), list(states)
        if self._in_doubt:
            decisions, labels = self._not_yet(decisions, labels)
        label_rows = [(each.decision_id, *_checked_label(each.label, each.at), each.source)
                      for each in labels]  # fmt: skip
        rows = [to_row(record) for record in decisions]
        first = [_first_label(record) for record in decisions if record.label is not None]
        owed = [
            (record.id, sink, record.time)
            for record in decisions
            if record.acted and record.kind == WAKE and (record.question or "").strip()
            for sink in self._owed_to
        ]
        try:
            with self._database.transaction():
                self._database.execute_many(_INSERT, rows)
                keep_folds(self._database, decisions)
                self._database.execute_many(_LABEL, first + label_rows)
                label_questions(self._database, decisions, [each[0] for each in first + label_rows])
                self._database.execute_many(OWE, owed)
                self._database.execute_many(_STATE, [each for each in content if each[1]])
                self._database.execute_many(_FORGET, [each[:1] for each in content if not each[1]])
        except RowError as error:
            raise InputError(
                f"decision id must be new, got {self._repeated(decisions)!r}"
            ) from error
        except SourceError:
            self._in_doubt = True
            raise
        if owed or self._in_doubt:
            self._in_doubt = False
            self.on_owed()

    def append_soon(self, record: Decision) -> bool:
        """Hand the record to the writer thread, without waiting for the disk.

        The record's events must not be changed afterwards. Returns False, and counts it in
        `unwritten`, when `soon_limit` records are waiting already. Lost if the process is killed
        before `flush`.
        """
        return self._deferred.put(record)

    def flush(self) -> None:
        """Wait until all that `append_soon` took is written. Raises the error that prevented it."""
        self._deferred.flush()

    @property
    def unwritten(self) -> int:
        """Records given to `append_soon` that were lost: too many at once, or a failing disk."""
        return self._deferred.lost

    def add_label(
        self,
        decision_id: str,
        label: float,
        at: float,
        source: str = "user",
        *,
        once: bool = False,
    ) -> bool:
        """Say how much a decision mattered, 0..1, at Unix second `at`; False for an unknown id.

        Labels are only ever added; the last one counts. What slept comes into the log with its
        first label. once: what the source said last is not added again, which would teach it twice.
        Raises InputError for any other label.
        """
        values = (decision_id, *_checked_label(label, at), source)
        if not decision_id.isascii():
            return False
        with self._database.transaction():
            if once and (values[1], source) in self._database.execute(_SAID_LAST, (decision_id,)):
                return True
            if self._database.execute_many(_LABEL, [values]) == 1:
                label_questions(self._database, (), [decision_id])
                return True
        asleep = [] if self._slept is None else self._slept.find(decision_id)
        if [each.id for each in asleep] != [decision_id]:
            return False
        with self._database.transaction():  # what is labelled must stay
            self._database.execute_many(_INSERT, map(to_row, asleep))
            return self._database.execute_many(_LABEL, [values]) == 1

    def get(self, decision_id: str) -> Decision | None:
        """The decision of that id, or of the only id that begins so (four characters or more).

        Raises InputError when several ids begin so, or when it is shorter. What slept is looked for
        where no decision of the log has the id.
        """
        record = queries.by_id(self._database, decision_id)
        if record is not None or self._slept is None:
            return record
        asleep = self._slept.find(decision_id)
        if len(asleep) > 1:
            rule = "belong to one decision"
            raise InputError(f"decision id must {rule}, got {decision_id!r} of several")
        return asleep[0] if asleep else None

    def recent(
        self,
        limit: int = 20,
        subject: str | None = None,
        acted: bool | None = None,
        reason: str | None = None,
        since: float | None = None,
        kind: str | None = WAKE,
        *,
        unanswered: bool = False,
    ) -> DecisionList:
        """The newest decisions first, at most `limit`, only those that match what is given.

        since: Unix seconds; that moment is included. kind: None for all kinds. acted: False asks
        for what slept, too, as far as the ring beside the log goes back. unanswered: only without a
        label. What is dated more than `CLOCKS_DIFFER_S` after now comes last.
        """
        now, begin = self._clock.now(), -math.inf if since is None else since
        limit = min(limit, sys.maxsize)  # SQLite takes no larger number
        wanted = (limit, subject, acted, reason, kind)
        read = partial(queries.newest, self._database, *wanted, unanswered=unanswered)
        decisions = newest_first(read, limit, now, since=begin)
        if acted is False and kind in (None, WAKE) and self._slept is not None:
            asleep = self._slept.newest(limit, subject, reason, now, begin)
            known = {each.id for each in decisions}
            decisions += [each for each in asleep if each.id not in known]
            decisions = sorted(decisions, key=lambda each: rank(each.time, now))[: max(limit, 0)]
        return DecisionList(decisions)

    def followed(self, decision_id: str) -> DecisionList:
        """What the decision led to, directly or by what it led to, in the order it was kept."""
        return DecisionList(queries.followed(self._database, decision_id))

    def records(
        self,
        since: float | None = None,
        until: float | None = None,
        *,
        own_labels: bool = False,
    ) -> Iterator[Decision]:
        """The decisions of that time, oldest first, read a page at a time.

        since: Unix seconds, included. until: Unix seconds, left out. What is appended after the
        first is read is left out too. own_labels: without those that follow from the labels of
        windows that a question told of.
        """
        return queries.oldest(self._database, since, until, own_labels=own_labels)

    def wakes_after(self, decision_id: str | None, limit: int = 100) -> DecisionList:
        """The wakes with a question kept after that decision, or the newest, in their order.

        decision_id: whole; None for the newest. Raises InputError for an unknown one.
        """
        if decision_id is None:
            wakes = queries.latest_wakes(self._database, max(limit, 0))
        else:
            if (known := self.get(decision_id)) is None or known.id != decision_id:
                rule = "be one of a decision that was kept"
                raise InputError(f"decision id must {rule}, got {decision_id!r:.80}")
            seq = queries.number(self._database, decision_id)
            wakes = queries.wakes_after(self._database, seq, max(limit, 0))
        return DecisionList([record for _, record in wakes])

    def news(self) -> DecisionNews:
        """What comes into the log from now on, for who looks now and then."""
        return DecisionNews(self._database)

    def labels_after(self, seq: int) -> Iterator[GivenLabel]:
        """Each label given after the one numbered `seq` (0: all), in the order they were given.

        Labels of other processes are seen.
        """
        return queries.labels_after(self._database, seq)

    def label_source(self, decision_id: str) -> str | None:
        """Who gave the last label of a decision: a person's door, or what `labels` names."""
        return queries.label_source(self._database, decision_id)

    def wake_runs(self) -> WakeRuns:
        """The wakes by the start of the gate that decided them."""
        return WakeRuns(self._database)

    def ends(self) -> tuple[int, int]:
        """The numbers of the newest decision and of the newest label; 0 where there is none."""
        return queries.ends(self._database)

    def waiting_wakes(self, after: int, since: float, limit: int = 100) -> list[WaitingWake]:
        """Wakes with a question that no act has followed, in the order they were kept.

        after: number of the wake to go on from, 0 for all. since: Unix seconds.
        """
        return waiting.waiting_wakes(self._database, after, since, limit)

    def waiting_windows(self) -> list[Decision]:
        """Windows that were held back and that no question has told of, in their order."""
        return waiting_windows(self._database)

    def fold_questions(self, held: Sequence[str]) -> dict[str, str | None]:
        """The id of the question that told of each held back window; None while it waits."""
        return fold_questions(self._database, held)

    def telling(self) -> AbstractContextManager[None]:
        """While inside, no other process tells of what waits: look there, tell and store inside."""
        if self.path == ":memory:":
            return nullcontext()
        return in_turn(Path(self.path).with_suffix(".telling"), TELLING_S)

    def latest_of_burst(self, opening: str) -> Decision | None:
        """How far the burst got that the decision of this id opened; None where it did not."""
        return latest_of_burst(self._database, opening)

    def chosen(self, ids: Sequence[str]) -> list[Decision]:
        """The decisions of these ids, without their labels, in the order they were kept."""
        return chosen(self._database, ids)

    def label_unanswered(self, module_id: str) -> None:
        """Label its questions that told of windows whose labels are known and that have none."""
        with self._database.transaction():
            label_unanswered(self._database, module_id)

    def said_after(self, seq: int, besides: Sequence[str]) -> Iterator[tuple[int, Decision, float]]:
        """As `labels_after`, without the labels of the sources `besides`."""
        return waiting.said_after(self._database, seq, besides)

    def said_of(
        self, decision_id: str, through: int, besides: Sequence[str]
    ) -> list[tuple[int, float]]:
        """(number, label) of each label of one decision up to that number, as of `said_after`."""
        return waiting.said_of(self._database, decision_id, through, besides)

    def counts(self) -> dict[str, int]:
        """How many wakes were decided about, by reason."""
        return queries.counts(self._database)

    def audits(self, subject: str | None = None) -> list[tuple[bool, float, float | None]]:
        """What an estimate of recall needs, for each wake, oldest first.

        (whether the threshold woke, rather than an audit; the wake's propensity; its last label).
        """
        return queries.audits(self._database, subject)

    def deliveries(self) -> Deliveries:
        """What the sinks are owed, on a connection that the caller closes."""
        return Deliveries(self._database)

    def save_state(self, name: str, blob: bytes, through: int) -> None:
        """Keep what was learned under `name`, with the number of the last label in it."""
        with self._database.transaction():
            self._database.execute(_STATE, (name, blob, through))

    def load_state(self, name: str) -> tuple[bytes, int] | None:
        """What `save_state` kept under `name`: (content, number of the last label in it)."""
        sql = "SELECT content, through FROM states WHERE name = ?"
        for content, through in self._database.execute(sql, (name,)):
            return content, through
        return None

    def load_states(self, prefix: str) -> dict[str, bytes]:
        """What was kept under the names that begin so."""
        sql = "SELECT name, content FROM states WHERE name >= ? AND name < ?"
        return dict(self._database.execute(sql, (prefix, prefix + _LAST_CHARACTER)))

    def prune(self, keep_days: float) -> int:
        """Delete the refusals older than `keep_days` that nobody labelled; returns how many.

        Wakes and labelled decisions are never deleted. The space is given back to the disk.
        """
        return delete_refusals(self._database, before=self._clock.now() - keep_days * _DAY_S)

    def close(self) -> None:
        """Write what `append_soon` took, and give the file back; a second call does nothing."""
        self._deferred.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _not_yet(
        self, records: list[Decision], labels: Iterable[NewLabel]
    ) -> tuple[list[Decision], Iterable[NewLabel]]:
        """What of these the log lacks, where it is not known whether the last were kept."""
        known = {each.id for each in chosen(self._database, [each.id for each in records])}
        return [each for each in records if each.id not in known], () if known else labels

    def _repeated(self, records: list[Decision]) -> str:
        """The first id that is in the file, or twice in `records`."""
        seen: set[str] = set()
        for record in records:
            if record.id in seen or queries.by_id(self._database, record.id) is not None:
                break
            seen.add(record.id)
        return record.id


def _first_label(record: Decision) -> tuple[str, float, float, str]:
    at = record.time if record.labelled_at is None else record.labelled_at
    assert record.label is not None
    return record.id, *_checked_label(record.label, at), "user"


def _checked_label(label: float, at: float) -> tuple[float, float]:
    if isinstance(label, bool) or not isinstance(label, int | float) or not 0.0 <= label <= 1.0:
        raise InputError(f"label must be a number from 0 to 1, got {label!r}")
    if not math.isfinite(at):
        raise InputError(f"at must be a finite number, got {at!r}")
    return float(label), float(at)


def log_to_read(path: str | os.PathLike[str]) -> DecisionLog:
    """The log, brought to today's schema where it can be written, else as it is.

    Raises SourceError.
    """
    try:
        return DecisionLog(path)
    except DamagedFileError:
        raise
    except SourceError:
        return DecisionLog(path, read_only=True)
