"""What a tool returns is not trusted: bounded, cleaned, and judged by one small table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.executive import Status
from prefrontal.executive.results import TEXT_LIMIT, cleaned, in_short, in_words, is_nothing, judged


@pytest.mark.parametrize(
    ("status", "by_machine", "useful", "accepted"),
    [
        (Status.DONE, False, True, True),
        (Status.NOTHING, False, False, None),
        (Status.INVALID, False, None, False),
        (Status.FAILED, False, None, False),
        (Status.FAILED, True, None, None),
        (Status.ASKED, False, None, None),
        (Status.DEFERRED, False, None, None),
    ],
)
def test_what_an_act_says_of_the_wake_and_of_the_choice(
    status: Status, by_machine: bool, useful: bool | None, accepted: bool | None
) -> None:
    assert judged(status, by_machine=by_machine) == (useful, accepted)


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        0.0,
        "",
        " \n",
        [],
        {},
        {"a": [], "b": 0},
        {"findings": [], "files": 12},
        {"count": 0, "files": 12},
        {"summary": " ", "findings": []},
        {"findings": {}, "count": 3},
    ],
)
def test_what_is_empty_is_nothing(value: Any) -> None:
    assert is_nothing(value)


@pytest.mark.parametrize(
    "value",
    [
        False,
        True,
        1,
        -0.5,
        "x",
        [0],
        [""],
        {"a": 1},
        {"findings": ["x"], "a": 0},
        {"problems": 1},
        {"summary": "x", "findings": []},
    ],
)
def test_what_says_something_is_not_nothing(value: Any) -> None:
    assert not is_nothing(value)


def test_secrets_are_taken_out_also_where_only_the_name_tells_them() -> None:
    value = {
        "token ghp_" + "a" * 30: "x",
        "line": "password: hunter2hunter2",
        "api_key": "0123456789abcdef",
        "secret": ["abcdefghij"],
        "words": "nothing to hide",
    }
    told = json.dumps(cleaned(value))
    for secret in ("ghp_aaa", "hunter2", "0123456789abcdef", "abcdefghij"):
        assert secret not in told
    assert "nothing to hide" in told


def test_a_secret_is_found_before_the_text_is_cut() -> None:
    text = "x" * 150 + " ghp_" + "a" * 30 + "b" * 5000
    assert "ghp_" not in json.dumps(cleaned(text, 1000))


def test_hidden_characters_are_dropped_and_lines_stay_lines() -> None:
    assert cleaned("a\x1b[31mb\u202ec\r\nd\x00e") == "a[31mbc\nde"
    assert cleaned({"k\u200bey\n": 1}) == {"key ": 1}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(), inner, max_size=8),
    max_leaves=30,
)


@settings(deadline=None, max_examples=80)
@given(JSON, st.integers(100, 800))
def test_whatever_came_it_is_kept_in_so_many_bytes_and_the_same_each_time(
    value: Any, most: int
) -> None:
    kept = cleaned(value, most)
    assert len(json.dumps(kept)) <= most
    assert kept == cleaned(value, most)


def test_what_has_room_is_kept_whole() -> None:
    value = {"findings": [{"file": "a.py", "line": 3}, None, True, 1.5, "two\nlines"], "n": 2**60}
    assert cleaned(value) == value


def test_the_beginning_is_kept_where_there_is_no_room() -> None:
    kept = cleaned([f"finding {number}" for number in range(1000)], 500)
    assert kept[:2] == ["finding 0", "finding 1"] and kept[-1] == "…"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"summary": "3 files\nchanged", "files": 3}, "3 files changed"),
        ({"summary": " ", "files": 3}, '{"summary": " ", "files": 3}'),
        (["a.py:3"], "a.py:3"),
        (["a.py:3", "b"], "2 findings: a.py:3; b"),
        ({"findings": ["x", "y"], "passed": 3}, "2 findings: x; y"),
        ([1, "x"], '[1, "x"]'),
        ("plain", "plain"),
        (7, "7"),
    ],
)
def test_a_value_is_told_on_one_line(value: Any, words: str) -> None:
    assert in_words(value) == words
    assert len(in_words([words] * 500)) <= TEXT_LIMIT


def test_what_is_said_of_a_tool_is_cleaned_and_short() -> None:
    told = in_short("ValueError: token=abcdefghijkl\x1b[0m " + "x" * 999)
    assert "abcdefghijkl" not in told and "\x1b" not in told and len(told) == TEXT_LIMIT
