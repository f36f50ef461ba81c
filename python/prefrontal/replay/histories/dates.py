"""Dates a person writes: an ISO date or time, or "2 weeks ago"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta

from ...errors import InputError

_AGO = re.compile(r"(\d{1,6})[ .](second|minute|hour|day|week|month|year)s?[ .]ago")
_DAYS_BACK = {"today": 0, "yesterday": 1}


def parse_date(text: str, now: float, *, field: str, end: bool = False) -> float:
    """Unix seconds of `text`, in the machine's time zone unless it carries its own.

    Taken are ISO dates ("2024-03-01", "2024-03-01T12:00+02:00"), "today", "yesterday" and
    "N seconds|minutes|hours|days|weeks|months|years ago", counted from `now` (Unix seconds).
    A day without a time is its first second, or with `end` its last.
    Raises InputError that names `field` for anything else: git would quietly read it as now.
    """
    words = " ".join(text.lower().split())
    try:
        moment = datetime.fromtimestamp(now, UTC).astimezone().replace(tzinfo=None)
        if words in _DAYS_BACK:
            return _day(moment.date() - timedelta(days=_DAYS_BACK[words]), end)
        if ago := _AGO.fullmatch(words):
            return _before(moment, int(ago[1]), ago[2]).timestamp()
        try:
            return _day(date.fromisoformat(words), end)
        except ValueError:
            return datetime.fromisoformat(words.upper()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"{field} must be an ISO date such as 2024-03-01 or a time such as '2 weeks ago',"
            f" got {text!r}"
        ) from None


def _day(day: date, end: bool) -> float:
    if end:
        return _day(day + timedelta(days=1), end=False) - 1
    return datetime.combine(day, time.min).timestamp()


def _before(moment: datetime, count: int, unit: str) -> datetime:
    if unit not in ("month", "year"):
        return moment - timedelta(**{f"{unit}s": count})
    months = moment.year * 12 + moment.month - 1 - count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
