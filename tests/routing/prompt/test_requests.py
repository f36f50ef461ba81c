"""Requests whose verb nobody listed: cut off where the prompt marks them, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal._core import routing
from prefrontal.routing.prompt import verbs
from prefrontal.routing.prompt.clause_words import CONNECTIVES, pieces
from prefrontal.routing.prompt.requests import is_condition
from prefrontal.routing.prompt.sub_intents import sub_intents

TWO = [
    ("load x.csv, then frobnicate it", ["load x.csv", "frobnicate it"]),
    ("load x.csv. Also anonymise it.", ["load x.csv", "anonymise it"]),
    ("load x.csv and also redact names", ["load x.csv", "redact names"]),
    ("load x.csv and then ping Bob about it", ["load x.csv", "ping Bob about it"]),
    ("load x.csv. Obfuscate names.", ["load x.csv", "Obfuscate names"]),
    ("read a.csv. Afterwards obfuscate b.csv", ["read a.csv", "obfuscate b.csv"]),
    ("load the csv. Next, frobnicate it.", ["load the csv", "frobnicate it"]),
    ("load the csv and frobnicate it", ["load the csv", "frobnicate it"]),
    ("load the csv then quickly defragment it", ["load the csv", "quickly defragment it"]),
    ("ping example.com; traceroute example.org", ["ping example.com", "traceroute example.org"]),
    ('tweet "hello"; toot "hello"', ['tweet "hello"', 'toot "hello"']),
    ("1. ping example.com\n2. scan b.org", ["ping example.com", "scan b.org"]),
    (
        "can you read the file? then can you frobnicate it?",
        ["can you read the file", "can you frobnicate it"],
    ),
    (
        "summarize the page, then get the weather in Paris",
        ["summarize the page", "get the weather in Paris"],
    ),
    (
        "What is the weather in Rome? Also tell me a joke",
        ["What is the weather in Rome", "tell me a joke"],
    ),
    (
        "I want a recipe for soup. I also need a flight to Paris.",
        ["I want a recipe for soup", "I also need a flight to Paris"],
    ),
    (
        "check whether it also works on Windows and then plot it",
        ["check whether it also works on Windows", "plot it"],
    ),
]
TOOLS = [
    ("use load_csv then plot_bars", ["use load_csv", "plot_bars"]),
    ("load_csv, then describe_rows and then plot_bars", ["load_csv", "describe_rows", "plot_bars"]),
]
ONE = [
    "find the duplicates and show them to me",
    "count the words; tell me",
    "search and replace foo in the file",
    "copy and paste the file",
    "drag and drop it",
    "cut and paste",
    "before and after pictures",
    "make before and after pictures of the house",
    "plot the sales then and now",
    "find pictures from back then",
    "load the file by then",
    "send mom and dad the report",
    "find the black and white pictures",
    "list apples; pears; plums",
    "send the report to Ann; Bob; the board",
    "list red apples, then green pears",
    "sort by name then file size",
    "sort the rows by country, then city name",
    "colour it red, then blue",
    "extract the names, also dates of birth",
    "delete everything, then nothing else",
    "it should also work on Windows",
    "make sure that it also works on Windows",
    "load the file. It also has a header",
    "load the csv. Nice weather today",
    "Summarize this page. Use French",
    "Summarize this page. Give me three bullet points",
    "Which functions are too long? List them",
    "if the build fails, then ping Bob",
    "if you find duplicates then delete them",
    "the then president",
]
LOAD = "load the archive"
JOINTS = [" then ", " and then ", ", then ", "; ", ". ", "\n", ", also ", " and also ", ". Also, "]
JOINTS += [". Then ", ", afterwards ", " and after that ", " -> "]
WORDS = st.from_regex(r"\A[bcdfgklmprtv][aeou][bdgkmpt][aou][bdgkmptx]\Z").filter(
    lambda word: not _is_known(word)
)


def _is_known(word: str) -> bool:
    stems = set(routing.tokens(word))
    return bool(stems & (set(verbs.groups()) | verbs.stop_tokens())) or word in CONNECTIVES


def texts(prompt: str) -> list[str]:
    return [one.text for one in sub_intents(prompt)]


@pytest.mark.parametrize(("prompt", "clauses"), TWO + TOOLS)
def test_an_unknown_request_is_a_clause(prompt: str, clauses: list[str]) -> None:
    assert texts(prompt) == clauses


@pytest.mark.parametrize("prompt", ONE)
def test_one_thing_stays_whole(prompt: str) -> None:
    assert texts(prompt) == [prompt]


def test_the_prompt_of_three_has_three() -> None:
    found = sub_intents("load the csv file. Then frobnicate it and after that plot the summary")
    assert [one.text for one in found] == ["load the csv file", "frobnicate it", "plot the summary"]
    assert [one.verb for one in found] == ["load", "frobnic", "plot"]


@given(WORDS, WORDS, st.sampled_from(JOINTS), st.sampled_from(("the ", "it", "my ", "all ")))
def test_any_unknown_verb_with_an_object_is_cut_off(
    verb: str, noun: str, joint: str, before: str
) -> None:
    request = f"{verb} {before}{noun}" if before != "it" else f"{verb} it"
    assert texts(f"{LOAD}{joint}{request}") == [LOAD, request]


@given(st.lists(WORDS, min_size=2, max_size=6, unique=True))
def test_any_list_of_nouns_stays_whole(nouns: list[str]) -> None:
    listed = f"{', '.join(nouns[:-1])} and {nouns[-1]}"
    for prompt in (f"load the {listed}", f"load {listed} files", f"load {' and '.join(nouns)}"):
        assert texts(prompt) == [prompt]


@given(WORDS, WORDS, WORDS)
def test_any_two_verbs_that_go_together_stay_whole(one: str, other: str, noun: str) -> None:
    prompt = f"{one} and {other} the {noun}"
    assert texts(prompt) == [prompt]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("if it fails", True),
        ("and unless it rains", True),
        ("when the file changes", True),
        ("when is Easter", False),
        ("plot it if you can", False),
        ("", False),
    ],
)
def test_a_condition_asks_for_nothing(text: str, condition: bool) -> None:
    assert is_condition(pieces(text)) == condition
