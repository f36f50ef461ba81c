"""Two verbs that name one act are for a tool that does it, not for one that shares a word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.ranking.verb_pairs import lacks_the_act
from prefrontal.routing.types import Manifest, Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool


def described(name: str, doc: str) -> Tool:
    one = tool(f"domains/text/find/{name}.py")
    return replace(one, spec=replace(one.spec, doc=doc))


SEARCH = described("search_text", "Search for a word in a text.")
REPLACE = described("swap_words", "Replace a word in a text by another one.")
EQUAL = described("find_duplicates", "Find duplicate files in a folder.")
MOVE = described("move_file", "Move a file to another folder.")
COPY = described("back_up", "Copy a file.")
COUNT = described("count_words", "Count the words of a text.")
TOOLS = (SEARCH, EQUAL, COUNT)


@pytest.mark.parametrize(
    ("prompt", "one", "why"),
    [
        ("search and replace foo with bar", SEARCH, "it does not replace"),
        ("Find & Replace foo with bar", SEARCH, "it does not replace"),
        ("please find/replace foo", SEARCH, "it does not replace"),
        ("search-and-replace foo", SEARCH, "it does not replace"),
        ("search and replace foo with bar", REPLACE, ""),
        ("copy and paste the file", EQUAL, "it does not copy or paste"),
        ("copy and paste the file", COPY, ""),
        ("copy and paste the file", MOVE, "it does not copy or paste"),
        ("cut and paste the file", MOVE, ""),
        ("drag and drop the file", MOVE, ""),
        ("drag and drop the file", COPY, "it does not drag or drop"),
        ("find replacement parts", SEARCH, ""),
        ("find the copy and paste it", SEARCH, ""),
        ("count the words, then search and replace foo", COUNT, ""),
        ("", SEARCH, ""),
    ],
)
def test_a_tool_must_do_the_act_of_the_pair(prompt: str, one: Tool, why: str) -> None:
    assert lacks_the_act(prompt, one) == why


def test_what_a_manifest_says_counts_too() -> None:
    prompt = "search and replace foo with bar"
    manifest = Manifest("search_text", Path("tool.yaml"), intents=("replace words",))
    assert lacks_the_act(prompt, replace(SEARCH, manifest=manifest)) == ""


@pytest.mark.parametrize("prompt", ["search and replace foo with bar", "copy and paste the file"])
def test_no_tool_that_only_shares_a_word_reaches_the_threshold(prompt: str) -> None:
    ranked = ToolRanker(TOOLS, {}, Ranker(), 0.0).candidates(prompt)
    assert max(one.score for one in ranked) < 0.55
    assert any("it does not" in flag for flag in ranked[0].flags)


def test_a_tool_that_was_accepted_for_the_prompt_stays_the_first() -> None:
    prompt = "search and replace foo with bar"
    accepted = PastEvent("search_text", "accepted", 0.0, "0" * 64, prompt)
    best = ToolRanker(TOOLS, {key_of(SEARCH): [accepted]}, Ranker(), 0.0).candidates(prompt)[0]
    assert best.tool.name == "search_text" and best.score >= 0.6
