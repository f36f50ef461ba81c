from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from prefrontal.errors import InputError
from prefrontal.replay.histories.windows import LoggedLine
from prefrontal.replay.presets.presets import parse_preset
from prefrontal.types import SignalEvent, Window


def window(*locations: str, text: str = "subject", **fields: object) -> Window:
    """A window with one event for each location; a leading "-" means that it was deleted."""
    features = {"actor": "a", "text": text}
    events = tuple(
        SignalEvent(
            "filesystem",
            location.removeprefix("-"),
            "deleted" if location.startswith("-") else "modified",
            1.0,
            5.0,
            features,
        )
        for location in locations
    )
    return Window("key", 5.0, events, "a", text, **fields)  # type: ignore[arg-type]


def labelled(preset: str, *windows: Window) -> list[Window]:
    return list(parse_preset(preset).apply(iter(windows)))


def locations(windows: Iterable[Window]) -> list[list[str]]:
    return [[event.location for event in window.events] for window in windows]


@pytest.mark.parametrize(
    "text",
    [
        "path:changelog/**",
        "path:a/*,B*,[,]x,y\\,z",
        "path:a/*,!*.md",
        "message:(?i)fix|bug: x",
        "followup",
        "noop",
        "recorded",
    ],
)
def test_a_preset_is_called_what_the_user_wrote(text: str) -> None:
    assert parse_preset(f" {text} ").name == text


@pytest.mark.parametrize(
    "text",
    ["", "path", "path:", "message:", "Path:x", "followup:9", "noop:", "regex:x", "fix", ":"],
)
def test_an_unknown_preset_is_refused_with_those_there_are(text: str) -> None:
    presets = "path:GLOB, message:REGEX, followup, fixed-later, noop or recorded"
    expected = f"relevant must be {presets}, got "
    with pytest.raises(InputError, match=re.escape(expected + repr(text))):
        parse_preset(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "message:(",
            (
                "message must be a regular expression (missing ), unterminated subpattern at"
                " position 0), got '('"
            ),
        ),
        ("message:a{99999999999999999999}", "message must be a regular expression (the repetition"),
        ("message:x(?i)", "message must be a regular expression (global flags not at the start"),
        ("path:a[b", "path glob must close its bracket, got 'a[b'"),
    ],
)
def test_a_preset_that_cannot_be_compiled_is_refused_with_the_reason(
    text: str, sentence: str
) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        parse_preset(text)


def test_a_regular_expression_that_python_only_frowns_at_is_taken() -> None:
    assert [each.relevant for each in labelled("message:[[a]", window("x", text="["))] == [True]


def test_a_path_is_relevant_when_written_and_hidden_from_the_gate() -> None:
    windows = labelled(
        "path:news/**",
        window("src/a.py", "news/1.bugfix"),
        window("src/a.py"),
        window("news/2.feature"),
        window("-news/1.bugfix", "-news/2.feature", "NEWS.rst"),
        window("-news/3.fix", "news/4.fix", "b"),
    )
    assert locations(windows) == [["src/a.py"], ["src/a.py"], ["NEWS.rst"], ["b"]]
    assert [each.relevant for each in windows] == [True, False, False, True]
    assert all(each.known_at is None for each in windows)


def test_nothing_of_the_hidden_files_is_left_in_a_window() -> None:
    seen, unseen = window("a", "news/1.bugfix"), window("a")
    (first, second) = labelled("path:news/**", seen, unseen)
    assert first.events == second.events
    assert len(seen.events) == 2  # what was handed in stays as it was


def test_a_message_is_relevant_when_it_matches_and_its_text_hidden_from_the_gate() -> None:
    given = [window("a", "b", text="Fix it"), window("a", text="fix"), window("c", text="add")]
    windows = labelled("message:Fix", *given)
    assert [each.relevant for each in windows] == [True, False, False]
    assert [each.text for each in windows] == ["Fix it", "fix", "add"]  # for the report
    assert all(event.features == {"actor": "a"} for each in windows for event in each.events)
    assert windows[0].events[0].features is windows[0].events[1].features
    assert given[0].events[0].features["text"] == "Fix it"


def test_capitals_matter_in_a_message_unless_the_expression_says_otherwise() -> None:
    windows = labelled("message:(?i)fix", window("a", text="FIX"), window("a", text="add"))
    assert [each.relevant for each in windows] == [True, False]


def test_a_text_that_a_single_event_carries_is_hidden_as_well() -> None:
    own = SignalEvent("mail", "inbox", "created", 0.5, 6.0, {"text": "fix", "size_bytes": 3})
    (seen,) = labelled("message:fix", Window("key", 5.0, (own,), "", "x"))
    assert seen.events == (SignalEvent("mail", "inbox", "created", 0.5, 6.0, {"size_bytes": 3}),)


@pytest.mark.parametrize(
    ("reply", "relevant"),
    [
        ("", False),
        (" \n", False),
        ("HEARTBEAT_OK", False),
        ("**heartbeat_ok**\n", False),
        ("`NO_REPLY`.", False),
        ("noop", False),
        ("HEARTBEAT_OK but the disk is full", True),
        ("ok", True),
    ],
)
def test_a_reply_that_says_nothing_makes_a_wake_up_irrelevant(reply: str, relevant: bool) -> None:
    line = LoggedLine("log:1", 5.0, window("a").events, "a", "subject", None, None, reply)
    (seen,) = labelled("noop", line)
    assert (seen.relevant, type(seen), seen.events) == (relevant, Window, line.events)


def test_a_line_without_a_reply_cannot_be_judged_by_it() -> None:
    with pytest.raises(InputError, match="key: reply must be there for noop, got nothing"):
        labelled("noop", window("a"))


def test_recorded_labels_are_taken_as_they_are_and_must_be_there() -> None:
    yes, no = window("a", relevant=True, known_at=9.0), window("a", relevant=False)
    assert labelled("recorded", yes, no) == [yes, no]
    with pytest.raises(InputError, match="key: relevant must be true, false or the name of an"):
        labelled("recorded", window("a"))


@pytest.mark.parametrize("preset", ["path:x", "message:x", "followup", "noop", "recorded"])
def test_a_preset_reads_one_window_at_a_time_and_none_of_none(preset: str) -> None:
    assert labelled(preset) == []
    windows = parse_preset(preset).apply(iter(()))
    assert iter(windows) is windows


def test_several_globs_are_one_preset() -> None:
    windows = (
        window("src/x.py", "changelog/1.rst"),
        window("src/x.py", "CHANGES.md", "HISTORY.rst"),
        window("CHANGES.md", "changelog/2.rst"),
        window("src/x.py"),
        window("src/x.py", "a,b.txt"),
    )
    seen = labelled(r"path:changelog/**, CHANGES*,HISTORY*,a\,b.txt", *windows)
    assert [each.relevant for each in seen] == [True, True, False, True]
    assert locations(seen) == [["src/x.py"]] * 4


def test_edits_of_one_glob_beside_deletions_of_another_collect_entries() -> None:
    collects = window("src/v.py", "CHANGES.md", "-changelog/1.rst")
    assert [each.relevant for each in labelled("path:changelog/**,CHANGES*", collects)] == [False]
    assert [each.relevant for each in labelled("path:CHANGES*", collects)] == [True]
    replaces = window("src/v.py", "changelog/2.rst", "-changelog/1.rst")
    assert [each.relevant for each in labelled("path:changelog/**,CHANGES*", replaces)] == [True]


def test_an_exception_is_hidden_and_does_not_matter() -> None:
    windows = (
        window("src/x.py", "news/1.trivial.rst"),
        window("src/x.py", "news/1.trivial.rst", "news/2.fix.rst"),
        window("news/1.trivial.rst"),
        window("src/x.py", "other.trivial"),
    )
    seen = labelled("path:news/**,!*.trivial*", *windows)
    assert [each.relevant for each in seen] == [False, True, False]
    assert locations(seen) == [["src/x.py"], ["src/x.py"], ["src/x.py", "other.trivial"]]
    with pytest.raises(InputError, match=r"^path must name a glob besides the exceptions, got '!a"):
        parse_preset("path:!a,!b")


@pytest.mark.parametrize("text", ["path:a,", "path:,a", "path:a,,b", "path:a,[b"])
def test_a_glob_that_is_missing_or_malformed_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^path glob must "):
        parse_preset(text)
