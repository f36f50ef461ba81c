"""An entry in a JSON file of somebody else: put in, taken out, all the rest as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.installation.json_entries import JsonEntries, JsonEntry
from prefrontal.installation.json_text import read_json
from prefrontal.installation.own_part import taken_out

from .json_files import KEYS, LAYOUTS, VALUES, Layout

OURS = {"type": "command", "command": "prefrontal hook"}
PART = JsonEntries(
    "settings.json",
    [
        JsonEntry(("servers",), "prefrontal", {"command": "prefrontal", "args": ["mcp"]}),
        JsonEntry(("events", "Stop"), None, {"hooks": [OURS]}, lambda hook: hook == OURS, "hooks"),
    ],
)
GROUPS = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(st.just({"command": "other"}), max_size=2)}),
    max_size=2,
)
FILES = st.builds(
    lambda others, servers, stop: others | servers | stop,
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.dictionaries(st.just("servers"), st.dictionaries(KEYS, VALUES, max_size=2)),
    st.dictionaries(st.just("events"), st.dictionaries(st.just("Stop"), GROUPS), max_size=1),
)


@given(FILES, LAYOUTS)
def test_what_is_put_in_says_nothing_else_and_goes_to_the_byte(
    document: dict[str, Any], layout: Layout
) -> None:
    before = layout.text(document)
    after = PART.with_own(before)
    expected = json.loads(json.dumps(document))
    expected.setdefault("servers", {})["prefrontal"] = PART.entries[0].value
    expected.setdefault("events", {}).setdefault("Stop", []).append({"hooks": [OURS]})
    assert PART.meaning(after) == expected
    assert not PART.has_own(before) and PART.has_own(after)
    assert taken_out(PART, after, before, after) == before
    assert PART.meaning(PART.without_own(after, before) or "") == document


@given(FILES, LAYOUTS, st.integers(0, 10**6))
def test_what_somebody_changed_meanwhile_stays_to_the_byte(
    document: dict[str, Any], layout: Layout, number: int
) -> None:
    document = {"first": 1, **document, "last": 2}
    before = layout.text(document)
    after = PART.with_own(before)
    edited = [each.replace('"first": 1', f'"first": {number}') for each in (before, after)]
    assume(edited[0] != before)
    if layout.unit:
        assert taken_out(PART, edited[1], before, after) == edited[0]
    else:  # all on one line: the values stay, a space may not
        left = taken_out(PART, edited[1], before, after)
        assert PART.meaning(left or "") == document | {"first": number}


@given(FILES, LAYOUTS, LAYOUTS)
def test_a_file_that_was_laid_out_anew_loses_only_our_part(
    document: dict[str, Any], layout: Layout, other: Layout
) -> None:
    before = layout.text(document)
    after = PART.with_own(before)
    anew = other.text(PART.meaning(after))
    left = taken_out(PART, anew, before, after)
    assert left is not None and PART.meaning(left) == document
    assert not PART.has_own(left)


def test_a_hook_that_others_put_beside_ours_stays() -> None:
    other = {"command": "other"}
    document = {"events": {"Stop": [{"hooks": [OURS, other], "matcher": ""}]}}
    left = PART.without_own(json.dumps(document), None)
    assert json.loads(left or "") == {"events": {"Stop": [{"hooks": [other], "matcher": ""}]}}


def test_a_comment_of_others_stays_where_our_part_was() -> None:
    text = '{\n  // the servers\n  "servers": {\n    "a": 1 // one\n  }\n}\n'
    part = JsonEntries("f", PART.entries[:1])
    after = part.with_own(text)
    assert '"a": 1, // one\n    "prefrontal": {' in after
    later = after.replace("    }\n  }", '    }, // ours\n    "z": 2 // after\n  }')
    left = part.without_own(later, None)
    assert left == (
        '{\n  // the servers\n  "servers": {\n    "a": 1, // one // ours\n'
        '    "z": 2 // after\n  }\n}\n'
    )


def test_an_entry_takes_the_layout_of_what_stands_beside_it() -> None:
    part = JsonEntries("f", PART.entries[:1])
    assert part.with_own('{"servers": {"a": 1}}') == (
        '{"servers": {"a": 1, "prefrontal": {"command": "prefrontal", "args": ["mcp"]}}}'
    )
    assert part.with_own('{\r\n\t"servers": {\r\n\t\t"a": 1\r\n\t}\r\n}') == (
        '{\r\n\t"servers": {\r\n\t\t"a": 1,\r\n\t\t"prefrontal": {'
        '\r\n\t\t\t"command": "prefrontal",'
        '\r\n\t\t\t"args": [\r\n\t\t\t\t"mcp"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}'
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "with a key in line 1, got the end of the file"),
        ('{"a" 1}', "with a colon behind a key in line 1, got '1}'"),
        ('{"a": 1\n "b": 2}', "with a comma or '}' in line 2, got '\"b\": 2}'"),
        ('{"a": "x}', "with the end of a string in line 1"),
        ("{} {}", "with its end in line 1, got '{}'"),
        ('{"a": nul}', "with a value in line 1, got 'nul}'"),
        ("// only a comment", "with a value in line 1, got the end of the file"),
        ("[" * 500, "with at most 200 levels in line 1"),
        ('{"a": "\\x"}', "with a string in line 1"),
    ],
)
def test_what_is_no_json_is_refused_in_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(InputError, match="settings.json must be JSON") as caught:
        PART.with_own(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "an object at it to be extended, got []"),
        ('{"servers": 3}', "an object at servers to be extended, got 3"),
        ('{"events": {"Stop": {}}}', "a list at events.Stop to be extended, got {}"),
    ],
)
def test_a_place_that_holds_something_else_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        PART.with_own(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{unquoted: 'it''s'}", None),
        (
            "{unquoted: 'it\\'s \"so\"', n: +0x1F, i: Infinity,}",
            ['it\'s "so"', "+0x1F", "Infinity"],
        ),
        ('\ufeff{"a": 1e5}', [1e5]),
        ("", []),
        (" \n", []),
        ('{"a": 1, "a": 2}', [2]),
    ],
)
def test_json5_is_read(text: str, value: list[Any] | None) -> None:
    if value is None:
        with pytest.raises(InputError):
            read_json(text, "f")
    else:
        assert list(read_json(text, "f").value.values()) == value
