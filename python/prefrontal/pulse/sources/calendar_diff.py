"""What changed between two looks at a calendar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .calendar_page import CalendarPage, Occurrence

Known = dict[str, dict[str, Occurrence]]
"""Occurrences by the uid of their event and their key."""


class CalendarChange(NamedTuple):
    """delta_type: "created", "modified" or "cancelled"; of an event's times the next is shown."""

    delta_type: str
    occurrence: Occurrence
    times: int


def known_of(page: CalendarPage) -> Known:
    """The occurrences of a page, by event."""
    known: Known = {}
    for each in page.occurrences:
        known.setdefault(each.uid, {})[each.key] = each
    return known


def changes(before: Known, after: Known, now: float, covered: float) -> Iterator[CalendarChange]:
    """What changed of times that are to come, one change for each event and kind of change.

    covered: up to when `before` knew the calendar; what begins later is not new, but came near.
    """
    for uid in {**before, **after}:
        old, new = before.get(uid, {}), after.get(uid, {})
        coming = {key: each for key, each in old.items() if each.start > now}
        gone = [each for key, each in coming.items() if key not in new]
        moved = [new[key] for key, each in coming.items() if key in new and new[key] != each]
        added = [
            each for key, each in new.items() if key not in old and now < each.start <= covered
        ]
        if gone and added:  # a series at another time: each of its times has another key
            moved, gone, added = moved + added, [], []
        for kind, times in (("created", added), ("modified", moved), ("cancelled", gone)):
            if times:
                yield CalendarChange(kind, min(times, key=lambda each: each.start), len(times))
