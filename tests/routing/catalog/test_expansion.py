"""Phrasings that a model suggests: which count, and how the manifest keeps them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.catalog.expansion import (
    LONGEST,
    MOST_PHRASINGS,
    expanded_manifest,
    expansion_prompt,
    phrasings_in,
)
from prefrontal.routing.catalog.mcp_tools import import_mcp
from prefrontal.routing.layout import Layout
from prefrontal.routing.types import Tool

from ..project import layout_of, write

SOURCE = '''"""Count how often each word occurs."""


def run(text: str, most: int = 10) -> int:
    """Count."""
    return len(text) + most
'''
MANIFEST = """\
- name: count_words
  intents: [tally the words]
  args: [{name: text, type: str}, {name: most, type: int, default: 10}]
  returns: [counts]
  hints: {domain: text, action: count, anti_intents: [lines]}
  side_effects: none
  example: {text: to be}
  files: ["*.txt"]
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


@pytest.fixture
def one(layout: Layout) -> Tool:
    folder = layout.action("text", "count")
    write(folder / "count_words.py", SOURCE)
    write(folder / "tool.yaml", MANIFEST)
    return only(layout)


def only(layout: Layout) -> Tool:
    discovery = discover_all(layout)
    assert not discovery.findings
    [tool] = discovery.tools
    return tool


def test_the_model_sees_name_arguments_and_doc(one: Tool) -> None:
    prompt = expansion_prompt(one)
    assert "count_words(text, most)\nCount how often each word occurs." in prompt
    assert f"Write {MOST_PHRASINGS} short requests" in prompt


def test_only_new_phrasings_count(one: Tool) -> None:
    reply = (
        "```\n1. how common is each term\n- Tallying the words!\n* 'which terms repeat'\n\n"
        f"How common is each term?\ncount words\n<b>\n\x1b[31mred\n...\n{'x ' * LONGEST}\n```\n"
    )
    assert phrasings_in(reply, one) == ("how common is each term", "which terms repeat")
    many = "\n".join(f"phrasing number{n}" for n in range(30))
    assert len(phrasings_in(many, one)) == MOST_PHRASINGS
    assert phrasings_in("", one) == ()


def test_what_a_model_says_around_its_list_is_no_phrasing(one: Tool) -> None:
    reply = (
        "Here are ten requests:\n\n1. **how common is each term**\n2) `which terms repeat`\n\n"
        "Let me know if you want more!\n"
    )
    assert phrasings_in(reply, one) == ("how common is each term", "which terms repeat")
    plain = "**Requests:**\nhow common is each term\n“which terms repeat”\n- which ones do not\n"
    assert phrasings_in(plain, one) == (
        "how common is each term",
        "which terms repeat",
        "which ones do not",
    )


def test_the_manifest_keeps_what_it_said(layout: Layout, one: Tool) -> None:
    path, text = expanded_manifest(one, ["which terms repeat"])
    write(path, text)
    again = only(layout)
    assert one.manifest is not None and again.manifest is not None
    intents = ("tally the words", "which terms repeat")
    assert again.manifest == replace(one.manifest, path=path, intents=intents)


def test_a_manifest_with_comments_or_as_toml_is_not_written_anew(layout: Layout, one: Tool) -> None:
    own = write(one.spec.path.with_name("count_words.tool.yaml"), "name: count_words  # mine\n")
    with pytest.raises(InputError, match="add the phrasings by hand, got "):
        expanded_manifest(one, ["which terms repeat"])
    own.unlink()
    write(one.spec.path.with_name("count_words.tool.toml"), 'name = "count_words"\n')
    with pytest.raises(InputError, match="be YAML without comments"):
        expanded_manifest(one, ["which terms repeat"])


def test_a_servers_tool_keeps_its_phrasings_over_another_import(
    layout: Layout, tmp_path: Path
) -> None:
    listed = tmp_path / "travel.json"
    flights = {"name": "search_flights", "description": "Search flights.", "_meta": {"a": 1}}
    listed.write_text(json.dumps({"tools": [flights]}))
    import_mcp(layout, listed)
    path, text = expanded_manifest(only(layout), ["fly me to Rome"])
    write(path, text)
    assert only(layout).manifest is not None
    flights["_meta"] = {"a": 1, "prefrontal/intents": ["book everything with me"]}
    listed.write_text(json.dumps({"tools": [flights]}))
    import_mcp(layout, listed)
    manifest = only(layout).manifest
    assert manifest is not None and manifest.intents == ("fly me to Rome",)
