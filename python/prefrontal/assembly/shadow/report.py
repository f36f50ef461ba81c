"""What a watch in the shadow would have cost, caught and delayed, beside other ways to be woken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ...decisions.newest import is_ahead
from ...decisions.pages import DecisionPages
from ...pulse.status_note import STATUS
from ...replay.delays import delays
from ...replay.heartbeats import DAY_S, USUAL_HEARTBEAT, Heartbeat, cheap_heartbeat
from ...replay.live_figures import LEAST_HOURS
from ...replay.prices import USUAL_PRICES, Prices
from ..gate_counts import GateCounts

if TYPE_CHECKING:
    from ...decisions.gate_reads import AskedTime
    from ...decisions.log import DecisionLog
    from ...replay.live_figures import LiveFigures
    from .adoption import ShadowMark

WHOLE_DAY_H = 24.0
NEARLY_EVERYTHING = 0.9
DAYS_A_MONTH = 30


@dataclass(frozen=True, slots=True)
class ShadowPolicy:
    """One way to be woken in the shadow's time.

    name: prefrontal, on_change, heartbeat or cheap_heartbeat. wakes: so far; usd: what they cost.
    recall: share of what mattered that was caught, None while unknown. The rates are None before
    there are six hours.
    """

    name: str
    detail: str
    recall: float | None
    wakes: int
    usd: float
    wakes_per_day: float | None
    usd_a_month: float | None
    delay_minutes: float | None
    delay_p90_minutes: float | None


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """until: Unix seconds. delayed: windows that the delays are of; they mattered, or, where nobody
    said what does, would have been asked about. notes: what cannot be told, and why.
    """

    began: float
    until: float
    figures: LiveFigures
    policies: tuple[ShadowPolicy, ...]
    delayed: int
    is_known: bool
    notes: tuple[str, ...]

    @property
    def hours(self) -> float:
        return (self.until - self.began) / 3600

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; what is not known is None."""
        figures = self.figures
        return {
            "began": self.began,
            "until": self.until,
            "hours": self.hours,
            "has_rates": figures.has_rates,
            "is_a_day": self.hours >= WHOLE_DAY_H,
            "signals": figures.signals,
            "wakes": figures.wakes,
            "audits": figures.audits,
            "labelled": figures.labelled,
            "useful": figures.useful,
            "caught": None if figures.caught is None else asdict(figures.caught),
            "delayed": self.delayed,
            "delays_of": "mattered" if self.is_known else "asked",
            "policies": [asdict(each) for each in self.policies],
            "modules": [asdict(each) for each in figures.modules],
            "notes": list(self.notes),
        }


def shadow_report(
    log: DecisionLog,
    mark: ShadowMark,
    now: float,
    prices: Prices = USUAL_PRICES,
    *,
    runs: bool = True,
) -> ShadowReport:
    """What the log of a shadow says. now: Unix seconds. runs: False when it has ended."""
    with closing(DecisionPages(log.path)) as pages, pages.reading():
        counted = GateCounts.read(pages.gate, mark.began).figures(prices)
        times = pages.gate.asked_times(mark.began)
    until = max(now if runs else _end(log, mark, now), mark.began)
    figures = replace(counted, first=mark.began, last=until)
    mattered = [each for each in times if each.mattered]
    delayed = mattered or [each for each in times if each.question_at is not None]
    policies = tuple(_policies(figures, delayed, prices))
    windows = sum(each.question_at is not None for each in times)
    notes = tuple(_notes(figures, (until - mark.began) / 3600, windows, bool(mattered)))
    return ShadowReport(mark.began, until, figures, policies, len(delayed), bool(mattered), notes)


def _end(log: DecisionLog, mark: ShadowMark, now: float) -> float:
    """When it was last heard of, by a clock that was not ahead."""
    latest = [each.time for each in log.recent(1, since=mark.began)]
    if (state := log.load_state(STATUS)) is not None:
        latest.append(float(json.loads(state[0]).get("at", mark.began)))
    return max((each for each in latest if not is_ahead(each, now)), default=mark.began)


def _policies(
    figures: LiveFigures, delayed: Sequence[AskedTime], prices: Prices
) -> list[ShadowPolicy]:
    moments = [each.happened for each in delayed]
    own = [
        (each.question_at - each.happened) / 60 for each in delayed if each.question_at is not None
    ]
    cheap = cheap_heartbeat(moments)
    small, caught = prices.small_usd_per_wake, figures.caught
    rows: list[tuple[str, str, float | None, int, float, Sequence[float]]] = [
        ("prefrontal", "the gate in the shadow", None if caught is None else caught.recall,
         figures.wakes, prices.usd_per_wake, own),
        ("on_change", "every signal wakes", 1.0, figures.signals, prices.usd_per_wake,
         [0.0] * len(moments)),
        ("heartbeat", "every 30 minutes", 1.0, _beats(USUAL_HEARTBEAT, figures),
         prices.usd_per_wake, _waits(USUAL_HEARTBEAT, moments)),
        ("cheap_heartbeat", f"every 55 minutes, {cheap.active_words}, by a small model", 1.0,
         _beats(cheap, figures), small, _waits(cheap, moments)),
    ]  # fmt: skip
    return [_policy(figures, *row) for row in rows]


def _policy(
    figures: LiveFigures,
    name: str,
    detail: str,
    recall: float | None,
    wakes: int,
    usd: float,
    waits: Sequence[float],
) -> ShadowPolicy:
    per_day = wakes / figures.days if figures.has_rates else None
    month = None if per_day is None else per_day * DAYS_A_MONTH * usd
    return ShadowPolicy(name, detail, recall, wakes, wakes * usd, per_day, month, *delays(waits))


def _beats(heartbeat: Heartbeat, figures: LiveFigures) -> int:
    assert figures.first is not None and figures.last is not None
    beats, moment = 0, figures.first
    whole = int((figures.last - moment) // DAY_S)
    moment += whole * DAY_S
    while (moment := moment + heartbeat.wait_s(moment)) <= figures.last:
        beats += 1
    return beats + whole * heartbeat.beats_per_day


def _waits(heartbeat: Heartbeat, moments: Sequence[float]) -> list[float]:
    return [heartbeat.wait_s(each) / 60 for each in moments]


def _notes(figures: LiveFigures, hours: float, windows: int, is_known: bool) -> list[str]:
    """windows: those that it would have asked about, in however many questions."""
    notes = []
    if not figures.has_rates:
        notes.append(
            f"Too short for rates: they need {LEAST_HOURS} hours, and there are {hours:.1f}."
        )
    elif hours < WHOLE_DAY_H:
        notes.append(
            f"Less than a day ({hours:.1f} hours), and nights are not as days are: look again"
            " after 24."
        )
    if not figures.signals:
        notes.append("No signal came, so there is nothing to compare.")
    elif windows >= NEARLY_EVERYTHING * figures.signals and not is_known:
        notes.append(
            "Nobody said what matters, so it would have asked about nearly everything: adopt a"
            " history first (`prefrontal adopt`), or label what it would have asked."
        )
    elif not is_known:
        notes.append("Nobody said what matters, so what was caught is not known.")
    return notes
