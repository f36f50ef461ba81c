"""The cost of reflection: estimated from the configuration, counted by day, and capped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

from ...typed_fields import Must, recover

if TYPE_CHECKING:
    from ...settings.cortex_growth import Cost

DAY_MINUTES = 24 * 60
TYPICAL_IN, TYPICAL_OUT = 2250, 400
_KEPT_DAYS = 60
_MTOK = 1_000_000


@dataclass(frozen=True, slots=True)
class CycleTokens:
    """Tokens of one cycle.

    The parts of the input: prompt, SOUL.md, beliefs, previous summary, peers, events. output:
    what the model answers.
    """

    prompt: int = 400
    soul: int = 400
    beliefs: int = 300
    previous_summary: int = 150
    peers: int = 500
    events: int = 500
    output: int = TYPICAL_OUT

    @property
    def input(self) -> int:
        """All parts of the input."""
        parts = (self.prompt, self.soul, self.beliefs, self.previous_summary)
        return sum(parts) + self.peers + self.events

    @property
    def total(self) -> int:
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class DayEstimate:
    """A day with a cycle each time that the timer can fire."""

    minutes: float
    cycles: int
    tokens: int
    dollars: float


def _is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


Date = Annotated[str, Must("be a date", _is_date)]


@dataclass(slots=True)
class UsedDay:
    """What was used on one day. date: of UTC, "2026-03-15"."""

    date: Date
    cycles: int
    tokens_in: int
    tokens_out: int

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


def tokens_of(characters: int | str) -> int:
    """Tokens of a text, or of that many characters: a quarter, rounded up."""
    count = len(characters) if isinstance(characters, str) else characters
    return -(-count // 4)


def dollars(tokens_in: int, tokens_out: int, prices: Cost) -> float:
    return (tokens_in * prices.input_per_mtok + tokens_out * prices.output_per_mtok) / _MTOK


def typical_cycle(
    *,
    max_context_tokens: int,
    peers: int,
    context_window: int,
    max_beliefs: int,
    soul_characters: int = 1600,
) -> CycleTokens:
    """A typical cycle of an agent with these settings, within the bound of its context.

    A peer's own lines come to some 40 tokens, each of its interactions to 12, a belief to 15.
    """
    parts = CycleTokens(
        soul=tokens_of(soul_characters),
        beliefs=15 * max_beliefs,
        peers=peers * (40 + 12 * min(context_window, 5)),
        events=50 * min(context_window, 10),
    )
    over = max(0, parts.input - max_context_tokens)
    return CycleTokens(
        soul=parts.soul,
        beliefs=parts.beliefs,
        events=max(0, parts.events - over),
        peers=max(0, parts.peers - max(0, over - parts.events)),
    )


def day(minutes: float, prices: Cost, cycle: CycleTokens | None = None) -> DayEstimate:
    """The cost of a day of timer cycles; by default 2,250 tokens in and 400 out each.

    At $3 and $15 for a million: $1.22 every 15 minutes, $0.61 every 30, $0.31 every 60.
    """
    tokens_in = TYPICAL_IN if cycle is None else cycle.input
    tokens_out = TYPICAL_OUT if cycle is None else cycle.output
    cycles = int(DAY_MINUTES // minutes)
    price = dollars(tokens_in, tokens_out, prices)
    return DayEstimate(minutes, cycles, cycles * (tokens_in + tokens_out), cycles * price)


class DailyCost:
    """Usage by UTC day, for the last sixty days, and the daily caps."""

    def __init__(self) -> None:
        self._days: list[UsedDay] = []

    @property
    def days(self) -> Sequence[UsedDay]:
        """The days on which something was used, the oldest first."""
        return tuple(self._days)

    def refusal(self, now: float, settings: Cost) -> str:
        """Why today's cap is reached; "" while it is not."""
        today = self._day(now)
        most = settings.daily_tokens
        if most is not None and today.tokens >= most:
            return f"{today.tokens:,} tokens used today, the cap is {most:,}"
        price = dollars(today.tokens_in, today.tokens_out, settings)
        limit = settings.daily_dollars
        if limit is not None and (price >= limit):
            return f"${price:.2f} spent today, the cap is ${limit:.2f}"
        return ""

    def add(self, now: float, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count one call; None counts as 0."""
        today = self._day(now)
        today.cycles += 1
        today.tokens_in += max(0, tokens_in or 0)
        today.tokens_out += max(0, tokens_out or 0)
        if today not in self._days:
            self._days = [*self._days, today][-_KEPT_DAYS:]

    def save(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self._days]

    def load(self, raw: object) -> None:
        """Restore what `save` returned; ignores damaged entries."""
        self._days = recover(list[UsedDay], raw, [])

    def _day(self, now: float) -> UsedDay:
        today = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d")
        return next((each for each in self._days if each.date == today), UsedDay(today, 0, 0, 0))
