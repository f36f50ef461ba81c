"""Figures are worded with care, and no text from a history keeps signs that steer."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.replay.wording import (
    axis_moments,
    headline_sentence,
    level,
    moment,
    paths_words,
    percent,
    preset_words,
    printable,
    promise_sentence,
    rate,
    short_key,
    source_names,
    than_heartbeat,
    than_on_change,
    times,
    tokens,
)

from .sample_results import HOSTILE, empty_result, nothing_relevant, sample_result, tiny_result


@pytest.mark.parametrize(
    ("share", "digits", "words"),
    [(0.9, 0, "90 %"), (0.897, 1, "89.7 %"), (0.9996, 0, "99.96 %"), (1.0, 0, "100 %"),
     (0.0, 1, "0.0 %"), (0.0004, 1, "0.04 %"), (1e-9, 0, "under 0.001 %"),
     (1 - 1e-9, 0, "over 99.999 %"), (None, 0, "–")],
)  # fmt: skip
def test_a_share_is_never_rounded_to_all_or_nothing(
    share: float | None, digits: int, words: str
) -> None:
    assert percent(share, digits) == words


@pytest.mark.parametrize(
    ("per_day", "words"),
    [(0, "0"), (0.0001, "under 0.001"), (0.0034, "0.0034"), (0.52, "0.52"), (1.06, "1.06"),
     (12.5, "12.5"), (12.01, "12"), (48.0, "48"), (250.4, "250"), (1440.0, "1,440"), (None, "–")],
)  # fmt: skip
def test_a_rate_keeps_two_or_three_figures(per_day: float | None, words: str) -> None:
    assert rate(per_day) == words


def test_ties_are_rounded_away_from_zero_as_the_report_does() -> None:
    assert (rate(0.125), percent(0.125), times(12.5), tokens(100_500)) == (
        "0.13", "13 %", "13×", "101,000",
    )  # fmt: skip
    assert tokens(1e30) == f"{1e30:,.0f}"


def test_factors_savings_and_tokens_are_worded() -> None:
    assert [times(each) for each in (1.44, 9.97, 93.4, 1240.0, None)] == [
        "1.4×", "10×", "93×", "1,240×", "–",
    ]  # fmt: skip
    assert than_heartbeat(93.2) == "93× fewer"
    assert than_heartbeat(0.5) == "2.0× more"
    assert than_heartbeat(None) == "–"
    assert than_on_change(0.49) == "49 % fewer"
    assert than_on_change(-0.06) == "6 % more"
    assert than_on_change(None) == "–"
    assert tokens(178_432) == "178,000"
    assert tokens(None) == "–"
    assert (level(0.9), level(0.925), level(1.0)) == ("90 %", "92.5 %", "100 %")


def test_the_headline_says_wakes_recall_savings_and_price() -> None:
    assert headline_sentence(sample_result()) == (
        "0.57 wake-ups a day caught 89 % of what mattered: 84× fewer than a 30-minute heartbeat, "
        "48 % fewer than waking on every change; 202,000 tokens per useful wake-up."
    )


def test_the_headline_says_so_when_nothing_was_relevant_or_left() -> None:
    assert headline_sentence(nothing_relevant()).startswith("Nothing in 90 windows was relevant")
    assert headline_sentence(empty_result()) == (
        "No windows were left after the warm-up, so nothing was measured."
    )


def test_the_promise_gives_what_was_asked_what_came_and_the_interval() -> None:
    result = sample_result()
    assert promise_sentence(result).startswith(
        "Asked to catch 0.90, got 0.892 (90 % interval 0.871 to "
    )
    assert promise_sentence(result).endswith(result.promise)
    assert promise_sentence(tiny_result()).startswith("Asked to catch 0.90, got 1.000. ")
    assert promise_sentence(nothing_relevant()).startswith("Asked to catch 0.90. No relevant")


@pytest.mark.parametrize(
    ("preset", "words"),
    [("path:docs/*", "it touched docs/*"), ("message:^fix: ", "its message matches ^fix:"),
     ("followup", "a later commit reverted or fixed it"),
     ("noop", "the agent's own reply was not empty"), ("recorded", "its record says so"),
     ("label", "its label said so (label)")],
)  # fmt: skip
def test_a_preset_ends_the_sentence_a_window_matters_when(preset: str, words: str) -> None:
    assert preset_words(preset) == words


@given(st.text())
def test_no_printed_text_holds_a_sign_that_steers(text: str) -> None:
    shown = printable(text)
    assert not {unicodedata.category(sign) for sign in shown} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert shown.encode("utf-8").decode() == shown


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert printable("one two three", 9) == "one two…"
    assert printable("one", 3) == "one"
    assert "\x1b" not in printable(HOSTILE)


def test_a_moment_is_utc_and_no_time_is_too_far_to_show() -> None:
    assert moment(0) == "1970-01-01 00:00"
    assert moment(1e300) == "1e+300 s"


def test_an_axis_tells_days_or_the_time_of_day_by_what_it_spans() -> None:
    base = tiny_result().strip[0]
    near = [replace(base, time=each * 3600.0) for each in range(3)]
    far = [replace(base, time=each * 86_400.0) for each in range(3)]
    assert axis_moments(near) == ["00:00", "01:00", "02:00"]
    assert axis_moments(far) == ["1 Jan 1970", "2 Jan 1970", "3 Jan 1970"]
    assert axis_moments([]) == []


def test_paths_beyond_those_shown_are_counted() -> None:
    assert paths_words(("a.py", "b.py"), 1200) == "a.py, b.py and 1,200 more"
    assert paths_words((), 0) == ""


@pytest.mark.parametrize(
    ("key", "shown"),
    [("0123456789abcdef0123456789abcdef01234567", "0123456789"),
     ("/logs/run.jsonl:17", "run.jsonl:17"), ("x" * 50, "x" * 39 + "…"), ("", "")],
)  # fmt: skip
def test_a_window_is_looked_up_by_hash_or_by_line(key: str, shown: str) -> None:
    assert short_key(key) == shown


def test_a_source_is_named_by_its_last_part_and_twins_are_numbered() -> None:
    base = tiny_result()
    places = ("/home/someone/src/pytest", "/x/pytest/", r"C:\work\pip", "log.jsonl", "/")
    names = source_names([replace(base, source=place) for place in places])
    assert names == ["pytest", "pytest (2)", "pip", "log.jsonl", "history"]
