"""What a live gate did so far, counted from its log: at once, or as the log grows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..decisions.gate_reads import AskedWakes, GateReads
from ..decisions.newest import rank
from ..decisions.payloads import WAKE
from ..pulse.gate import COMPLETE
from ..pulse.recall import share_interval
from ..replay.delays import DelaySpan, delays
from ..replay.live_figures import CaughtShare, LiveFigures, ModuleFigures
from ..replay.log_replay import RELEVANT
from ..replay.prices import USUAL_PRICES, Prices
from ..types import Reason

if TYPE_CHECKING:
    from ..decisions.pages import LogRow


@dataclass(slots=True)
class WeightedAnswers:
    """Labelled audits, each standing for as many windows as it was rarely drawn.

    weight: of all, of those that mattered, and the sum of the squares. hits: those that mattered.
    """

    weight: float = 0.0
    relevant_weight: float = 0.0
    squares: float = 0.0
    hits: int = 0

    def add(self, weight: float, count: int, relevant: int) -> None:
        self.weight += weight * count
        self.relevant_weight += weight * relevant
        self.squares += weight * weight * count
        self.hits += relevant

    def join(self, other: WeightedAnswers) -> None:
        """Take in those of another module."""
        self.weight += other.weight
        self.relevant_weight += other.relevant_weight
        self.squares += other.squares
        self.hits += other.hits

    @property
    def labelled(self) -> int:
        """As many audits of one chance would say as much (Kish's effective number)."""
        return round(self.weight * self.weight / self.squares) if self.squares > 0 else 0

    @property
    def share(self) -> float:
        """Of the windows that they stand for those that mattered."""
        return min(1.0, max(0.0, self.relevant_weight / self.weight)) if self.weight > 0 else 0.0

    def interval(self) -> tuple[float, float]:
        """Of that share, 90 %; where it lies between two counts of audits, the wider of theirs."""
        audits = self.labelled
        relevant = self.share * audits
        low, _ = share_interval(math.floor(relevant + 1e-9), audits)
        _, high = share_interval(min(audits, math.ceil(relevant - 1e-9)), audits)
        return low, high


@dataclass(slots=True)
class AskedSums:
    """What an estimate of the share that was caught follows from.

    wakes: questions besides audits; labelled, relevant: of them. slept: windows below the
    threshold, audits among them. answers: the labelled audits.
    """

    wakes: int = 0
    labelled: int = 0
    relevant: int = 0
    slept: int = 0
    answers: WeightedAnswers = field(default_factory=WeightedAnswers)

    def caught(self) -> CaughtShare | None:
        """None until both a wake and an audit were labelled and something mattered.

        An audit that found something was told of it, so that is caught.
        """
        audits = self.answers.labelled
        if not self.labelled or not audits:
            return None
        low, high = share_interval(self.relevant, self.labelled)
        fewest, most = self.answers.interval()
        if not self.relevant and not self.answers.hits:
            return None
        point = self._share(self.relevant / self.labelled, self.answers.share)
        worst, best = self._share(low, most), self._share(high, fewest)
        return CaughtShare(point, worst, best, audits)

    def _share(self, woken: float, slept: float) -> float:
        """Of what mattered. woken, slept: shares of these that did."""
        caught = self.wakes * woken + self.answers.hits
        missed = max(0.0, self.slept * slept - self.answers.hits)
        return caught / (caught + missed) if caught + missed > 0 else 1.0


@dataclass(slots=True)
class ModuleCounts:
    """One module: what its figures follow from.

    sums: its questions and their labels. labelled, useful: of all questions. audited: windows that
    its audits stand for, each as many as it was rarely drawn. refused: windows below the threshold
    that the log holds. complete: labels of a source that labels every window: (asked about, then or
    when a hold ended, mattered) -> how many.
    """

    sums: AskedSums = field(default_factory=AskedSums)
    audits: int = 0
    audited: float = 0.0
    labelled: int = 0
    useful: int = 0
    refused: int = 0
    complete: dict[tuple[bool, bool], int] = field(default_factory=dict)

    @property
    def wakes(self) -> int:
        """Questions, audits among them."""
        return self.sums.wakes + self.audits

    @property
    def slept(self) -> int:
        """Windows that slept: those the log holds where it holds them, else as many as the audits
        stand for.
        """
        logged = self.refused + self.audits
        return logged if 2 * logged >= self.audited else round(self.audited)

    @property
    def is_complete(self) -> bool:
        """Whether a source labels its windows, whether they woke or slept."""
        return any(self.complete.values())

    def sampled(self) -> AskedSums:
        """What the estimate follows from."""
        self.sums.slept = self.slept
        return self.sums

    def caught(self) -> CaughtShare | None:
        """What was caught: counted where every window is labelled, else estimated from audits."""
        return counted_share(self.complete) if self.is_complete else self.sampled().caught()

    def add(self, wakes: AskedWakes, sign: int = 1) -> None:
        """Count wakes of one reason and chance, with their labels."""
        if not wakes.acted:
            self.refused += sign * wakes.count * (wakes.reason == Reason.BELOW_THRESHOLD)
        elif wakes.reason == Reason.AUDIT:
            self.audits += sign * wakes.count
            self.audited += sign * wakes.count / wakes.propensity
        else:
            self.sums.wakes += sign * wakes.count
        self.label(wakes, sign)

    def label(self, wakes: AskedWakes, sign: int = 1) -> None:
        """Count their labels alone. sign: -1 takes them back."""
        labelled, relevant = sign * wakes.labelled, sign * wakes.relevant
        if wakes.source in COMPLETE:
            for mattered, count in ((True, relevant), (False, labelled - relevant)):
                key = (wakes.acted or wakes.is_told, mattered)
                self.complete[key] = self.complete.get(key, 0) + count
        if not wakes.acted:
            return
        self.labelled += labelled
        self.useful += relevant
        if wakes.reason == Reason.AUDIT:
            self.sums.answers.add(1.0 / wakes.propensity, labelled, relevant)
        else:
            self.sums.labelled += labelled
            self.sums.relevant += relevant

    def figures(self, module_id: str) -> ModuleFigures:
        return ModuleFigures(
            module_id, self.wakes, self.audits, self.labelled, self.useful, self.caught()
        )


class GateCounts:
    """All modules of a log. first, last: as of `LiveFigures`. waits: seconds from each window that
    a question told of to that question.
    """

    def __init__(self) -> None:
        self.modules: dict[str, ModuleCounts] = {}
        self.first: float | None = None
        self.last: float | None = None
        self.waits: list[float] = []
        self._events: dict[str, tuple[int, int]] = {}
        self._moments: set[float] = set()
        self._unnumbered = 0

    @classmethod
    def read(
        cls,
        reads: GateReads,
        since: float | None = None,
        until: float | None = None,
        now: float = math.inf,
    ) -> GateCounts:
        """What the log holds of that time. since: Unix seconds, included; until: left out.

        now: what a clock ahead of that dated is the last only where there is nothing else.
        """
        counts = cls()
        for wakes in reads.wakes(since, until):
            counts.module(wakes.subject).add(wakes)
        counts.first, counts.last = reads.span(since, until, now)
        counts.waits = reads.waits(since, until)
        counts._events = reads.events(since, until)
        counts._unnumbered = reads.unnumbered(since, until)
        return counts

    def module(self, module_id: str) -> ModuleCounts:
        return self.modules.setdefault(module_id, ModuleCounts())

    def add(self, row: LogRow, now: float = math.inf) -> None:
        """Count a wake that came into the log, with its label. now: as of `read`."""
        if row.kind != WAKE or row.reason == Reason.REPLAYED:
            return
        self.first = row.time if self.first is None else min(self.first, row.time)
        known = row.time if self.last is None else self.last
        self.last = min(known, row.time, key=lambda each: rank(each, now))
        if row.run:
            before, last = self._events.get(row.run, (0, 0))
            self._events[row.run] = (before, max(last, row.event))
        elif row.time not in self._moments:
            self._moments.add(row.time)
            self._unnumbered += 1
        self.module(row.subject).add(_wakes_of(row))

    def relabel(self, row: LogRow, before: LogRow) -> None:
        """Count the label of a row instead of the one that it had before."""
        if row.kind == WAKE and row.reason != Reason.REPLAYED:
            module = self.module(row.subject)
            module.label(_wakes_of(before), -1)
            module.label(_wakes_of(row))

    @property
    def signals(self) -> int:
        """Windows taken in, up to the last decision of each start."""
        return self._unnumbered + sum(last - before for before, last in self._events.values())

    def figures(self, prices: Prices = USUAL_PRICES) -> LiveFigures:
        """The figures that every door shows. prices: of a wake-up."""
        modules = tuple(self.modules[name].figures(name) for name in sorted(self.modules))
        median, p90 = delays(self.waits)
        return LiveFigures(
            first=self.first,
            last=self.last,
            signals=self.signals,
            wakes=sum(each.wakes for each in modules),
            audits=sum(each.audits for each in modules),
            labelled=sum(each.labelled for each in modules),
            useful=sum(each.useful for each in modules),
            caught=_together(self.modules.values()),
            modules=modules,
            tokens_per_wake=prices.tokens_per_wake,
            usd_per_million_tokens=prices.usd_per_million_tokens,
            small_usd_per_wake=prices.small_usd_per_wake,
            delay_s=None if median is None or p90 is None else DelaySpan(median, p90),
        )


def counted_share(complete: dict[tuple[bool, bool], int]) -> CaughtShare | None:
    """What labels of every window say; None when none of them mattered."""
    caught, missed = complete.get((True, True), 0), complete.get((False, True), 0)
    if caught + missed <= 0:
        return None
    low, high = share_interval(caught, caught + missed)
    return CaughtShare(caught / (caught + missed), low, high, None)


def _together(modules: Iterable[ModuleCounts]) -> CaughtShare | None:
    """Over all modules: counted where all of them are, else estimated from what was asked about."""
    known = [each for each in modules if each.labelled or each.is_complete]
    if known and all(each.is_complete for each in known):
        total: dict[tuple[bool, bool], int] = {}
        for each in known:
            for key, count in each.complete.items():
                total[key] = total.get(key, 0) + count
        return counted_share(total)
    every = AskedSums()
    for each in modules:
        part = each.sampled()
        every.wakes += part.wakes
        every.labelled += part.labelled
        every.relevant += part.relevant
        every.slept += part.slept
        every.answers.join(part.answers)
    return every.caught()


def _wakes_of(row: LogRow) -> AskedWakes:
    labelled = row.label is not None
    relevant = row.label is not None and row.label >= RELEVANT
    return AskedWakes(
        row.subject, row.acted, row.reason, row.propensity, row.source,
        count=1, labelled=int(labelled), relevant=int(relevant), is_told=row.is_told,
    )  # fmt: skip
