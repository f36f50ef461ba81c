"""Requests whose verb nobody listed: cut off where the prompt marks them, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal._core import routing
from prefrontal.routing.prompt import verbs
from prefrontal.routing.prompt.clause_words import CONNECTIVES, is_statement, pieces
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
    ("back up my folder, then water the plants", ["back up my folder", "water the plants"]),
    ("restart the server then back up the data", ["restart the server", "back up the data"]),
    ("log in, then delete the user", ["log in", "delete the user"]),
    ("use load_csv and then plot it", ["use load_csv", "plot it"]),
    ("use load_csv on a.csv and plot it", ["use load_csv on a.csv", "plot it"]),
    ("wake up the pc, then dim the light", ["wake up the pc", "dim the light"]),
    ("zip the folder and roll back the release", ["zip the folder", "roll back the release"]),
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
WITH_OBJECT = [
    (
        "load the csv, keep the rows where price > 10, and plot them",
        ["load the csv", "keep the rows where price > 10", "plot them"],
    ),
    (
        "load the csv and keep the rows whose price is low",
        ["load the csv", "keep the rows whose price is low"],
    ),
    (
        "load the csv, keep the rows where price is low",
        ["load the csv", "keep the rows where price is low"],
    ),
    ("open the photo, rotate the picture", ["open the photo", "rotate the picture"]),
    ("open the page and click the button", ["open the page", "click the button"]),
    ('open the page, click the "ok" button', ["open the page", 'click the "ok" button']),
    ("open the page, and take a screenshot", ["open the page", "take a screenshot"]),
    ("read a.txt, replace foo with bar", ["read a.txt", "replace foo with bar"]),
    ('read a.txt, append "the end"', ["read a.txt", 'append "the end"']),
    ("convert it to csv and crop the border", ["convert it to csv", "crop the border"]),
    ("save it to the disk and crop the border", ["save it to the disk", "crop the border"]),
    ("stop at page 2 and crop the border", ["stop at page 2", "crop the border"]),
    ("send the report to Ann and invite my team", ["send the report to Ann", "invite my team"]),
    (
        "load the file that Ann liked, crop the border",
        ["load the file that Ann liked", "crop the border"],
    ),
    ("find the way to the inn and crop the border", ["find the way to the inn", "crop the border"]),
    ('find the way to "Rome" and crop the map', ['find the way to "Rome"', "crop the map"]),
    ("check what it leads to and crop the border", ["check what it leads to", "crop the border"]),
    ("What is new in Rome, also tell me a joke", ["What is new in Rome", "tell me a joke"]),
    ("I loaded the csv, frobnicate it", ["I loaded the csv", "frobnicate it"]),
    ("load the csv, sort by price", ["load the csv", "sort by price"]),
    ("read the letter and look for dates", ["read the letter", "look for dates"]),
    ("frobnicate the csv and crop the border", ["frobnicate the csv", "crop the border"]),
    ("embed the file and crop the border", ["embed the file", "crop the border"]),
    ("add vat to 100 and number the invoice", ["add vat to 100", "number the invoice"]),
    ("multiply 3 by 4 and round the result", ["multiply 3 by 4", "round the result"]),
    ("crop photo.png and water the plants", ["crop photo.png", "water the plants"]),
    ("get a.zip, unpack it and list the files", ["get a.zip", "unpack it", "list the files"]),
    ("get the weather in Paris and mail it to Bob", ["get the weather in Paris", "mail it to Bob"]),
    ("take a screenshot and crop the border", ["take a screenshot", "crop the border"]),
    ("set the timer to 5 and play a song", ["set the timer to 5", "play a song"]),
    ("take bread off my list and add milk", ["take bread off my list", "add milk"]),
    ("add milk to the list, also turn off the lamp", ["add milk to the list", "turn off the lamp"]),
]
TOOLS = [
    ("use load_csv then plot_bars", ["use load_csv", "plot_bars"]),
    ("load_csv, then describe_rows and then plot_bars", ["load_csv", "describe_rows", "plot_bars"]),
]
ONE = [
    "get back up to speed",
    "show the sign in and log out pages",
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
    "list the photos, the videos, and the songs",
    "compare row b, row a",
    "compare row b, row a and row c",
    "compare row b, row a of the report",
    "load the csv, parquet file format",
    "load the csv and get lost",
    "load the csv, frobnicating it",
    "list the files and folders the script touches",
    "list the file and folder the user touched",
    "list the file and folder the user can see",
    "give the file and folder the same name",
    "find the file and folder the same way",
    "send mom and dad all the pictures",
    "find files, except the hidden ones",
    "resize the pictures, whatever the format",
    "find the cheapest flight and provide a link",
    "load the csv and tell the board",
    "load the csv and keep with the others",
    "load the csv and keep and sort",
    "in the sheet, crop the border",
    "I attended a lecture and took a picture",
    "To connect the phone and pair the watch",
    "list the name, order of customers",
    "list the name and plan for dates",
    "find a way to improve my site and reach my customers",
    "find a way to improve sites and reach my customers",
    "convert it to reach the limit and crop the border",
    "find a tool that can improve my site and reach my customers",
    "find courses that are short and cover a lot",
    "set an alarm for noon and another an hour later",
    "get the name and order of customers",
    "get the file and folder the user touched",
    "it is where it is, crop the border",
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


@pytest.mark.parametrize(("prompt", "clauses"), TWO + WITH_OBJECT + TOOLS)
def test_an_unknown_request_is_a_clause(prompt: str, clauses: list[str]) -> None:
    assert texts(prompt) == clauses


@pytest.mark.parametrize("prompt", ONE)
def test_one_thing_stays_whole(prompt: str) -> None:
    assert texts(prompt) == [prompt]


@pytest.mark.parametrize(
    ("prompt", "last"),
    [
        ("cancel the meeting and create a new one on friday", "create a new meeting on friday"),
        ("delete my old branch, then make another one", "make another old branch"),
        ("open the ticket of ada then close the other one", "close the other ticket"),
        ("delete the users and add a new one", "add a new one"),
        ("delete a.txt and make a new one", "make a new one"),
        ("remove invoice 12 and make a new one", "make a new one"),
        ("cancel it, then create a new one", "create a new one"),
        ("create a new one", "create a new one"),
    ],
)
def test_another_one_is_one_of_what_the_clause_in_front_is_about(prompt: str, last: str) -> None:
    assert texts(prompt)[-1] == last


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


@given(WORDS, WORDS, st.sampled_from((" and ", ", ", " & ")))
def test_any_unknown_word_before_a_files_name_says_which(word: str, name: str, joint: str) -> None:
    prompt = f"resize {name}.png{joint}{word} {name}.jpg"
    assert texts(prompt) == [prompt]


@given(WORDS, WORDS, WORDS)
def test_any_two_verbs_that_go_together_stay_whole(one: str, other: str, noun: str) -> None:
    prompt = f"{one} and {other} the {noun}"
    assert texts(prompt) == [prompt]


def test_a_condition_behind_where_states_nothing() -> None:
    assert not is_statement(pieces("keep the rows where it is low"))
    assert is_statement(pieces("where it is is the question"))


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
