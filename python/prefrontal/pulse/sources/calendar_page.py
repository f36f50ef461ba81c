"""The events of an iCalendar file as occurrences in time; needs the extra `calendar`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from ...errors import SourceError
from ...plain_text import visible

NEEDS_EXTRA = "sources.calendar needs two libraries: pip install 'prefrontal[calendar]'"
MOST_OCCURRENCES = 10_000
_DAY = timedelta(days=1)  # between any two time zones
_TOO_OFTEN = frozenset({"SECONDLY", "MINUTELY"})


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that an event takes place.

    uid: of the event; key: of the time within it, as it was planned first. start, end: Unix
    seconds. title, place, organizer: as text, "" where there is none.
    """

    uid: str
    key: str
    start: float
    end: float
    title: str
    place: str
    organizer: str


@dataclass(frozen=True, slots=True)
class CalendarPage:
    """What a calendar holds in a span. malformed: events that cannot be read, by their uid."""

    occurrences: tuple[Occurrence, ...]
    malformed: frozenset[str]


def read_calendar(content: bytes, since: float, until: float, zone: tzinfo | None) -> CalendarPage:
    """The occurrences that touch the span (Unix seconds), by start; cancelled ones are left out.

    zone: of times that name none and of whole days; None: this machine's. An event that cannot be
    read, or comes back more often than every hour, is malformed. Raises SourceError when the
    content is no calendar.
    """
    import icalendar

    try:
        calendars: Any = icalendar.Calendar.from_ical(content, multiple=True)
    except (ValueError, IndexError, KeyError) as error:
        raise SourceError(f"no calendar: {' '.join(str(error).split()):.120}") from None
    if not calendars or any(each.name != "VCALENDAR" for each in calendars):
        raise SourceError("no calendar: it must hold BEGIN:VCALENDAR")
    occurrences: list[Occurrence] = []
    malformed: set[str] = set()
    for calendar in calendars:
        series: dict[str, list[Any]] = {}
        for event in calendar.walk("VEVENT"):
            series.setdefault(str(event.get("UID", "")), []).append(event)
        for uid, events in series.items():
            try:
                occurrences += _occurrences(calendar, uid, events, since, until, zone)
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, IndexError):
                malformed.add(visible(uid, 80))
    if len(occurrences) > MOST_OCCURRENCES:
        raise SourceError(f"more than {MOST_OCCURRENCES} events in the days ahead")
    occurrences.sort(key=lambda each: (each.start, each.uid, each.key))
    return CalendarPage(tuple(occurrences), frozenset(malformed))


def _occurrences(
    calendar: Any, uid: str, events: list[Any], since: float, until: float, zone: tzinfo | None
) -> Iterable[Occurrence]:
    """Of one event, with all that was changed of its repetitions."""
    import recurring_ical_events

    if not uid or any(_is_broken(event) for event in events):
        raise ValueError("an event must have UID, DTSTART and sensible rules")
    alone = type(calendar)()
    alone.subcomponents = [*calendar.walk("VTIMEZONE"), *events]
    if "X-WR-TIMEZONE" in calendar:
        alone.add("X-WR-TIMEZONE", calendar["X-WR-TIMEZONE"])
    begin, end = (datetime.fromtimestamp(each, UTC) for each in (since, until))
    within = recurring_ical_events.of(alone).between(begin - _DAY, end + _DAY)
    repeats = any(name in event for event in events for name in ("RRULE", "RDATE"))
    occurrences = (
        _occurrence(uid, each, repeats, zone) for each in within if not _is_cancelled(each)
    )
    return [each for each in occurrences if each.start <= until and each.end >= since]


def _occurrence(uid: str, event: Any, repeats: bool, zone: tzinfo | None) -> Occurrence:
    start = _moment(event["DTSTART"].dt, zone)
    planned = event.get("RECURRENCE-ID")
    key = f"{_moment(planned.dt if planned else event['DTSTART'].dt, zone):.0f}" if repeats else ""
    last = event.get("DTEND")
    end = _moment(last.dt, zone) if last else start
    organizer = event.get("ORGANIZER")
    name = organizer.params.get("CN") or str(organizer) if organizer is not None else ""
    return Occurrence(
        visible(uid, 200),
        key,
        start,
        max(start, end),
        visible(" ".join(str(event.get("SUMMARY", "")).split()), 2_000),
        visible(" ".join(str(event.get("LOCATION", "")).split()), 400),
        visible(str(name).removeprefix("mailto:").removeprefix("MAILTO:"), 200),
    )


def _moment(time: date | datetime, zone: tzinfo | None) -> float:
    if not isinstance(time, datetime):
        time = datetime(time.year, time.month, time.day)  # noqa: DTZ001 (the zone comes next)
    if time.tzinfo is None:
        time = time.replace(tzinfo=zone) if zone is not None else time.astimezone()
    return time.timestamp()


def _is_broken(event: Any) -> bool:
    rules = event.get("RRULE", [])
    rules = rules if isinstance(rules, list) else [rules]
    often = {str(each) for rule in rules for each in rule.get("FREQ", [])} & _TOO_OFTEN
    return bool(event.errors) or "DTSTART" not in event or bool(often)


def _is_cancelled(event: Any) -> bool:
    return str(event.get("STATUS", "")).upper() == "CANCELLED"
