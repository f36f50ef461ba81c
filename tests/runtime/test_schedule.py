"""Cron expressions, intervals and quiet hours, and what clocks may do to them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.runtime.schedule import (
    Calendar,
    Interval,
    Timetable,
    local_time,
    parse_quiet_hours,
    parse_schedule,
)

HOUR, DAY = 3600.0, 86400.0


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Central Europe by rule, whatever the machine's own zone."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def unix(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def calendar(text: str) -> Calendar:
    schedule = parse_schedule(text)
    assert isinstance(schedule, Calendar)
    return schedule


@pytest.mark.parametrize(
    ("text", "seconds"), [("15m", 900), ("1h", 3600), ("90s", 90), ("2 d", 172800), (" 5M ", 300)]
)
def test_an_interval_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_schedule(text) == Interval(seconds)


@pytest.mark.parametrize(
    ("expression", "until", "latest"),
    [
        ("*/15 * * * *", "2026-03-04T10:29:59", "2026-03-04T10:15:00"),
        ("0 9 * * mon-fri", "2026-03-08T12:00:00", "2026-03-06T09:00:00"),
        ("30 6,18 * * *", "2026-03-04T06:29:00", "2026-03-03T18:30:00"),
        ("0 0 1 jan *", "2026-03-04T10:00:00", "2026-01-01T00:00:00"),
        ("5-20/5 8 * * 0", "2026-03-08T08:16:00", "2026-03-08T08:15:00"),
        ("0 12 * * 7", "2026-03-08T12:00:00", "2026-03-08T12:00:00"),
        ("0 12 13 * fri", "2026-03-12T12:00:00", "2026-03-06T12:00:00"),
        ("0 12 13 * fri", "2026-05-14T11:00:00", "2026-05-13T12:00:00"),
        ("0 0 31 * *", "2026-05-02T00:00:00", "2026-03-31T00:00:00"),
        ("50/3 4 * * *", "2026-03-04T05:00:00", "2026-03-04T04:59:00"),
    ],
)
def test_five_fields_are_read_as_cron_reads_them(expression: str, until: str, latest: str) -> None:
    assert calendar(expression).latest(at("2025-06-01T00:00:00"), at(until)) == at(latest)


def test_a_minute_belongs_to_the_time_up_to_it() -> None:
    nine = calendar("0 9 * * *")
    assert nine.latest(at("2026-03-04T08:59:30"), at("2026-03-04T09:00:00")) is not None
    assert nine.latest(at("2026-03-04T09:00:00"), at("2026-03-04T09:00:30")) is None
    assert (
        calendar("0 0 30 2 *").latest(at("2025-03-04T09:00:00"), at("2026-03-04T09:00:00")) is None
    )


@given(st.integers(0, 59), st.integers(0, 23), st.integers(0, 6), st.integers(1, 12), st.data())
def test_the_latest_minute_is_the_one_a_slow_search_finds(
    minute: int, hour: int, weekday: int, month: int, data: st.DataObject
) -> None:
    until = at(f"2026-{month:02}-15") + timedelta(minutes=data.draw(st.integers(0, 20_000)))
    after = until - timedelta(minutes=data.draw(st.integers(1, 12_000)))
    moment, found = until.replace(second=0), None
    while moment > after and found is None:
        fits = (moment.minute, moment.hour, moment.isoweekday() % 7) == (minute, hour, weekday)
        found = moment if fits else None
        moment -= timedelta(minutes=1)
    assert calendar(f"{minute} {hour} * * {weekday}").latest(after, until) == found


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "5", "0m", "9s", "1x", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *"),
        *("* * 0 * *", "* * * 13 *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "1,,2 * * * *"),
        *("a * * * *", "- * * * *", "* * * * mo", "١ * * * *", "1-2-3 * * * *", "1//2 * * * *"),
        *(None, 900, ["15m"]),
    ],
)
def test_what_is_no_schedule_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"^(be|have) .*, got "):
        parse_schedule(text)


def test_an_interval_is_due_after_it_and_not_at_the_start() -> None:
    timetable = Timetable(Interval(900), 0.0, 50.0)
    assert [timetable.due(0.0, now) for now in (50, 949, 950, 951, 1849, 1850)] == [
        *(False, False, True, False, False, True)
    ]


def test_a_long_pause_makes_an_interval_due_once() -> None:
    timetable = Timetable(Interval(900), 0.0, 0.0)
    assert timetable.due(0.0, 90_000.0)
    assert not timetable.due(0.0, 90_899.0)
    assert timetable.due(0.0, 90_900.0)


def test_a_wall_clock_that_jumps_is_nothing_to_an_interval() -> None:
    timetable = Timetable(Interval(900), 0.0, 0.0)
    assert not timetable.due(1e9, 899.0)
    assert timetable.due(-1e9, 900.0)


@pytest.mark.usefixtures("zone")
def test_a_jump_forward_makes_a_minute_due_once() -> None:
    now = unix("2026-03-04T08:30:00")
    timetable = Timetable(calendar("0 * * * *"), now, 0.0)
    assert not timetable.due(now + 60, 60.0)
    assert timetable.due(now + 400 * DAY, 90.0)
    assert not timetable.due(now + 400 * DAY + 30, 120.0)


@pytest.mark.usefixtures("zone")
def test_a_jump_back_neither_starves_nor_repeats_the_minute_that_was_due() -> None:
    now = unix("2026-03-04T09:00:10")
    timetable = Timetable(calendar("0 * * * *"), now - 60, 0.0)
    assert timetable.due(now, 30.0)
    assert not timetable.due(now - 120, 60.0)
    assert not timetable.due(now + 5, 185.0)
    assert timetable.due(now + HOUR, 3785.0)
    assert not timetable.due(now - 3 * DAY - 1800, 3800.0)
    assert timetable.due(now - 3 * DAY, 5600.0)


@pytest.mark.usefixtures("zone")
def test_where_the_clocks_change_a_time_that_comes_twice_is_due_once() -> None:
    half_past_two, every_hour = calendar("30 2 * * *"), calendar("0 * * * *")
    start = unix("2026-10-24T22:00:00")
    for schedule, times in ((half_past_two, 1), (every_hour, 4)):
        timetable = Timetable(schedule, start, 0.0)
        looks = range(30, 5 * 3600 + 1, 30)
        assert sum(timetable.due(start + look, look) for look in looks) == times


@pytest.mark.usefixtures("zone")
def test_where_the_clocks_change_a_time_that_is_left_out_is_not_due() -> None:
    start = unix("2026-03-28T23:00:00")
    for expression, times in (("30 2 * * *", 0), ("0 3 * * *", 1), ("30 3 * * *", 1)):
        timetable = Timetable(calendar(expression), start, 0.0)
        looks = range(30, 5 * 3600 + 1, 30)
        assert sum(timetable.due(start + look, look) for look in looks) == times


@pytest.mark.usefixtures("zone")
def test_the_local_calendar_counts() -> None:
    assert local_time(unix("2026-07-01T12:00:00")) == at("2026-07-01T14:00:00")


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("23:00-07:00", ["23:00", "00:00", "06:59"], ["07:00", "12:00", "22:59"]),
        ("9:30 - 17:00", ["09:30", "16:59"], ["09:29", "17:00", "23:30"]),
    ],
)
def test_quiet_hours_may_reach_over_midnight(
    text: str, inside: list[str], outside: list[str]
) -> None:
    quiet = parse_quiet_hours(text)
    assert all(quiet.holds(at(f"2026-03-04T{moment}:00")) for moment in inside)
    assert not any(quiet.holds(at(f"2026-03-04T{moment}:00")) for moment in outside)


@pytest.mark.parametrize(
    "text", ["", "23-7", "24:00-07:00", "23:00-07:60", "07:00-07:00", "23:00", None, 5, "١:00-2:00"]
)
def test_what_are_no_quiet_hours_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="^be two different times such as 23:00-07:00, got"):
        parse_quiet_hours(text)
