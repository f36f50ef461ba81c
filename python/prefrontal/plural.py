"""How many of a thing, and which, in words."""

from __future__ import annotations

from collections.abc import Sequence


def many(count: int, one: str, more: str = "") -> str:
    """ "1 wake", "1,200 wakes", "3 deliveries". more: the plural where it is irregular."""
    return f"{count:,} {noun(count, one, more)}"


def listed(things: Sequence[str]) -> str:
    """ "a.txt", "a.txt and b.txt", "a.txt, b.txt and c.txt". things: one at least."""
    *front, last = things
    return f"{', '.join(front)} and {last}" if front else last


def noun(count: float, one: str, more: str = "") -> str:
    """`one` for 1 and -1, else its plural: `more`, or the regular one."""
    if abs(count) == 1:
        return one
    if not more and one[-1:] == "y" and one[-2:-1] not in tuple("aeiou"):
        return f"{one[:-1]}ies"
    return more or f"{one}s"
