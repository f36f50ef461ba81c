"""What the page counts as the log grows, so that no look at it reads the log anew."""

from __future__ import annotations

import math
import time as calendar
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..decisions.payloads import WAKE
from ..pulse.recall.audit import LiveRecall, RecallEstimate
from ..types import Reason

if TYPE_CHECKING:
    from ..decisions.pages import DecisionPages, LogRow, Relabelled

STRIP = 120
"""Events of today that are shown one by one."""
RELEVANT = 0.5
HELD_BACK = frozenset(
    {
        Reason.COOLDOWN,
        Reason.GROUPED,
        Reason.QUIET_HOURS,
        Reason.MODULE_BUDGET,
        Reason.GLOBAL_BUDGET,
        Reason.PEER_BUDGET,
        Reason.BUSY,
    }
)


def outcome(row: LogRow) -> str:
    """How an event ended: "caught", "wasted" or "woke" (nobody has said yet), "missed", "audit"
    (asked about though it slept, not answered yet), "held" or "slept".
    """
    relevant = None if row.label is None else row.label >= RELEVANT
    if row.reason == Reason.WOKE:
        return "woke" if relevant is None else "caught" if relevant else "wasted"
    if relevant:
        return "missed"
    if row.reason == Reason.AUDIT and relevant is None:
        return "audit"
    return "held" if row.reason in HELD_BACK else "slept"


def day_of(now: float) -> tuple[float, float]:
    """The Unix seconds at which the day of `now` began here, and at which it ends."""
    day = calendar.localtime(now)
    rest = (0, 0, 0, 0, 0, -1)
    begins = calendar.mktime((day.tm_year, day.tm_mon, day.tm_mday, *rest))
    return begins, calendar.mktime((day.tm_year, day.tm_mon, day.tm_mday + 1, *rest))


@dataclass(slots=True)
class WeightedAnswers:
    """Labelled audits, each standing for as many windows as it was rarely drawn.

    weight: of all, of those that mattered, and the sum of the squares.
    """

    weight: float = 0.0
    relevant_weight: float = 0.0
    squares: float = 0.0

    def add(self, weight: float, count: int, relevant: int) -> None:
        self.weight += weight * count
        self.relevant_weight += weight * relevant
        self.squares += weight * weight * count

    @property
    def labelled(self) -> int:
        """As many audits of one chance would say as much (Kish's effective number)."""
        return round(self.weight * self.weight / self.squares) if self.squares > 0 else 0

    @property
    def relevant(self) -> int:
        share = self.relevant_weight / self.weight if self.weight > 0 else 0.0
        return min(self.labelled, math.ceil(share * self.labelled - 1e-9))


@dataclass(slots=True)
class ModuleTally:
    """One module: the counts its recall follows from, and its latest decision.

    audited: windows that its audits stand for, each as many as it was rarely drawn. answers: its
    labelled audits.
    """

    recall: LiveRecall = field(default_factory=LiveRecall)
    audited: float = 0.0
    answers: WeightedAnswers = field(default_factory=WeightedAnswers)
    refused: int = 0
    audits: int = 0
    today: Counter[str] = field(default_factory=Counter)
    threshold: float | None = None
    at: float | None = None

    @property
    def slept(self) -> int:
        """Windows that slept: those the log holds where it holds them, else as many as the audits
        stand for.
        """
        kept = self.refused + self.audits
        return kept if 2 * kept >= self.audited else round(self.audited)

    def estimate(self) -> RecallEstimate | None:
        return self.counts().estimate()

    def counts(self) -> LiveRecall:
        """What the estimate follows from, as if every audit had been as likely."""
        self.recall.slept = self.slept
        self.recall.labelled_audits = self.answers.labelled
        self.recall.relevant_audits = self.answers.relevant
        return self.recall

    def asked(self, reason: str, propensity: float, count: int) -> None:
        """Count wakes that were asked about."""
        if reason == Reason.AUDIT:
            self.audited += count / propensity
            self.audits += count
        else:
            self.recall.wakes += count

    def labelled(self, reason: str, propensity: float, count: int, relevant: int) -> None:
        """Count labels of wakes that were asked about; negative to take them back."""
        if reason == Reason.AUDIT:
            self.answers.add(1.0 / propensity, count, relevant)
        else:
            self.recall.labelled_wakes += count
            self.recall.relevant_wakes += relevant


class Tallies:
    """Everything that is counted; `take` keeps up with the log.

    strip: the latest events of today, oldest first. unanswered: numbers of open questions. seq,
    label: how far the log was read. last: when the newest decision was taken, Unix seconds.
    """

    def __init__(self, pages: DecisionPages, now: float) -> None:
        self.modules: dict[str, ModuleTally] = {}
        self.today: Counter[str] = Counter()
        self.strip: deque[LogRow] = deque(maxlen=STRIP)
        self.last: float | None = None
        self.day = day_of(now)
        with pages.reading():
            self.seq, self.label = pages.ends()
            self.unanswered = dict.fromkeys(pages.unanswered())
            for subject, reason, propensity, count, labelled, relevant in pages.asked():
                tally = self.module(subject)
                tally.asked(reason, propensity, count)
                tally.labelled(reason, propensity, labelled, relevant)
            for subject, count in pages.refused().items():
                self.module(subject).refused = count
            for subject, threshold, at in pages.latest():
                tally = self.module(subject)
                tally.threshold, tally.at = threshold, at
                self.last = at if self.last is None else max(self.last, at)
            for row in pages.since(self.day[0]):
                self._show(row)

    def module(self, module_id: str) -> ModuleTally:
        """The tally of that module."""
        return self.modules.setdefault(module_id, ModuleTally())

    def take(self, pages: DecisionPages) -> set[str]:
        """Keep up; the kinds of the decisions that came."""
        kinds = set()
        with pages.reading():
            last_label = pages.ends()[1]
            for row in pages.after(self.seq):
                self._add(replace(row, label=None))  # its label is among those that came, too
                kinds.add(row.kind)
                self.seq = row.seq
            came = pages.relabelled(self.label)
        self._relabel(came)
        self.label = max(self.label, last_label)
        return kinds

    def estimate(self) -> RecallEstimate | None:
        """The recall over all modules; None while too little is known."""
        total = LiveRecall()
        for tally in self.modules.values():
            counts = tally.counts()
            total.wakes += counts.wakes
            total.slept += counts.slept
            total.labelled_wakes += counts.labelled_wakes
            total.relevant_wakes += counts.relevant_wakes
            total.labelled_audits += counts.labelled_audits
            total.relevant_audits += counts.relevant_audits
        return total.estimate()

    @property
    def slept(self) -> int:
        """Windows that slept and that the agent was not asked about either, over all modules."""
        return sum(max(0, tally.slept - tally.audits) for tally in self.modules.values())

    def is_over(self, now: float) -> bool:
        """Whether another day has begun: then everything is counted anew."""
        return not self.day[0] <= now < self.day[1]

    def _add(self, row: LogRow) -> None:
        self.last = row.time if self.last is None else max(self.last, row.time)
        if row.kind != WAKE:
            return
        tally = self.module(row.subject)
        tally.threshold, tally.at = row.threshold, row.time
        if row.acted:
            tally.asked(row.reason, row.propensity, 1)
            if row.asks and row.label is None:
                self.unanswered[row.seq] = None
        elif row.reason == Reason.BELOW_THRESHOLD:
            tally.refused += 1
        self._show(row)

    def _show(self, row: LogRow) -> None:
        """Among the events of today."""
        if self._is_of_today(row):
            self.strip.append(row)
            self._count(row, 1)

    def _relabel(self, given: Iterable[Relabelled]) -> None:
        for each in given:
            row, before = each.row, each.before
            if row.kind != WAKE:
                continue
            assert row.label is not None
            if row.acted:
                tally = self.module(row.subject)
                if before is not None:
                    tally.labelled(row.reason, row.propensity, -1, -(before >= RELEVANT))
                tally.labelled(row.reason, row.propensity, 1, int(row.label >= RELEVANT))
            self.unanswered.pop(row.seq, None)
            if self._is_of_today(row):
                self._count(replace(row, label=before), -1)
                self._count(row, 1)
                self._replace(row)

    def _replace(self, row: LogRow) -> None:
        for place, shown in enumerate(self.strip):
            if shown.seq == row.seq:
                self.strip[place] = row
                return

    def _count(self, row: LogRow, count: int) -> None:
        how = outcome(row)
        self.today[how] += count
        self.module(row.subject).today[how] += count

    def _is_of_today(self, row: LogRow) -> bool:
        return self.day[0] <= row.time < self.day[1]
