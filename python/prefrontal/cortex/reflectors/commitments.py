"""Finds promises with a deadline in a peer's messages, by patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ...plain_text import visible

_TEXT_LIMIT = 120
_READ_LIMIT = 1000
_FURTHEST = timedelta(days=366)
_LAST = (23, 59)

_OWN = re.compile(
    r"(?<!so )(?<!that )\b(?:i|we)(?:['’]ll| will| shall| can| promise| am going to| are going to)"
    r"\b(?! (?:need|want|require|expect|wait|check|be waiting)\b)"
    r"|\byou(?:['’]ll| will) (?:have|get|receive)\b"
    r"|\b(?:sending|delivering|delivered|expect (?:it|them|my|our))\b"
    r"|\b(?:my|our) (?:part|portion|share|half|reply|answer|draft|report|delivery)\b"
    r"|\bpromised?\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}
_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"
_AT = rf"(?:[,T ]{{0,2}}(?:at )?{_CLOCK})?"
_SPAN = (
    r"(?P<count>\d{1,4}|an?|one|two|three|four|five|six)[ -]?"
    r"(?P<unit>m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?)\b"
)
_BY = r"\b(?:by|until|till|before|no later than|on) "


@dataclass(frozen=True, slots=True)
class Commitment:
    """A promise in a peer's own words. due: Unix seconds."""

    text: str
    due: float


def promises(preview: str, at: float) -> list[Commitment]:
    """What the writer of `preview` promised at `at`, in the order of the text.

    A promise is a sentence, not a question, in the first person with one time in it, such as
    "within 4 hours", "by tomorrow 10:00", "until 2026-03-01", "by friday", "today". Times are
    UTC; a day without an hour ends at 23:59. Ignores what is due more than a year ahead.
    """
    start = datetime.fromtimestamp(at, UTC)
    commitments = []
    for sentence in _SENTENCE.split(preview[:_READ_LIMIT]):
        if sentence.rstrip().endswith("?") or not _OWN.search(sentence):
            continue
        due = _due(sentence, start)
        if due is not None and start < due <= start + _FURTHEST:
            commitments.append(Commitment(visible(sentence.strip(), _TEXT_LIMIT), due.timestamp()))
    return commitments


def _due(sentence: str, start: datetime) -> datetime | None:
    for pattern, moment in _TIMES:
        match = pattern.search(sentence)
        if match is not None:
            try:
                return moment(match, start)
            except (ValueError, OverflowError):  # the 31st of February
                return None
    return None


def _after(match: re.Match[str], start: datetime) -> datetime:
    count = match["count"].lower()
    number = _WORDS.get(count) or int(count)
    return start + timedelta(seconds=number * _UNITS[match["unit"][0].lower()])


def _date(match: re.Match[str], start: datetime) -> datetime:
    year, month, day = map(int, match["date"].split("-"))
    return _timed(match, start.replace(year=year, month=month, day=day))


def _tomorrow(match: re.Match[str], start: datetime) -> datetime:
    return _timed(match, start + timedelta(days=1))


def _weekday(match: re.Match[str], start: datetime) -> datetime:
    ahead = (_WEEKDAYS.index(match["weekday"].lower()) - start.weekday()) % 7
    due = _timed(match, start + timedelta(days=ahead))
    return due if due > start else due + timedelta(days=7)


def _today(match: re.Match[str], start: datetime) -> datetime:
    return _timed(match, start)


def _hour(match: re.Match[str], start: datetime) -> datetime:
    due = _timed(match, start)
    return due if due > start else due + timedelta(days=1)


def _timed(match: re.Match[str], day: datetime) -> datetime:
    """That day, at the hour that the match names or at its end."""
    hour, minute = match["hour"], match["minute"]
    at = (int(hour), int(minute)) if hour is not None else _LAST
    return day.replace(hour=at[0], minute=at[1], second=0, microsecond=0)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_TIMES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], datetime]], ...] = (
    (_pattern(rf"\b(?:within|in)(?: the next)? {_SPAN}"), _after),
    (_pattern(rf"{_BY}(?P<date>\d{{4}}-\d{{2}}-\d{{2}}){_AT}"), _date),
    (_pattern(rf"\b(?:by |until |before )?tomorrow(?: (?:morning|noon|evening))?{_AT}"), _tomorrow),
    (_pattern(rf"{_BY}(?:next )?(?P<weekday>{'|'.join(_WEEKDAYS)})\b{_AT}"), _weekday),
    (_pattern(rf"{_BY}{_CLOCK}"), _hour),
    (_pattern(rf"\b(?:today|tonight|end of (?:the )?day){_AT}"), _today),
)
