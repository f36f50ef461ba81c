"""Figures as people say them: "one every 8 days", "3 of 4 wake-ups", "15 min", "$4.28"."""

from __future__ import annotations

from .wording import NOTHING, half_up

DAYS_A_MONTH = 30

PARTS = (
    (1 / 10, "1 of 10"), (1 / 5, "1 of 5"), (1 / 4, "a quarter"), (1 / 3, "a third"),
    (2 / 5, "2 of 5"), (1 / 2, "half"), (3 / 5, "3 of 5"), (2 / 3, "2 of 3"), (3 / 4, "3 of 4"),
    (4 / 5, "4 of 5"), (9 / 10, "9 of 10"),
)  # fmt: skip
CLOSE = 0.015
"""How far a share may lie from a fraction that is named without "nearly" or "more than"."""

FEWEST, MOST = 0.05, 0.925
"""Below and above these no fraction of `PARTS` is near."""


def how_often(per_day: float | None) -> str:
    """Wake-ups a day as a person counts them: "48 a day", "1.2 a day", "one every 8 days"."""
    if per_day is None:
        return NOTHING
    if per_day <= 0:
        return "never"
    days = 1 / per_day
    if days < 1.25:
        return _a_day(per_day)
    if days < 3.75:
        return f"one every {half_up(2 * days) / 2:g} days"
    if days < 60:
        return f"one every {half_up(days)} days"
    if days < 700:
        return f"one every {half_up(days / 30.4)} months"
    return f"one every {half_up(days / 365.25):,} years"


def _a_day(per_day: float) -> str:
    if per_day < 1.05:
        return "one a day"
    if per_day < 9.95:
        return f"{half_up(per_day, 1)}".removesuffix(".0") + " a day"
    return f"{half_up(per_day):,} a day"


def fraction(share: float) -> str:
    """A share as a fraction with few parts: "half", "nearly 3 of 4", "more than a third"."""
    if share < FEWEST:
        return "almost none" if share > 0 else "none"
    if share > MOST:
        of = int(half_up(1 / (1 - share))) if share < 1 else 0
        return f"{of - 1:,} of {of:,}" if of else "all"
    part, words = min(PARTS, key=lambda each: abs(each[0] - share))
    if abs(share - part) <= CLOSE:
        return words
    return f"{'nearly' if share < part else 'more than'} {words}"


def wake_ups(share: float) -> str:
    """A share of the wake-ups as a fraction: "half the wake-ups", "nearly 3 of 4 wake-ups"."""
    words = fraction(share)
    if words[-1].isdecimal() or words == "all":
        return f"{words} wake-ups"
    return f"{words} the wake-ups" if words.endswith("half") else f"{words} of the wake-ups"


def usd(amount: float | None) -> str:
    """Dollars as on a bill: "$4.28", "$435", never "$0.00" for what costs something."""
    if amount is None:
        return NOTHING
    if 0 < amount < 0.005:
        return "under $0.01"
    return f"${half_up(amount, 2 if amount < 99.995 else 0):,}"


def usd_a_month(per_day: float, tokens_per_wake: int, usd_per_million_tokens: float) -> float:
    """What so many wake-ups a day cost in a month of 30 days."""
    return per_day * DAYS_A_MONTH * tokens_per_wake * usd_per_million_tokens / 1e6


def waits(median: float | None, late: float | None) -> str:
    """A delay by its median and 90th percentile: "15–28 min", "0.6–6 h"."""
    middle, end = wait(median), wait(late)
    if late is None or middle == end:
        return middle
    if middle.endswith(" min") and end.endswith(" h") and median is not None and median >= 3:
        return f"{half_up(median / 60, 1)}–{end}"
    number, _, unit = middle.partition(" ")
    same = number.isdecimal() and end.endswith(f" {unit}") and end.partition(" ")[0].isdecimal()
    return f"{number}–{end}" if same else f"{middle}, {end}"


def wait(minutes: float | None) -> str:
    """How long a signal waits for its question: "at once", "15 min", "3 h"."""
    if minutes is None:
        return NOTHING
    if minutes <= 0:
        return "at once"
    if minutes < 1:
        return "under 1 min"
    return f"{half_up(minutes)} min" if minutes < 120 else f"{half_up(minutes / 60)} h"
