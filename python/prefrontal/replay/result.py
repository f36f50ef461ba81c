"""What a replay found: one outcome a window, one row a policy, and the figures over all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..notebook import view_of
from .incidents import Incidents
from .prices import Prices
from .record import Record, plain

FORMAT = 5
"""Version of the saved form. 1 had neither delays nor a price nor an origin; 1 and 2 knew only
replays in which every window is labelled; 3 knew only the median of a delay and one price; 4 knew
one model. All are read. A file with another one is refused rather than guessed at."""

USD_PER_MILLION_TOKENS = 3.0
"""What mid-size models take for a million input tokens by the public price lists of 2026."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One window after the gate has spoken.

    time: Unix seconds. score, threshold: the gate's probability and where it woke, both 0..1
    as the gate gives them (never clamped here).
    paths: at most three of the touched paths; more_paths: how many others there were.
    why: (name, signed log-odds): what pushed to the decision, largest first, then what was against.
    """

    key: str
    time: float
    score: float
    threshold: float
    woke: bool
    relevant: bool
    text: str
    paths: tuple[str, ...]
    more_paths: int
    why: tuple[tuple[str, float], ...]

    @property
    def kind(self) -> str:
        """Which of the four it was: "caught", "wasted", "slept" or "missed"."""
        if self.woke:
            return "caught" if self.relevant else "wasted"
        return "missed" if self.relevant else "slept"


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """What one wake policy would have cost and caught on the same windows.

    name: heartbeat, cheap_heartbeat, on_change, rule, random or prefrontal; detail: the rule in
    words, and the like.
    recall: share of the relevant windows caught, None when nothing was relevant.
    share_woken: share of the windows that reach the agent.
    precision: share of the wake-ups that found something, None without wake-ups.
    delay_minutes, delay_p90_minutes: median and 90th percentile of the time from what mattered to
    the wake-up that caught it; None when nothing was caught, or in a file that does not say.
    usd_per_wake: what one wake-up of it costs, None where it costs what all others do.
    """

    name: str
    recall: float | None
    wakes_per_day: float
    share_woken: float
    precision: float | None
    tokens_per_useful_wake: float | None
    detail: str = ""
    delay_minutes: float | None = None
    delay_p90_minutes: float | None = None
    usd_per_wake: float | None = None


@dataclass(frozen=True, slots=True)
class OtherLabels:
    """The gate on the same windows with other labels: "all" or "asked".

    recall: share of the relevant windows caught, None when nothing was relevant. audits: how many
    of its wake-ups were audits.
    """

    labels: str
    recall: float | None
    wakes_per_day: float
    audits: int


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """A budget that was asked for, as "20/day", and the most that any such span held."""

    asked: str
    most: int


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """One history replayed with one gate; every figure covers the windows after the warm-up.

    preset: what "relevant" meant. warmup: windows learned from before any was counted.
    days: time spanned. promise: a sentence, what recall can be promised or why none can.
    recall_interval: 90 % interval around got_recall. curve: (share_woken, recall) from (0, 0) to
    (1, 1) over all thresholds, in hindsight; empty when nothing was relevant.
    misses, wasted: the worst of them, at most 100 each; missed, wasted_count: how many in all.
    strip: the last 120 windows, oldest first. seconds: what the replay took.
    usd_per_million_tokens: the price behind every amount of money, all kinds of tokens together;
    prices: how it comes about, None where one price was said for all tokens. origin: "git",
    "events", "sessions" or "sample", "" when unknown.
    labels: "all" when the gate learned whether each window mattered, "asked" when only of those
    that woke the agent. audits: how many of the wake-ups were audits of what slept. compared: what
    the other labels would have given, where that was tried. budget: what was asked in place of the
    recall, which `by_recall` of the policies then keeps; None where a recall was asked.
    incidents: what became of each, where the history names them.
    """

    source: str
    preset: str
    windows: int
    relevant: int
    warmup: int
    days: float
    auc: float | None
    asked_recall: float
    got_recall: float | None
    recall_interval: tuple[float, float] | None
    promise: str
    wakes_per_day: float
    share_woken: float
    precision: float | None
    tokens_per_useful_wake: float | None
    tokens_per_wake: int
    policies: tuple[PolicyResult, ...]
    curve: tuple[tuple[float, float], ...]
    missed: int
    misses: tuple[Outcome, ...]
    wasted_count: int
    wasted: tuple[Outcome, ...]
    strip: tuple[Outcome, ...]
    seconds: float
    notes: tuple[str, ...]
    usd_per_million_tokens: float = USD_PER_MILLION_TOKENS
    origin: str = ""
    labels: str = "all"
    audits: int = 0
    compared: OtherLabels | None = None
    prices: Prices | None = None
    budget: BudgetUse | None = None
    incidents: Incidents | None = None

    def policy(self, name: str) -> PolicyResult | None:
        """The row of that name, None when the replay did not try it."""
        return next((each for each in self.policies if each.name == name), None)

    def to_pandas(self, part: str = "policies") -> Any:
        """A part as a pandas.DataFrame: "policies", "misses", "wasted", "strip" or "curve".

        Raises InputError for another part, SourceError without pandas.
        """
        return view_of(self).frame(self, part)

    def _repr_html_(self) -> str:
        return view_of(self).html(self)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; raises InputError naming a field that is NaN or infinite."""
        return {"format": FORMAT, **plain(self, "")}

    @classmethod
    def from_dict(cls, raw: object) -> ReplayResult:
        """The result that `to_dict` wrote. Raises InputError naming the field that is wrong."""
        record = Record(raw)
        if (version := record.count("format")) not in range(1, FORMAT + 1):
            raise record.refuse("format", f"be from 1 to {FORMAT}", version)
        first, before_labels, one_delay = version == 1, version < 3, version < 4
        one_model = version < 5
        if (relevant := record.count("relevant")) > (windows := record.count("windows")):
            raise record.refuse("relevant", f"be at most windows ({windows})", relevant)
        return cls(
            source=record.text("source"),
            preset=record.text("preset"),
            windows=windows,
            relevant=relevant,
            warmup=record.count("warmup"),
            days=record.amount("days"),
            auc=record.share_or_none("auc"),
            asked_recall=record.share("asked_recall"),
            got_recall=record.share_or_none("got_recall"),
            recall_interval=_interval(record),
            promise=record.text("promise"),
            wakes_per_day=record.amount("wakes_per_day"),
            share_woken=record.share("share_woken"),
            precision=record.share_or_none("precision"),
            tokens_per_useful_wake=record.amount_or_none("tokens_per_useful_wake"),
            tokens_per_wake=record.count("tokens_per_wake"),
            policies=tuple(_policy(each, version) for each in record.records("policies")),
            curve=_curve(record),
            missed=record.count("missed"),
            misses=tuple(map(_outcome, record.records("misses"))),
            wasted_count=record.count("wasted_count"),
            wasted=tuple(map(_outcome, record.records("wasted"))),
            strip=tuple(map(_outcome, record.records("strip"))),
            seconds=record.amount("seconds"),
            notes=record.texts("notes"),
            usd_per_million_tokens=(
                USD_PER_MILLION_TOKENS if first else record.amount("usd_per_million_tokens")
            ),
            origin="" if first else record.text("origin"),
            labels="all" if before_labels else _labels(record),
            audits=0 if before_labels else record.count("audits"),
            compared=None if before_labels else _other(record),
            prices=None if one_delay else _prices(record, one_model),
            budget=None if one_delay else _budget(record),
            incidents=None if one_delay else _incidents(record),
        )


def _labels(record: Record) -> str:
    if (labels := record.text("labels")) not in ("all", "asked"):
        raise record.refuse("labels", "be all or asked", labels)
    return labels


def _prices(record: Record, one_model: bool) -> Prices | None:
    if record.value("prices") is None:
        return None
    return Prices.from_record(Record(record.value("prices"), record.name("prices")), one_model)


def _budget(record: Record) -> BudgetUse | None:
    if record.value("budget") is None:
        return None
    use = Record(record.value("budget"), record.name("budget"))
    return BudgetUse(use.text("asked"), use.count("most"))


def _incidents(record: Record) -> Incidents | None:
    if record.value("incidents") is None:
        return None
    return Incidents.from_record(Record(record.value("incidents"), record.name("incidents")))


def _other(record: Record) -> OtherLabels | None:
    if record.value("compared") is None:
        return None
    other = Record(record.value("compared"), record.name("compared"))
    return OtherLabels(
        labels=_labels(other),
        recall=other.share_or_none("recall"),
        wakes_per_day=other.amount("wakes_per_day"),
        audits=other.count("audits"),
    )


def _outcome(record: Record) -> Outcome:
    return Outcome(
        key=record.text("key"),
        time=record.number("time"),
        score=record.number("score"),
        threshold=record.number("threshold"),
        woke=record.flag("woke"),
        relevant=record.flag("relevant"),
        text=record.text("text"),
        paths=record.texts("paths"),
        more_paths=record.count("more_paths"),
        why=record.named_numbers("why"),
    )


def _policy(record: Record, version: int) -> PolicyResult:
    return PolicyResult(
        name=record.text("name"),
        recall=record.share_or_none("recall"),
        wakes_per_day=record.amount("wakes_per_day"),
        share_woken=record.share("share_woken"),
        precision=record.share_or_none("precision"),
        tokens_per_useful_wake=record.amount_or_none("tokens_per_useful_wake"),
        detail=record.text("detail"),
        delay_minutes=None if version < 2 else record.amount_or_none("delay_minutes"),
        delay_p90_minutes=None if version < 4 else record.amount_or_none("delay_p90_minutes"),
        usd_per_wake=None if version < 5 else record.amount_or_none("usd_per_wake"),
    )


def _interval(record: Record) -> tuple[float, float] | None:
    if record.value("recall_interval") is None:
        return None
    low, high = record.pair("recall_interval")
    if not 0 <= low <= high <= 1:
        raise record.refuse("recall_interval", "be two rising numbers from 0 to 1", (low, high))
    return (low, high)


def _curve(record: Record) -> tuple[tuple[float, float], ...]:
    """The curve must rise, or reading it backwards (from recall to share) has no answer."""
    points = record.pairs("curve")
    if not points:
        return ()
    if points[0] != (0.0, 0.0) or points[-1] != (1.0, 1.0):
        raise record.refuse("curve", "run from [0, 0] to [1, 1]", (points[0], points[-1]))
    for index, (before, after) in enumerate(pairwise(points), start=1):
        if after[0] < before[0] or after[1] < before[1]:
            raise record.refuse(f"curve[{index}]", f"not fall below {list(before)}", after)
    return points
