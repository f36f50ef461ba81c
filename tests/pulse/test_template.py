from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.pulse.modules.template import (
    PLACEHOLDERS,
    QUESTION_LIMIT,
    VALUE_LIMIT,
    QuestionTemplate,
)
from prefrontal.types import SignalEvent


def event(**fields: Any) -> SignalEvent:
    given_fields: dict[str, Any] = {
        "source": "filesystem",
        "location": "/home/user/notes/plan.tar.gz",
        "delta_type": "created",
        "magnitude": 1.0,
        "timestamp": 1678123456.0,
        "features": {},
    }
    return SignalEvent(**given_fields | fields)


def render(template: str, *events: SignalEvent, module_id: str = "module") -> str:
    return QuestionTemplate.parse(template).render(events, module_id)


def value_of(name: str, **fields: Any) -> str:
    """What a placeholder becomes for one event."""
    return render(f"{{location}}|{{{name}}}", event(**fields)).rsplit("|", 1)[1]


def refusal(template: str) -> str:
    with pytest.raises(InputError) as caught:
        QuestionTemplate.parse(template)
    return str(caught.value)


def test_every_placeholder_takes_its_value_from_the_last_event() -> None:
    first = event(location="/old", timestamp=0.0)
    last = event(features={"extension": ".gz", "actor": "jane", "text": "plan\nagain"})
    template = "; ".join(f"{name}={{{name}}}" for name in PLACEHOLDERS)
    assert render(template, first, last, module_id="watcher") == (
        "location=/home/user/notes/plan.tar.gz; basename=plan.tar.gz; extension=.gz; "
        "delta_type=created; source=filesystem; time=2023-03-06T17:24Z; "
        "actor=jane; text=plan again; "
        "what=plan.tar.gz and 1 more were created by jane: plan again; count=2; module_id=watcher"
    )


def test_an_empty_window_gives_empty_values_and_a_count_of_0() -> None:
    template = "[{location}{basename}{extension}{time}] {count} {module_id}"
    assert render(template) == "0 module"
    assert QuestionTemplate.parse(template).render([], "module", as_before=True) == "[] 0 module"


def test_doubled_braces_are_literal() -> None:
    assert render("{{x}} {{{location}}}", event(location="/a")) == "{x} {/a}"


@pytest.mark.parametrize("template", ["", "Check it?", "{{location}}", "}}{{location}}{{"])
def test_a_template_without_a_location_is_refused(template: str) -> None:
    assert refusal(template) == f"question_template must contain {{location}}, got {template!r}"


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("{location} {path}", "{path}"),
        ("{location} {}", "{}"),
        ("{location} {0}", "{0}"),
        ("{ location }", "{ location }"),
        ("{Location}", "{Location}"),
        ("{location!r}", "{location!r}"),
        ("{location:>10}", "{location:>10}"),
        ("{location:>100000000000}", "{location:>100000000000}"),
        ("{location.__class__.__mro__}", "{location.__class__.__mro__}"),
        ("{location.format}", "{location.format}"),
        ("{location[0]}", "{location[0]}"),
        ("{location:{count}}", "{location:{count}}"),
        ("{location} {", "{"),
        ("{location} }", "}"),
        ("{location}}", "}"),
        ("{location", "{location"),
        ("{location\n}", "{location\n}"),
    ],
)
def test_anything_else_in_braces_is_refused_by_what_was_found(template: str, found: str) -> None:
    text = refusal(template)
    assert text.startswith("question_template must hold nothing in braces but {location}, ")
    assert text.endswith(f"got {found!r} in {template!r}")
    assert all(f"{{{name}}}" in text for name in PLACEHOLDERS)


def test_a_template_that_is_no_string_is_a_type_error() -> None:
    template: Any = None
    with pytest.raises(TypeError, match=r"^question_template must be a string, got None$"):
        QuestionTemplate.parse(template)


def test_a_template_too_long_to_leave_room_for_its_values_is_refused() -> None:
    literal = "x" * (QUESTION_LIMIT - 32)
    assert len(render(literal + "{location}", event(location="y" * 99))) == QUESTION_LIMIT
    assert "question's 2000 characters" in refusal(literal + "x{location}")
    assert "question's 2000 characters" in refusal("{location}" * 63)


def test_many_placeholders_share_the_room_of_one_question() -> None:
    question = render("{location}" * 20, event(location="z" * 1000))
    assert len(question) == QUESTION_LIMIT


@pytest.mark.parametrize(
    ("location", "basename"),
    [
        ("/home/user/a.txt", "a.txt"),
        ("/home/user/dir/", "dir"),
        ("a.txt", "a.txt"),
        ("tick", "tick"),
        ("/", "/"),
        ("", ""),
        ("C:\\Users\\me\\a.txt", "a.txt"),
        ("C:/Users\\me\\a.txt", "a.txt"),
        ("\\\\server\\share\\dir\\a.txt", "a.txt"),
        ("docs\\a.txt", "a.txt"),
        ("/posix/a\\b.txt", "a\\b.txt"),
        ("https://example.org/x/feed.xml", "feed.xml"),
    ],
)
def test_the_basename_is_the_last_part_of_a_path_of_either_kind(
    location: str, basename: str
) -> None:
    assert value_of("basename", location=location) == basename


@pytest.mark.parametrize(
    ("fields", "extension"),
    [
        ({"features": {"extension": ".PDF"}}, ".PDF"),
        ({"features": {"extension": ""}}, ""),
        ({"features": {}}, ".gz"),
        ({"features": None}, ".gz"),
        ({"features": {"extension": 7}}, ".gz"),
        ({"location": "/home/.bashrc"}, ""),
        ({"location": "C:\\a\\b.Txt"}, ".Txt"),
    ],
)
def test_the_extension_is_the_events_own_or_the_last_suffix(
    fields: dict[str, Any], extension: str
) -> None:
    assert value_of("extension", **fields) == extension


@pytest.mark.parametrize(
    ("timestamp", "minute"),
    [
        (0.0, "1970-01-01T00:00Z"),
        (-1.0, "1969-12-31T23:59Z"),
        (1678123456, "2023-03-06T17:24Z"),
        (-62135596800.0, "0001-01-01T00:00Z"),
        (math.nan, "unknown"),
        (math.inf, "unknown"),
        (-math.inf, "unknown"),
        (1e18, "unknown"),
        (1e300, "unknown"),
        (10**400, "unknown"),
        ("yesterday", "unknown"),
        (None, "unknown"),
    ],
)
def test_the_time_is_a_minute_in_utc_or_unknown(timestamp: Any, minute: str) -> None:
    assert value_of("time", timestamp=timestamp) == minute


@pytest.mark.parametrize("name", ["location", "basename", "delta_type", "source"])
def test_a_field_that_is_no_string_shows_nothing_of_itself(name: str) -> None:
    field = "location" if name == "basename" else name
    for value in (None, 7, object()):
        assert value_of(name, **{field: value}) == ""


def test_every_value_and_the_literal_text_are_cleaned() -> None:
    raw, clean = "a\nb\u202e\udcff", "a b\ufffd"
    assert value_of("location", location=raw) == clean
    assert value_of("basename", location=raw) == clean
    assert value_of("delta_type", delta_type=raw) == clean
    assert value_of("source", source=raw) == clean
    assert value_of("extension", features={"extension": raw}) == clean
    assert render("{location}|{module_id}", event(), module_id=raw).endswith(f"|{clean}")
    assert render(raw + "{location}", event(location="")) == clean


def test_a_long_value_keeps_its_start_and_its_end() -> None:
    location = "/start/" + "d" * 5000 + "/report-final.pdf"
    value = value_of("location", location=location)
    assert len(value) == VALUE_LIMIT
    assert value.startswith("/start/d")
    assert value.endswith("/report-final.pdf")
    assert value.count("…") == 1


def test_a_value_at_the_limit_is_left_alone() -> None:
    location = "/" + "d" * (VALUE_LIMIT - 1)
    assert value_of("location", location=location) == location


HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
INVISIBLE = re.compile("[\u034f\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff]")
nasty = st.sampled_from(
    "\n\r\t\x00\x1b\x85\u061c\u200b\u200e\u202e\u2028\u2029\u2066\ufeff\ufe0f\udcff"
)
any_text = st.text(st.characters() | nasty, max_size=600)
placeholders = st.sampled_from([f"{{{name}}}" for name in PLACEHOLDERS])
escaped_text = any_text.map(lambda text: text.replace("{", "{{").replace("}", "}}"))
good_templates = st.lists(placeholders | escaped_text, max_size=6).map(
    lambda parts: "".join([*parts, "{location}"])
)
any_template = st.lists(
    placeholders | any_text | st.sampled_from(["{", "}", "{{", "}}", ".", ":>9"]), max_size=8
).map("".join)


@given(good_templates | any_template, any_text, any_text, st.floats() | st.integers())
@example("{location}\u202e", "\n\u2028\ud800", "\U000e0041", math.nan)
@settings(deadline=None, max_examples=400)
def test_any_template_is_refused_or_asks_one_short_visible_line(
    template: str, location: str, other: str, timestamp: float
) -> None:
    try:
        parsed = QuestionTemplate.parse(template)
    except InputError:
        return
    strange = event(location=location, source=other, delta_type=other, timestamp=timestamp)
    strange.features = {"extension": other}
    question = parsed.render([strange], other)
    assert len(question) <= QUESTION_LIMIT
    assert {unicodedata.category(character) for character in question}.isdisjoint(HIDDEN)
    assert not INVISIBLE.search(question)


@given(st.text(st.characters(exclude_characters="{}"), max_size=100), any_text)
@settings(deadline=None)
def test_a_value_is_never_read_as_a_template(literal: str, location: str) -> None:
    braces = location + "{location}{count}{{}}"
    question = render(literal + "{location}", event(location=braces))
    assert question.endswith("{location}{count}{{}}")


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ({"location": "/in/a.txt"}, "a.txt was created in in"),
        ({"location": "/in/a.txt", "delta_type": "modified"}, "a.txt was changed in in"),
        ({"location": "/in/a.txt", "delta_type": "deleted"}, "a.txt was deleted in in"),
        ({"location": "/in/b", "features": {"old_location": "/in/a"}}, "a was renamed to b in in"),
        ({"location": "/out/a", "features": {"old_location": "/in/a"}},
         "a was moved from in to out"),
        ({"location": "/out/b", "features": {"old_location": "/in/a"}},
         "a was moved from in to out, as b"),
        ({"location": "/src/a.py", "delta_type": "modified", "source": "git",
          "features": {"actor": "Ada", "text": "Fix the parser"}},
         "a.py was changed in src by Ada: Fix the parser"),
        ({"location": "inbox", "delta_type": "arrived"}, "inbox: arrived"),
        ({"location": "inbox", "delta_type": ""}, "inbox"),
        ({"location": "", "delta_type": ""}, ""),
    ],
)  # fmt: skip
def test_what_happened_is_told_as_far_as_the_event_says(what: dict[str, Any], told: str) -> None:
    assert render("{what}|{location}", event(**what)).split("|")[0] == told


@pytest.mark.parametrize(
    ("kinds", "places", "what"),
    [
        (
            ["modified"] * 3,
            ["/r/src/a", "/r/src/b", "/r/src/c"],
            "c and 2 more were changed in src",
        ),
        (["created"] * 2, ["/r/src/a", "/r/doc/b"], "b and 1 more were created"),
        (["created", "deleted"], ["/r/src/a", "/r/src/b"], "b and 1 more were changed in src"),
        (["modified"] * 2, ["/r/src/a", "/r/src/a"], "a was changed in src"),
    ],
)
def test_of_a_window_of_several_files_the_last_is_named_and_the_others_are_counted(
    kinds: list[str], places: list[str], what: str
) -> None:
    shared = {"actor": "Ada", "text": "Fix the parser"}
    window = [
        event(location=place, delta_type=kind, features=shared)
        for kind, place in zip(kinds, places, strict=True)
    ]
    assert render("{what}|{location}", *window).split("|")[0] == f"{what} by Ada: Fix the parser"
    parsed = QuestionTemplate.parse("{what}|{location}")
    assert " more " not in parsed.render(window, "module", as_before=True)


def test_a_refusal_of_what_escapes_make_long_is_short() -> None:
    with pytest.raises(InputError) as refusal:
        QuestionTemplate.parse("{" + "\udc80" * 300 + "} at {location}" + "\udc81" * 300)
    assert len(str(refusal.value)) <= 500
