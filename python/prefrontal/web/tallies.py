"""What the page counts as the log grows, so that no look at it reads the log anew."""

from __future__ import annotations

import time as calendar
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..assembly.gate_counts import GateCounts
from ..decisions.newest import rank
from ..decisions.payloads import WAKE
from ..replay.log_replay import RELEVANT
from ..replay.prices import USUAL_PRICES, Prices
from ..types import Reason

if TYPE_CHECKING:
    from ..decisions.pages import DecisionPages, LogRow, Relabelled
    from ..replay.live_figures import LiveFigures

STRIP = 120
"""Events of today that are shown one by one."""
HELD_BACK = frozenset(
    {
        Reason.COOLDOWN,
        Reason.GROUPED,
        Reason.QUIET_HOURS,
        Reason.MODULE_BUDGET,
        Reason.GLOBAL_BUDGET,
        Reason.PEER_BUDGET,
        Reason.SOURCE_BUDGET,
        Reason.BUSY,
    }
)


def outcome(row: LogRow) -> str:
    """How an event ended: "caught", "wasted" or "woke" (nobody has said yet), "missed", "audit"
    (asked about though it slept, not answered yet), "held" (told of when the hold ends) or "slept".
    """
    relevant = None if row.label is None else row.label >= RELEVANT
    if row.reason == Reason.WOKE:
        return "woke" if relevant is None else "caught" if relevant else "wasted"
    if relevant and not row.is_told:
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
class ModuleDay:
    """One module today: how its events ended, and its latest decision."""

    today: Counter[str] = field(default_factory=Counter)
    threshold: float | None = None
    at: float | None = None


class Tallies:
    """Everything that is counted; `take` keeps up with the log.

    counts: what the figures so far follow from. strip: the latest events of today, oldest first.
    unanswered: numbers of open questions. seq,
    label: how far the log was read. last: when the newest decision was taken, Unix seconds. prices:
    of a wake-up.
    """

    def __init__(self, pages: DecisionPages, now: float, prices: Prices = USUAL_PRICES) -> None:
        self.modules: dict[str, ModuleDay] = {}
        self.today: Counter[str] = Counter()
        self.strip: deque[LogRow] = deque(maxlen=STRIP)
        self.last: float | None = None
        self.day = day_of(now)
        self.prices = prices
        with pages.reading():
            self.seq, self.label = pages.ends()
            self.unanswered = dict.fromkeys(pages.unanswered())
            self.counts = GateCounts.read(pages.gate, now=now)
            for subject, threshold, at in pages.latest(now):
                module = self.module(subject)
                module.threshold, module.at = threshold, at
                self._note_last(at, now)
            for row in pages.since(self.day[0]):
                self._show(row)

    def module(self, module_id: str) -> ModuleDay:
        """The day of that module."""
        return self.modules.setdefault(module_id, ModuleDay())

    def take(self, pages: DecisionPages, now: float) -> set[str]:
        """Keep up; the kinds of the decisions that came."""
        kinds = set()
        with pages.reading():
            last_label = pages.ends()[1]
            self.counts.waits += pages.gate.waits(after=self.seq)
            for row in pages.after(self.seq):
                # its label is among those that came, too
                self._add(replace(row, label=None, source=None), now)
                kinds.add(row.kind)
                self.seq = row.seq
            came = pages.relabelled(self.label)
        self._relabel(came)
        self.label = max(self.label, last_label)
        return kinds

    def figures(self) -> LiveFigures:
        """What the gate did so far, not today alone."""
        return self.counts.figures(self.prices)

    def is_over(self, now: float) -> bool:
        """Whether another day has begun: then everything is counted anew."""
        return not self.day[0] <= now < self.day[1]

    def _note_last(self, time: float, now: float) -> None:
        known = time if self.last is None else self.last
        self.last = min(known, time, key=lambda each: rank(each, now))

    def _add(self, row: LogRow, now: float) -> None:
        self._note_last(row.time, now)
        if row.kind != WAKE:
            return
        module = self.module(row.subject)
        if module.at is None or rank(row.time, now) <= rank(module.at, now):
            module.threshold, module.at = row.threshold, row.time
        self.counts.add(row, now)
        if row.acted and row.asks and row.label is None:
            self.unanswered[row.seq] = None
        self._show(row)

    def _show(self, row: LogRow) -> None:
        """Among the events of today."""
        if self._is_of_today(row):
            self.strip.append(row)
            self._count(row, 1)

    def _relabel(self, relabels: Iterable[Relabelled]) -> None:
        for each in relabels:
            row = each.row
            if row.kind != WAKE:
                continue
            before = replace(row, label=each.before, source=each.before_source)
            self.counts.relabel(row, before)
            self.unanswered.pop(row.seq, None)
            if self._is_of_today(row):
                self._count(before, -1)
                self._count(row, 1)
                self._replace(row)

    def _replace(self, row: LogRow) -> None:
        for place, other in enumerate(self.strip):
            if other.seq == row.seq:
                self.strip[place] = row
                return

    def _count(self, row: LogRow, count: int) -> None:
        how = outcome(row)
        self.today[how] += count
        self.module(row.subject).today[how] += count

    def _is_of_today(self, row: LogRow) -> bool:
        return self.day[0] <= row.time < self.day[1]
