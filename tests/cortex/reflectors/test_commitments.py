"""Promises are found by their time and their first person, and by nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.reflectors.commitments import promises
from prefrontal.cortex.triggers.triggers import commitment_key

FRIDAY = datetime(2026, 2, 27, 14, 30, tzinfo=UTC)


def due_of(text: str) -> list[str]:
    found = promises(text, FRIDAY.timestamp())
    return [datetime.fromtimestamp(each.due, UTC).strftime("%Y-%m-%d %H:%M") for each in found]


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("I'll send my portion within 4 hours.", "2026-02-27 18:30"),
        ("I’ll do it in 90 minutes", "2026-02-27 16:00"),
        ("We will deliver by tomorrow 10:00", "2026-02-28 10:00"),
        ("I will have it until 2026-03-01.", "2026-03-01 23:59"),
        ("My portion comes by 2026-03-01T08:00", "2026-03-01 08:00"),
        ("Sending the rest in two days!", "2026-03-01 14:30"),
        ("I'll be back by 10:00", "2026-02-28 10:00"),
        ("I'll be back by 16:00", "2026-02-27 16:00"),
        ("I will pay by Friday", "2026-02-27 23:59"),
        ("I will pay by friday at 9:15", "2026-03-06 09:15"),
        ("I will pay by monday", "2026-03-02 23:59"),
        ("You'll have it by end of day", "2026-02-27 23:59"),
        ("I can do it within an hour", "2026-02-27 15:30"),
    ],
)
def test_a_promise_has_the_time_it_names(said: str, due: str) -> None:
    assert due_of(said) == [due]


@pytest.mark.parametrize(
    "said",
    [
        "Can you send it by tomorrow 10:00?",
        "Will it do if I can send it by tomorrow 10:00?",
        "Please answer within 4 hours",
        "I will need it by tomorrow",
        "Do it so I can present it by tomorrow",
        "I'll do it soon",
        "I promise it by 2026-02-31",
        "I will do it by 2026-02-01",
        "I will do it within 9999 weeks",
        "",
    ],
)
def test_a_question_a_wish_or_an_impossible_time_is_no_promise(said: str) -> None:
    assert due_of(said) == []


def test_two_promises_in_one_message_are_both_found() -> None:
    assert due_of("I'll send a draft within 2 hours. I will send the rest by tomorrow 9:00.") == [
        "2026-02-27 16:30",
        "2026-02-28 09:00",
    ]


def test_the_same_promise_has_the_same_key_and_another_time_another() -> None:
    assert commitment_key("a", "x", 10.0) == commitment_key("a", "x", 10.2)
    assert commitment_key("a", "x", 10.0) != commitment_key("a", "x", 99.0)
    assert commitment_key("a", "x", 10.0) != commitment_key("b", "x", 10.0)


@settings(deadline=None)
@given(st.text(max_size=300), st.floats(0, 4e9))
def test_whatever_is_written_what_is_found_lies_ahead_and_is_one_line(said: str, at: float) -> None:
    for each in promises(said + " I will do it in 3 hours", at):
        assert at < each.due <= at + 366 * 86400
        assert "\n" not in each.text and len(each.text) <= 120
