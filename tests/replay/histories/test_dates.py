from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.histories.dates import parse_date

NOW = datetime(2024, 3, 31, 15, 30, tzinfo=UTC).timestamp()


@pytest.fixture(autouse=True)
def two_hours_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "XYZ-2")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def utc(text: str) -> float:
    return datetime.fromisoformat(text + "+00:00").timestamp()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-01", "2024-02-29T22:00:00"),
        ("20240301", "2024-02-29T22:00:00"),
        (" 2024-03-01 12:00 ", "2024-03-01T10:00:00"),
        ("2024-03-01T12:00:05", "2024-03-01T10:00:05"),
        ("2024-03-01t12:00z", "2024-03-01T12:00:00"),
        ("2024-03-01T12:00-05:00", "2024-03-01T17:00:00"),
        ("today", "2024-03-30T22:00:00"),
        ("Yesterday", "2024-03-29T22:00:00"),
        ("1 second ago", "2024-03-31T15:29:59"),
        ("90 minutes ago", "2024-03-31T14:00:00"),
        ("2 hours ago", "2024-03-31T13:30:00"),
        ("3 days ago", "2024-03-28T15:30:00"),
        ("2.weeks.ago", "2024-03-17T15:30:00"),
        ("1 month  ago", "2024-02-29T15:30:00"),
        ("3 months ago", "2023-12-31T15:30:00"),
        ("5 Years Ago", "2019-03-31T15:30:00"),
    ],
)
def test_a_date_is_taken_in_the_zone_of_the_machine(text: str, moment: str) -> None:
    assert parse_date(text, NOW, field="since") == utc(moment)


def test_a_day_at_the_end_of_a_range_is_taken_whole() -> None:
    assert parse_date("2024-03-01", NOW, field="until", end=True) == utc("2024-03-01T21:59:59")
    assert parse_date("today", NOW, field="until", end=True) == utc("2024-03-31T21:59:59")
    assert parse_date("2024-03-01T12:00Z", NOW, field="until", end=True) == utc(
        "2024-03-01T12:00:00"
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "garbage", "--output=x", "2024-13-01", "01/02/2024", "2 fortnights ago", "2024"),
        *("-1 days ago", "9999 years ago", "999999 years ago", "9999999 days ago", "0001-01-01"),
    ],
)
def test_what_git_would_read_as_now_is_refused_by_the_name_of_the_field(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_date(text, NOW, field="since")
    assert str(refusal.value) == (
        "since must be an ISO date such as 2024-03-01 or a time such as '2 weeks ago',"
        f" got {text!r}"
    )


@given(st.text() | st.from_regex(r"\d{1,7}[ .](day|week|month|year)s? ago", fullmatch=True))
def test_any_text_is_either_a_moment_or_a_sentence(text: str) -> None:
    with contextlib.suppress(InputError):
        assert abs(parse_date(text, NOW, field="since")) < 1e12
