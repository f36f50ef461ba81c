"""A budget of wakes: at most so many in any span of time, such as 20 in any 24 hours."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import InputError

SPANS_S = {"hour": 3600.0, "day": 86400.0, "week": 604800.0}
MOST_WAKES = 1_000_000
_FORM = re.compile(r"([1-9][0-9]{0,6})/(hour|day|week)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Budget:
    """wakes: most in any span. span: "hour", "day" or "week", sliding and not of the calendar."""

    wakes: int
    span: str

    @property
    def span_s(self) -> float:
        return SPANS_S[self.span]

    def __str__(self) -> str:
        return f"{self.wakes}/{self.span}"


def parse_budget(text: str) -> Budget:
    """The budget of "20/day". Raises InputError for another form."""
    match = _FORM.fullmatch(text.strip())
    if match is None or int(match[1]) > MOST_WAKES:
        raise InputError(
            "budget must be a whole number of wakes above 0 an hour, day or week, such as 20/day,"
            f" got {text!r:.80}"
        )
    return Budget(int(match[1]), match[2])


def is_budget(text: str) -> bool:
    """Whether `parse_budget` takes it."""
    match = _FORM.fullmatch(text.strip())
    return match is not None and int(match[1]) <= MOST_WAKES
