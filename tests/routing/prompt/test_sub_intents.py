from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.prompt.sub_intents import MOST_CLAUSES, sub_intents

from ...exhaustive import first

CLAUSES = [
    ("Summarize a matrix then plot it", ["Summarize a matrix", "plot it"]),
    ("summarise a matrix and visualise it", ["summarise a matrix", "visualise it"]),
    ("Summarize a matrix, then plot it", ["Summarize a matrix", "plot it"]),
    ("Summarize a matrix; plot it", ["Summarize a matrix", "plot it"]),
    ("Summarize a matrix. After that, plot it.", ["Summarize a matrix", "plot it"]),
    ("load -> clean -> plot the data", ["load the data", "clean the data", "plot the data"]),
    (
        "Please load data.csv, clean it and then plot the result; email it to Bob",
        ["load data.csv", "clean it", "plot the result", "email it to Bob"],
    ),
    (
        "fetch the page, extract links, count them, and save the counts to links.json",
        ["fetch the page", "extract links", "count them", "save the counts to links.json"],
    ),
    ("1. load x.csv\n2. plot it\n3. mail it", ["load x.csv", "plot it", "mail it"]),
    ("- load x.csv\n- plot it", ["load x.csv", "plot it"]),
    ("I want to read a csv and I need to chart it", ["I want to read a csv", "I need to chart it"]),
    ("Summarise the table and make a plot of it", ["Summarise the table", "make a plot of it"]),
    ("a summary of it; a plot of it", ["a summary of it", "a plot of it"]),
    ("then plot it", ["plot it"]),
    ("read exif of a.jpg and shrink b.jpg", ["read exif of a.jpg", "shrink b.jpg"]),
    (
        "what changed in this commit, and which packages are new?",
        ["what changed in this commit", "which packages are new"],
    ),
    (
        "how many lines has a.py and are there any todos in it",
        ["how many lines has a.py", "are there any todos in it"],
    ),
    ("are there links and is there a todo", ["are there links", "is there a todo"]),
    ("what is new and is the best one", ["what is new and is the best one"]),
    ("which files are large and which are old", ["which files are large", "which are old"]),
    ("tell me what changed and which are new", ["tell me what changed and which are new"]),
    ("who wrote the letter and when", ["who wrote the letter and when"]),
    ("list src/, then count the lines of docs/", ["list src/", "count the lines of docs/"]),
    ("rotate a.png and blur out/b.png", ["rotate a.png", "blur out/b.png"]),
    (
        "read exif of a.jpg, shrink b.jpg and crop c.jpg",
        ["read exif of a.jpg", "shrink b.jpg", "crop c.jpg"],
    ),
    ("load the csv and embed b.txt", ["load the csv", "embed b.txt"]),
    ("compare a.csv with b.csv and clean c.csv", ["compare a.csv with b.csv", "clean c.csv"]),
    ("read a.csv and clean b.csv", ["read a.csv", "clean b.csv"]),
    ("merge a.pdf and sign b.pdf", ["merge a.pdf", "sign b.pdf"]),
    ("read a.csv and anonymize b.csv", ["read a.csv", "anonymize b.csv"]),
    ("load、plot the data", ["load the data", "plot the data"]),
]
THINGS = [
    (
        "Clean the git branches and then the docker containers",
        ["Clean the git branches", "Clean the docker containers"],
    ),
    (
        "back up the database, then the photos, then my mails",
        ["back up the database", "back up the photos", "back up my mails"],
    ),
    ("clean the logs and also the reports", ["clean the logs", "clean the reports"]),
    ("look at the first page, then the last", ["look at the first page", "look at the last"]),
    ("send me the report and then the photos", ["send me the report", "send the photos"]),
    (
        "clean the desk, then the floor and mop it",
        ["clean the desk", "clean the floor", "mop it"],
    ),
    ("wait a minute and then the music starts", ["wait a minute", "the music starts"]),
    ("sort by name and then the date", ["sort by name and then the date"]),
    ("load the csv then the plot is made", ["load the csv then the plot is made"]),
    ("if it fails then the admin", ["if it fails then the admin"]),
    ("the summary, then the plot", ["the summary", "the plot"]),
    ("show the report and also a chart of it", ["show the report and also a chart of it"]),
]
NOUNS = [
    "compare a.txt and recent b.txt",
    "read the header of a.csv and table b.csv",
    "resize photo.png and picture b.png",
    "plot cost and revenue q1.csv",
    "resize a.png and old b.png",
    "merge a.pdf and scan b.pdf",
    "merge a.pdf and signed b.pdf",
    "compare a.csv and updated b.csv",
    "merge a.pdf, corrected b.pdf and signed c.pdf",
    "list deleted and updated files",
    "show me a detailed and labeled diagram",
    "find recent papers, published within the last year",
    "resize big.png and tiny photo.jpg",
    "read a.csv and quarterly b.csv",
    "compare a.csv and clean b.csv",
    "compare a.txt and backup b.txt",
    "compare a.txt and draught b.txt",
    "load the csv, json and xml files",
    "create a table and plot",
    "summaries and plots of the matrix",
    "can you give me an overview and plot of the sales",
    "visualization and summary of the matrix please",
    "search for cats and dogs",
    "translate the text into French and English",
    "What is the weather in Paris and in London",
    "plot the sales after 2020",
    "plot sales before and after the move",
    "send the report to Ann, Bob and the board",
    "matrix",
]
NAMED_LIKE_ACTIONS = [
    "read the file and line the user wants",
    "read the file and line",
    "read the page, line and column",
    "show the lines and columns of the file",
    "print the file, the line and column",
]
DESCRIBED = [
    "summarize the text and list I gave you",
    "print the table and chart the team made",
    "compare the plan and report my boss sent",
    "load the csv, list we have and the table",
]
ACTED_ON = [
    ("load the csv and filter the rows we need", "filter the rows we need"),
    ("load the csv and plot the values you want", "plot the values you want"),
    ("read the file and check the user has a name", "check the user has a name"),
    ("read the file and check they have enough", "check they have enough"),
    ("copy the file and line up the rows", "line up the rows"),
    ("read the file and line it up", "line it up"),
]
TIME = [
    ("plot it after summarizing the matrix", ["summarizing the matrix", "plot it"]),
    ("after summarizing the matrix, plot it", ["summarizing the matrix", "plot it"]),
    ("summarize the matrix before plotting it", ["summarize the matrix", "plotting it"]),
    ("before plotting it, summarize the matrix", ["summarize the matrix", "plotting it"]),
    (
        "sort the table by price, then keep only rows of France",
        ["sort the table by price", "keep only rows of France"],
    ),
    (
        "sort by price, then name, then date",
        ["sort by price, then name, then date"],
    ),
    (
        "which pages exist, and is https://example.com reachable?",
        ["which pages exist", "is https://example.com reachable"],
    ),
    ("which pages are old and is red the colour", ["which pages are old and is red the colour"]),
    ("after summarizing the matrix plot it", ["summarizing the matrix", "plot it"]),
    ("before plotting it show me the rows", ["show me the rows", "plotting it"]),
    ("after sorting the rows that load the page", ["sorting the rows that load the page"]),
    ("after sorting the list print", ["sorting the list print"]),
    ("load x, plot it after cleaning it", ["load x", "cleaning it", "plot it"]),
    ("plot it. Before that, clean the data.", ["clean the data", "plot it"]),
    (
        "before plotting, load and clean the matrix. Then mail it",
        ["load the matrix", "clean the matrix", "plotting the matrix", "mail it"],
    ),
]
OBJECTS = [
    ("sort, filter and group the rows", ["sort the rows", "filter the rows", "group the rows"]),
    ("read the file and summarize", ["read the file", "summarize the file"]),
    ("summarize and plot the matrix", ["summarize the matrix", "plot the matrix"]),
    ("compare sales and costs, then report", ["compare sales and costs", "report sales and costs"]),
]
MERGED = [
    ("Summarize my matrix. It is a big list.", "Summarize my matrix. It is a big list"),
    ("The report is in data.csv. Summarize it", "The report is in data.csv. Summarize it"),
    ("once the data is loaded, plot it", "once the data is loaded, plot it"),
    ("plot it; thanks", "plot it; thanks"),
]


@pytest.mark.parametrize(("prompt", "clauses"), CLAUSES + TIME + OBJECTS)
def test_a_prompt_has_these_clauses(prompt: str, clauses: list[str]) -> None:
    assert [one.text for one in sub_intents(prompt)] == clauses


@pytest.mark.parametrize("prompt", NOUNS)
def test_a_list_of_nouns_stays_whole(prompt: str) -> None:
    assert [one.text for one in sub_intents(prompt)] == [prompt]


@pytest.mark.parametrize("prompt", NAMED_LIKE_ACTIONS)
def test_a_noun_that_an_action_is_named_after_is_no_verb(prompt: str) -> None:
    found = sub_intents(prompt, ["line", "column", "file"])
    assert [one.text for one in found] == [prompt]


@pytest.mark.parametrize("prompt", DESCRIBED)
def test_a_noun_that_somebody_made_or_wants_is_no_verb(prompt: str) -> None:
    assert [one.text for one in sub_intents(prompt)] == [prompt]


@pytest.mark.parametrize(("prompt", "last"), ACTED_ON)
def test_a_verb_before_an_object_of_that_kind_is_one(prompt: str, last: str) -> None:
    found = sub_intents(prompt, ["line", "column", "file"])
    assert [one.text for one in found][1:] == [last]


@pytest.mark.parametrize(("prompt", "clause"), MERGED)
def test_text_without_an_action_goes_to_the_clause_beside_it(prompt: str, clause: str) -> None:
    assert [one.text for one in sub_intents(prompt)] == [clause]


def test_a_clause_has_the_stem_of_its_verb() -> None:
    british = sub_intents("summarise a matrix then visualise it")
    american = sub_intents("Summarizing a matrix then visualize it")
    assert [one.verb for one in british] == [one.verb for one in american] == ["summar", "visual"]


def test_a_noun_names_the_action_where_there_is_no_verb() -> None:
    assert [one.verb for one in sub_intents("the summary of it, please")] == ["summar"]


def test_an_unknown_verb_is_told_by_what_follows() -> None:
    found = sub_intents("frobnicate the matrix then plot it")
    assert [one.text for one in found] == ["frobnicate the matrix", "plot it"]
    assert found[0].verb.startswith("frobnic")


def test_names_of_actions_are_verbs_too() -> None:
    prompt = "load x and frobnicate y"
    assert len(sub_intents(prompt)) == 1
    assert [one.text for one in sub_intents(prompt, ["frobnicate"])] == ["load x", "frobnicate y"]


def test_quotations_stay_whole() -> None:
    found = sub_intents("summarize 'first, then plot.csv' then mail \"a; delete b\"")
    assert [one.text for one in found] == [
        "summarize 'first, then plot.csv'",
        'mail "a; delete b"',
    ]


@pytest.mark.parametrize("prompt", ["", "   ", "\n\n", ",;.", "and then", "& ,", "and , ,", "🙂"])
def test_a_prompt_that_says_nothing_has_at_most_one_clause(prompt: str) -> None:
    assert len(sub_intents(prompt)) <= 1
    assert all(one.text and not one.verb for one in sub_intents(prompt))


def test_there_are_at_most_so_many_clauses_and_the_last_has_the_rest() -> None:
    found = sub_intents("plot it then " * 100 + "mail it")
    assert len(found) == MOST_CLAUSES
    assert found[-1].text.endswith("mail it")


@given(st.text() | st.text("and then, plot it after before; .\n'\"`“->1x"))
def test_any_text_has_clauses_made_of_its_words(prompt: str) -> None:
    found = sub_intents(prompt)
    assert found == sub_intents(prompt)
    assert len(found) <= MOST_CLAUSES
    words = set("".join(prompt.split()))
    assert all(one.text == " ".join(one.text.split()) != "" for one in found)
    assert all(set("".join(one.text.split())) <= words for one in found)


@pytest.mark.parametrize(
    "text",
    first(
        2,
        ["please and i ", "before plot, after plot ", "and ", "plot, ", "'a ", "“", "a.-", "\0🙂 "],
    ),
)
def test_a_very_long_prompt_takes_no_very_long_time(text: str) -> None:
    assert len(sub_intents(text * (100_000 // len(text)))) <= MOST_CLAUSES


@pytest.mark.parametrize(("prompt", "clauses"), THINGS)
def test_a_thing_behind_then_or_also_has_the_verb_in_front(prompt: str, clauses: list[str]) -> None:
    assert [one.text for one in sub_intents(prompt)] == clauses
