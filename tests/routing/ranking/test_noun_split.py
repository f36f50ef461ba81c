"""One verb with two nouns is two clauses where, and only where, each has a tool of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.prompt.sub_intents import sub_intents
from prefrontal.routing.ranking.noun_split import with_each_tools_noun
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.ranking.tool_words import does
from prefrontal.routing.types import Manifest, Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import ROOT, tool

NOW = 1_761_897_600.0


def told(name: str, doc: str, *intents: str) -> Tool:
    manifest = Manifest("x", ROOT / "tool.yaml", intents=intents) if intents else None
    one = tool(f"domains/d/x/{name}.py", manifest=manifest)
    return replace(one, spec=replace(one.spec, doc=doc))


TODOS = told("find_todos", "Find todo notes left in files.")
SECRETS = told("find_secrets", "Find secrets and keys in files.")
OTHERS = [
    told("count_lines", "Count the lines of files."),
    told("plot_matrix", "Plot a matrix as a picture."),
    told("summarize_text", "Summarize a text.", "make a summary"),
    told("send_mail", "Send a mail to a person."),
    told("play_song", "Play a song."),
    told("merge_pages", "Merge files of pages."),
]
BOTH = told("find_leftovers", "Find todos and secrets in files.", "find todos", "find secrets")
PROMPT = "look for todos and secrets in src/app.py"
APART = ["look for todos in src/app.py", "look for secrets in src/app.py"]


def clauses(
    prompt: str,
    tools: Sequence[Tool] = (TODOS, SECRETS, *OTHERS),
    histories: Mapping[str, Sequence[PastEvent]] | None = None,
) -> list[str]:
    ranker = ToolRanker(tools, histories or {}, Ranker(), NOW)
    return [one.text for one in with_each_tools_noun(sub_intents(prompt), ranker, Ranker())]


@pytest.mark.parametrize(
    ("prompt", "parts"),
    [
        (PROMPT, APART),
        (
            "find todos and secrets, then count the lines",
            ["find todos", "find secrets", "count the lines"],
        ),
        (
            "make a summary of the text and a plot of the matrix",
            ["make a summary of the text", "make a plot of the matrix"],
        ),
        (
            "scan the folder for todos and secrets",
            ["scan the folder for todos", "scan the folder for secrets"],
        ),
        (
            "give me a summary of the text and a plot of the matrix",
            ["give me a summary of the text", "give me a plot of the matrix"],
        ),
        ("find todos or secrets", ["find todos", "find secrets"]),
        (
            "find todos, unicorns and secrets in src/",
            ["find todos in src/", "find unicorns in src/", "find secrets in src/"],
        ),
        ("list todos and secrets", ["list todos", "list secrets"]),
        ("find todos, secrets and todo notes", ["find todos", "find secrets", "find todo notes"]),
    ],
)
def test_nouns_of_different_tools_are_different_clauses(prompt: str, parts: list[str]) -> None:
    assert clauses(prompt) == parts


@pytest.mark.parametrize(
    "prompt",
    [
        "merge a.pdf and b.pdf",
        "count the lines and words",
        "compare cats and dogs",
        "find todos and kittens",
        "find todos and todo notes",
        "mail the text and the summary to ada",
        "mail secrets or songs",
        "find todos",
    ],
)
def test_what_one_tool_is_for_or_none_stays_one_clause(prompt: str) -> None:
    assert clauses(prompt) == [prompt]


def test_a_tool_for_all_nouns_keeps_them_together() -> None:
    prompt = "find todos and secrets in files"
    assert len(clauses(prompt)) == 2
    assert clauses(prompt, [TODOS, SECRETS, BOTH, *OTHERS]) == [prompt]
    named = told("find_todos_and_secrets", "Look for what is left.")
    assert clauses("find todos and secrets", [TODOS, SECRETS, named, *OTHERS]) == [
        "find todos and secrets"
    ]


def test_a_tool_that_was_accepted_for_the_whole_keeps_the_nouns_together() -> None:
    accepted = [PastEvent("any", "accepted", NOW, "0" * 64, PROMPT)]
    assert clauses(PROMPT, histories={key_of(SECRETS): accepted}) == [PROMPT]
    other = [PastEvent("any", "accepted", NOW, "0" * 64, "find secrets")]
    assert clauses(PROMPT, histories={key_of(SECRETS): other}) == APART


def test_what_a_tool_does_is_in_its_name_or_opens_one_of_its_texts() -> None:
    assert does(TODOS, "look") and does(TODOS, "find") and not does(TODOS, "count")
    assert does(told("leftovers", "Find todos."), "find")
    assert does(told("leftovers", "What is left.", "find todos"), "find")
    assert not does(told("first_lines", "Keep lines up to a count."), "count")
