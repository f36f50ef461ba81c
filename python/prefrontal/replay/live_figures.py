"""What a live gate did so far, in the figures of a replay; the same wherever they are shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .heartbeats import CHEAP_BEATS_PER_DAY, DAY_S, HEARTBEAT_S
from .prices import SMALL_MODEL_SHARE

if TYPE_CHECKING:
    from .delays import DelaySpan

LEAST_HOURS = 6
"""Hours that the log must span before anything is said per day, per month or per half hour."""


@dataclass(frozen=True, slots=True)
class CaughtShare:
    """Share of what mattered that was caught, with its 90 % interval.

    audits: labelled ones that it is estimated from; None where every window was labelled.
    """

    recall: float
    low: float
    high: float
    audits: int | None


@dataclass(frozen=True, slots=True)
class ModuleFigures:
    """One module. wakes: questions, audits among them. useful: of those labelled."""

    module: str
    wakes: int
    audits: int
    labelled: int
    useful: int
    caught: CaughtShare | None


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """The decisions that a log holds, up to the last one.

    first, last: when the earliest and the latest were taken, Unix seconds; None without any.
    signals: windows that the gate took in, once each, whatever number of modules decided about
    it. wakes: questions that the agent was asked, audits among them. labelled: of them; useful: of
    those. caught: None while too little is known. small_usd_per_wake: what a small model takes for
    a wake-up; None where it takes a third. delay_s: from the windows that questions told of to
    those questions; None without any.
    """

    first: float | None
    last: float | None
    signals: int
    wakes: int
    audits: int
    labelled: int
    useful: int
    caught: CaughtShare | None
    modules: tuple[ModuleFigures, ...]
    tokens_per_wake: int
    usd_per_million_tokens: float
    small_usd_per_wake: float | None = None
    delay_s: DelaySpan | None = None

    @property
    def days(self) -> float:
        """Time that the decisions span."""
        if self.first is None or self.last is None:
            return 0.0
        return (self.last - self.first) / DAY_S

    @property
    def has_rates(self) -> bool:
        """Whether the time is long enough for rates."""
        return self.days * 24 >= LEAST_HOURS

    @property
    def useful_share(self) -> float | None:
        """Of the labelled wake-ups those that mattered; None without labels."""
        return self.useful / self.labelled if self.labelled else None

    @property
    def wakes_per_day(self) -> float | None:
        return self.wakes / self.days if self.has_rates else None

    @property
    def signals_per_day(self) -> float | None:
        return self.signals / self.days if self.has_rates else None

    @property
    def saved(self) -> int:
        """Wake-ups less than waking on each signal; negative when there were more."""
        return self.signals - self.wakes

    @property
    def saved_heartbeat(self) -> int | None:
        """Wake-ups less than a heartbeat of 30 minutes; None before there are rates."""
        return int(self.days * DAY_S // HEARTBEAT_S) - self.wakes if self.has_rates else None

    @property
    def saved_cheap_heartbeat(self) -> int | None:
        """Wake-ups less than a heartbeat of 55 minutes in 16 hours; None before there are rates."""
        return int(self.days * CHEAP_BEATS_PER_DAY) - self.wakes if self.has_rates else None

    @property
    def cheap_usd_per_wake(self) -> float:
        """Dollars of a wake-up of that heartbeat, whose model is small."""
        if self.small_usd_per_wake is not None:
            return self.small_usd_per_wake
        return self.tokens_per_wake * self.usd_per_million_tokens * SMALL_MODEL_SHARE / 1e6

    @property
    def usd_saved_cheap_heartbeat(self) -> float | None:
        """Dollars less than that heartbeat; negative where its small model is cheaper."""
        own, saved = self.usd(self.wakes), self.saved_cheap_heartbeat
        if own is None or saved is None:
            return None
        return (saved + self.wakes) * self.cheap_usd_per_wake - own

    def tokens(self, wakes: int | None) -> int | None:
        """Tokens of so many wake-ups."""
        return None if wakes is None else wakes * self.tokens_per_wake

    def usd(self, wakes: int | None) -> float | None:
        """Dollars of so many wake-ups."""
        return (
            None
            if wakes is None
            else wakes * self.tokens_per_wake * self.usd_per_million_tokens / 1e6
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; what is not known yet is None."""
        return asdict(self) | {
            "days": self.days,
            "useful_share": self.useful_share,
            "wakes_per_day": self.wakes_per_day,
            "signals_per_day": self.signals_per_day,
            "saved": self.saved,
            "saved_heartbeat": self.saved_heartbeat,
            "tokens_saved": self.tokens(self.saved),
            "tokens_saved_heartbeat": self.tokens(self.saved_heartbeat),
            "usd_saved": self.usd(self.saved),
            "usd_saved_heartbeat": self.usd(self.saved_heartbeat),
            "saved_cheap_heartbeat": self.saved_cheap_heartbeat,
            "tokens_saved_cheap_heartbeat": self.tokens(self.saved_cheap_heartbeat),
            "usd_saved_cheap_heartbeat": self.usd_saved_cheap_heartbeat,
            "modules": [asdict(each) for each in self.modules],
        }
