"""The newest first, except what a clock that was ahead dated: that comes last and hides nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

CLOCKS_DIFFER_S = 60.0
"""How far the clocks of machines that share a log may lie apart without a word."""

Item = TypeVar("Item")


def is_ahead(time: float, now: float) -> bool:
    """Whether a clock that was ahead dated it. Both are Unix seconds."""
    return time >= now + CLOCKS_DIFFER_S


def rank(time: float, now: float) -> tuple[bool, float]:
    """What the newest has the least of."""
    return is_ahead(time, now), -time


def newest_first(
    read: Callable[[float, float], list[Item]],
    limit: int,
    now: float,
    *,
    since: float = -math.inf,
) -> list[Item]:
    """At most `limit`. read: what is dated from one moment up to another, the newest first."""
    border = max(since, now + CLOCKS_DIFFER_S)
    past = read(since, border)[: max(limit, 0)]
    if len(past) >= limit:
        return past
    return past + read(border, math.inf)[: limit - len(past)]
