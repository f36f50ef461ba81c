"""Figures are worded with care, and no text from a history keeps signs that steer."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.replay.presets.kinds import REPAIRS
from prefrontal.replay.report.wording import (
    axis_moments,
    days_words,
    facts_sentence,
    level,
    moment,
    paths_words,
    percent,
    preset_words,
    printable,
    promise_sentence,
    rate,
    rule_sentence,
    short_key,
    shown_policies,
    source_names,
    spared_words,
    than_heartbeat,
    than_on_change,
    times,
    tokens,
)

from ..sample_results import HOSTILE, empty_result, nothing_relevant, sample_result, tiny_result


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


def test_the_promise_gives_what_was_asked_what_came_and_the_interval() -> None:
    result = sample_result()
    words = promise_sentence(result)
    assert words.startswith("Asked to catch 90 %, caught 89.2 % (90 % interval 87.1 % to 91.1 %). ")
    assert words.endswith(result.promise)
    assert promise_sentence(tiny_result()).startswith("Asked to catch 90 %, caught 100.0 %. ")
    assert promise_sentence(nothing_relevant()).startswith("Asked to catch 90 %. No relevant")


def test_policies_stand_in_the_order_of_what_a_person_compares() -> None:
    names = [each.name for each in shown_policies(sample_result())]
    assert names == [*("prefrontal", "on_change", "heartbeat", "cheap_heartbeat", "rule", "random")]


def test_the_base_rate_is_called_so_and_is_no_rule_of_its_own() -> None:
    base = sample_result()
    assert rule_sentence(base).startswith("The one-line rule: path src/**/*.py or text")
    policies = tuple(
        replace(each, detail="**") if each.name == "rule" else each for each in base.policies
    )
    result = replace(base, policies=policies)
    assert rule_sentence(result) == "No one-line rule beats chance here."
    assert "rule" not in [each.name for each in shown_policies(result)]
    assert rule_sentence(replace(base, policies=())) == ""


def test_what_is_spared_or_woken_more_fits_a_table() -> None:
    words = [spared_words(each) for each in (0.61, 0.0, -0.06, -1.0, -38.2, None)]
    assert words == ["61 %", "0 %", "6 % more", "2.0× as many", "39× as many", "–"]


def test_a_length_of_time_is_days_or_hours() -> None:
    assert [days_words(each) for each in (2595.4, 2.0, 1.99, 0.1, 0.04, 0.0)] == [
        "2,595 days", "2 days", "48 hours", "2 hours", "less than 2 hours", "less than 2 hours",
    ]  # fmt: skip


def test_the_facts_say_what_mattered_only_where_something_did() -> None:
    assert facts_sentence(sample_result()) == (
        "3,183 windows over 2,500 days, after 795 to warm up. 802 (25 %) mattered: "
        "a window matters when it touched changelog/*.rst."
    )
    assert facts_sentence(nothing_relevant()).endswith("after 22 to warm up.")
    assert facts_sentence(empty_result()) == "all 22 windows went into the warm-up."
    one = replace(empty_result(), warmup=1)
    assert facts_sentence(one) == "the one window went into the warm-up."
    nothing = replace(empty_result(), warmup=0)
    assert facts_sentence(nothing) == (
        "0 windows; in a repository, a commit that changes files is one."
    )
    for origin, what in (("events", "line of the file"), ("sessions", "answered turn")):
        assert what in facts_sentence(replace(nothing, origin=origin))


@pytest.mark.parametrize(
    ("preset", "words"),
    [("path:docs/*", "it touched docs/*"), ("message:^fix: ", "its message matches ^fix:"),
     ("followup", "a later commit reverted or fixed it"),
     ("noop", "the agent's own reply was not empty"), ("recorded", "its record says so"),
     ("path:news/**,NEWS*,!*.trivial*", "it touched news/** or NEWS*, but not *.trivial*"),
     (f"message:{REPAIRS}",
      "its message speaks of a fix, bug, regression, crash, security or a revert"),
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
