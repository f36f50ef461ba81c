"""Schedules of jobs (`15m`, `1h`, five fields as in cron) and quiet hours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_INTERVAL = re.compile(r"(\d{1,6})\s*([smhd])")
_SHORTEST_S = 10
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_FIELDS: tuple[tuple[str, int, int, Mapping[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day", 1, 31, {}),
    ("month", 1, 12, {name: number + 1 for number, name in enumerate(_MONTHS)}),
    ("weekday", 0, 7, {name: number for number, name in enumerate(_DAYS)}),
)
_FARTHEST = timedelta(days=366)
"""How far back to look for missed runs."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Every so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Calendar:
    """Minutes of the local calendar, as in cron; weekday 0 is Sunday.

    either: both kinds of day are restricted, and matching one is enough.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    def latest(self, after: datetime, until: datetime) -> datetime | None:
        """The last minute of the schedule in (after, until]."""
        day = until.date()
        while day >= after.date():
            if self._has_day(datetime.combine(day, time())):
                for hour in sorted(self.hours, reverse=True):
                    for minute in sorted(self.minutes, reverse=True):
                        moment = datetime.combine(day, time(hour, minute))
                        if after < moment <= until:
                            return moment
            day -= timedelta(days=1)
        return None

    def _has_day(self, day: datetime) -> bool:
        if day.month not in self.months:
            return False
        fits = (day.day in self.days, day.isoweekday() % 7 in self.weekdays)
        return any(fits) if self.either else all(fits)


Schedule = Interval | Calendar


def parse_schedule(text: object) -> Schedule:
    """An interval such as "15m", "1h" or "90 s", or five fields: minute hour day month weekday.

    A field is *, a number, a name (mon, jan), a range a-b, any of them with /step, or a list of
    these. Raises ValueError with the broken rule.
    """
    rule = "be an interval such as 15m or 1h, or five fields as in cron"
    if not isinstance(text, str):
        raise ValueError(f"{rule}, got {text!r:.80}")
    interval = _INTERVAL.fullmatch(text.strip().lower())
    if interval is not None:
        seconds = int(interval[1]) * _UNITS[interval[2]]
        if seconds < _SHORTEST_S:
            raise ValueError(f"be at least {_SHORTEST_S}s apart, got {text!r}")
        return Interval(seconds)
    parts = text.lower().split()
    if len(parts) != len(_FIELDS) or len(text) > 400:
        raise ValueError(f"{rule}, got {text!r:.80}")
    minutes, hours, days, months, weekdays = map(_field, _FIELDS, parts)
    restricted = all(not part.startswith("*") for part in (parts[2], parts[4]))
    return Calendar(
        minutes, hours, days, months, frozenset(day % 7 for day in weekdays), restricted
    )


def _field(field: tuple[str, int, int, Mapping[str, int]], text: str) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        values |= _values(field, part)
    return frozenset(values)


def _values(field: tuple[str, int, int, Mapping[str, int]], part: str) -> set[int]:
    name, low, high, names = field
    spread, slash, step_text = part.partition("/")
    start, dash, end = spread.partition("-")
    try:
        step = int(step_text) if slash else 1
        first = low if spread == "*" else _number(start, names)
        last = high if spread == "*" or (slash and not dash) else first
        if dash:
            last = _number(end, names)
    except ValueError:
        first, last, step = 1, 0, 0
    if not low <= first <= last <= high or step < 1:
        raise ValueError(f"have a {name} in {low}..{high}, got {part!r}")
    return set(range(first, last + 1, step))


def _number(text: str, names: Mapping[str, int]) -> int:
    if text in names:
        return names[text]
    if not re.fullmatch(r"\d{1,2}", text, re.ASCII):
        raise ValueError(text)
    return int(text)


class Timetable:
    """Says when a schedule is due, robust to changes of the clocks.

    Intervals count on the monotonic clock. Calendar minutes are looked up in the wall-clock time
    since the last call: after a jump forward or a sleep of the machine, missed runs are due once;
    after a jump back, the last minute that was due is not due again. The hour that daylight saving
    skips does not occur; in the hour that it repeats, the last due minute is not due again.
    """

    def __init__(self, schedule: Schedule, now: float, monotonic: float) -> None:
        self._schedule = schedule
        self._looked = now
        self._next = monotonic + (schedule.seconds if isinstance(schedule, Interval) else 0)
        self._last: datetime | None = None

    def due(self, now: float, monotonic: float) -> bool:
        """Whether it is due at these Unix and monotonic seconds; then moves on to the next time."""
        if isinstance(self._schedule, Interval):
            return self._interval_is_over(self._schedule.seconds, monotonic)
        passed = now - self._looked
        self._looked = now
        until = local_time(now)
        moment = self._schedule.latest(until - min(timedelta(seconds=passed), _FARTHEST), until)
        if moment is None or moment == self._last:
            return False
        self._last = moment
        return True

    def _interval_is_over(self, seconds: float, monotonic: float) -> bool:
        if monotonic < self._next:
            return False
        self._next += seconds
        if self._next <= monotonic:
            self._next = monotonic + seconds
        return True


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one minute of the day up to another, past midnight if the first is later."""

    start: time
    end: time

    def holds(self, moment: datetime) -> bool:
        now = moment.time()
        if self.start < self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


def parse_quiet_hours(text: object) -> QuietHours:
    """Parse a text such as "23:00-07:00". Raises ValueError with the broken rule."""
    match = re.fullmatch(r"\s*(\d\d?):(\d\d)\s*-\s*(\d\d?):(\d\d)\s*", str(text), re.ASCII)
    try:
        if isinstance(text, str) and match is not None:
            first_hour, first_minute, hour, minute = map(int, match.groups())
            start, end = time(first_hour, first_minute), time(hour, minute)
            if start != end:
                return QuietHours(start, end)
    except ValueError:
        pass
    raise ValueError(f"be two different times such as 23:00-07:00, got {text!r:.80}")


def local_time(now: float) -> datetime:
    """Unix seconds as local time, naive."""
    return datetime.fromtimestamp(now, tz=UTC).astimezone().replace(tzinfo=None)
