"""What a replay found: one outcome a window, one row a policy, and the figures over all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from ..notebook import view_of
from ..typed_fields import FieldError, Must, read, then
from .incidents import Incidents
from .prices import Prices
from .record import (
    RECORD,
    Added,
    Amount,
    Count,
    NamedNumber,
    Pair,
    Share,
    completed,
    plain,
)

FORMAT = 5
"""Version of the saved form. 1 had neither delays nor a price nor an origin; 1 and 2 knew only
replays in which every window is labelled; 3 knew only the median of a delay and one price; 4 knew
one model. All are read. A file with another one is refused rather than guessed at."""

USD_PER_MILLION_TOKENS = 3.0
"""What mid-size models take for a million input tokens by the public price lists of 2026."""

_ADDED: Added = {
    2: ("usd_per_million_tokens", "origin"),
    3: ("labels", "audits", "compared"),
    4: ("prices", "budget", "incidents"),
}
_ADDED_TO_POLICIES: Added = {2: ("delay_minutes",), 4: ("delay_p90_minutes",), 5: ("usd_per_wake",)}
_ADDED_TO_PRICES: Added = {5: ("small_usd_per_million",)}


def _rising(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """The curve must rise, or reading it backwards (from recall to share) has no answer."""
    for index, (before, after) in enumerate(pairwise(points), start=1):
        if after[0] < before[0] or after[1] < before[1]:
            raise FieldError(f"not fall below {list(before)}", after, (index,))
    return points


Format = Annotated[
    int, Must(f"be from 1 to {FORMAT}", lambda version: 1 <= version <= FORMAT, covers_type=True)
]
Labels = Annotated[str, Must("be all or asked", lambda labels: labels in ("all", "asked"))]
Interval = Annotated[
    Pair,
    Must("be two rising numbers from 0 to 1", lambda ends: 0 <= ends[0] <= ends[1] <= 1),
]
Curve = Annotated[
    tuple[Pair, ...],
    Must(
        "run from [0, 0] to [1, 1]",
        lambda points: not points or (points[0], points[-1]) == ((0.0, 0.0), (1.0, 1.0)),
    ),
    then(_rising),
]


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
    more_paths: Count
    why: tuple[NamedNumber, ...]

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
    recall: Share | None
    wakes_per_day: Amount
    share_woken: Share
    precision: Share | None
    tokens_per_useful_wake: Amount | None
    detail: str = ""
    delay_minutes: Amount | None = None
    delay_p90_minutes: Amount | None = None
    usd_per_wake: Amount | None = None


@dataclass(frozen=True, slots=True)
class OtherLabels:
    """The gate on the same windows with other labels: "all" or "asked".

    recall: share of the relevant windows caught, None when nothing was relevant. audits: how many
    of its wake-ups were audits.
    """

    labels: Labels
    recall: Share | None
    wakes_per_day: Amount
    audits: Count


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """A budget that was asked for, as "20/day", and the most that any such span held."""

    asked: str
    most: Count


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
    windows: Count
    relevant: Count
    warmup: Count
    days: Amount
    auc: Share | None
    asked_recall: Share
    got_recall: Share | None
    recall_interval: Interval | None
    promise: str
    wakes_per_day: Amount
    share_woken: Share
    precision: Share | None
    tokens_per_useful_wake: Amount | None
    tokens_per_wake: Count
    policies: tuple[PolicyResult, ...]
    curve: Curve
    missed: Count
    misses: tuple[Outcome, ...]
    wasted_count: Count
    wasted: tuple[Outcome, ...]
    strip: tuple[Outcome, ...]
    seconds: Amount
    notes: tuple[str, ...]
    usd_per_million_tokens: Amount = USD_PER_MILLION_TOKENS
    origin: str = ""
    labels: Labels = "all"
    audits: Count = 0
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
        version = read(_Saved, raw, RECORD, whole="result").format
        now = completed(raw, cls, _ADDED, version)
        if isinstance(rows := now.get("policies"), list):
            now["policies"] = [
                completed(row, PolicyResult, _ADDED_TO_POLICIES, version) for row in rows
            ]
        if "prices" in now:
            now["prices"] = completed(now["prices"], Prices, _ADDED_TO_PRICES, version)
        result: ReplayResult = read(cls, now, RECORD)
        if result.relevant > result.windows:
            raise FieldError(
                f"be at most windows ({result.windows})", result.relevant, ("relevant",)
            )
        return result


@dataclass(frozen=True, slots=True)
class _Saved:
    """The version of a saved form."""

    format: Format
