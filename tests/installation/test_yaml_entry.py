"""An entry in a YAML file of somebody else: put in, taken out, all the rest as it was."""

from __future__ import annotations

from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.installation.own_part import taken_out
from prefrontal.installation.yaml_entries import YamlEntry

VALUE = {"command": "/usr/bin/prefrontal", "args": ["mcp", "--config", "C:\\x: #y"]}
PART = YamlEntry("config.yaml", "mcp_servers", "prefrontal", VALUE)
WORDS = st.sampled_from(["a", "b", "time", "x y", "ü", "1", "true", "# no", "- no", "k: v", ""])
LEAVES = st.one_of(WORDS, st.integers(-3, 99), st.none(), st.booleans())
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=5,
)
SERVERS = st.one_of(st.none(), st.dictionaries(WORDS, VALUES, max_size=2))


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A text and what it says: blocks or flow, comments, tabs in them, CRLF, no last newline."""
    pairs = draw(st.lists(st.tuples(WORDS, VALUES), max_size=3, unique_by=lambda pair: pair[0]))
    document: dict[str, Any] = {f"k{key}": value for key, value in pairs}
    if draw(st.booleans()):
        document["mcp_servers"] = draw(SERVERS)
        document |= {"model": "small"}
    flow = draw(st.sampled_from([False, False, None, True]))
    text = yaml.safe_dump(
        document,
        default_flow_style=flow,
        sort_keys=False,
        allow_unicode=True,
        indent=draw(st.sampled_from([2, 4])),
    )
    if flow is not True:
        text = "".join(
            line + draw(st.sampled_from(["", "", "# a note\n", "#\ttabs: {\n", "\n"]))
            for line in text.splitlines(keepends=True)
        )
    if draw(st.booleans()):
        text = f"# settings\n{text}"
    if draw(st.booleans()):
        text = text.rstrip("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text, yaml.safe_load(text) or {}


@given(files())
def test_what_is_put_in_says_nothing_else_and_goes_to_the_byte(
    file: tuple[str, dict[str, Any]],
) -> None:
    before, document = file
    after = PART.with_own(before)
    expected = dict(document)
    expected["mcp_servers"] = (document.get("mcp_servers") or {}) | {"prefrontal": VALUE}
    assert PART.meaning(after) == expected
    assert PART.has_own(after) and not PART.has_own(before)
    assert taken_out(PART, after, before, after) == before


@given(files(), st.integers(100, 10**6))
def test_what_somebody_changed_meanwhile_stays_to_the_byte(
    file: tuple[str, dict[str, Any]], number: int
) -> None:
    before, document = file
    if before.startswith("{") or "\n{" in before:
        return  # one line of flow is tried above
    newline = "\r\n" if "\r\n" in before else "\n"
    before = f"first: 1{newline}{before}"
    after = PART.with_own(before)
    edited = [f"first: {number}{each.removeprefix('first: 1')}" for each in (before, after)]
    assert taken_out(PART, edited[1], before, after) == edited[0]
    alone = PART.without_own(edited[1], None)
    said = PART.meaning(alone or "")
    assert {k: v for k, v in said.items() if v} == {
        k: v for k, v in (document | {"first": number}).items() if v
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "mcp_servers:\n  prefrontal:\n"),
        ("a: 1", "a: 1\nmcp_servers:\n  prefrontal:\n"),
        ("mcp_servers:\n    time:\n        x: 1\nb: 2\n", "        x: 1\n    prefrontal:\n"),
        ("mcp_servers: {}\n", 'mcp_servers: {"prefrontal": {"command":'),
        ("mcp_servers: {a: {b: 1}}\n", 'a: {b: 1}, "prefrontal": {'),
        ("mcp_servers:   # none yet\nb: 2\n", "# none yet\n  prefrontal:\n    command:"),
    ],
)
def test_it_takes_the_layout_of_what_stands_beside_it(before: str, after: str) -> None:
    assert after in PART.with_own(before)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [1\nb: 2", "config.yaml must be YAML in line 2"),
        ("a:\n\t- 1", "config.yaml must be YAML in line 2"),
        ("- 1\n", "must be a mapping that can be extended"),
        ("mcp_servers: 3\n", "must be a mapping that can be extended"),
        ("a: 1\n---\nb: 2\n", "must be YAML"),
        ("base: &b {a: {x: 1}}\nmcp_servers: *b\n", "must be a mapping that can be extended"),
    ],
)
def test_what_cannot_be_extended_is_refused_in_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        PART.with_own(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
