"""A clause with several nouns behind one verb, and what it would be for each of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.prompt.noun_lists import one_for_each_noun
from prefrontal.routing.prompt.sub_intents import sub_intents


def each(prompt: str) -> list[str]:
    return [one.text for clause in sub_intents(prompt) for one in one_for_each_noun(clause)]


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        (
            "look for todos and secrets in src/app.py",
            ["look for todos in src/app.py", "look for secrets in src/app.py"],
        ),
        (
            "please find todos, secrets & long functions in src/",
            [
                "find todos in src/",
                "find secrets in src/",
                "find long functions in src/",
            ],
        ),
        (
            "check the syntax of a.py and the links of b.md",
            ["check the syntax of a.py", "check the links of b.md"],
        ),
        ("find todos in a.py and secrets in b.py", ["find todos in a.py", "find secrets in b.py"]),
        (
            "find todos in a.py and the secrets",
            ["find todos in a.py", "find the secrets"],
        ),
        ("show me the plot, and the table", ["show me the plot", "show me the table"]),
        (
            "search src/ for todos and secrets",
            ["search src/ for todos", "search src/ for secrets"],
        ),
        ("find todos or secrets in src/", ["find todos in src/", "find secrets in src/"]),
        (
            "check a.py, b.py and c.py for todos and secrets",
            ["check a.py, b.py and c.py for todos", "check a.py, b.py and c.py for secrets"],
        ),
        (
            "find todos and secrets in a.py and b.py",
            ["find todos in a.py and b.py", "find secrets in a.py and b.py"],
        ),
        (
            "find todos and files that are too large",
            ["find todos", "find files that are too large"],
        ),
        ("give me the word counts and a plot", ["give me the word counts", "give me a plot"]),
        (
            "find the mail for ada and the notes",
            ["find the mail for ada", "find the mail for the notes"],
        ),
        ("find notes and mails for ada", ["find notes for ada", "find mails for ada"]),
        (
            "check a.py for todos and for secrets",
            ["check a.py for todos", "check a.py for secrets"],
        ),
        (
            "look for todos, for secrets and for links in a.md",
            ["look for todos in a.md", "look for secrets in a.md", "look for links in a.md"],
        ),
        ("count the lines and words", ["count the lines", "count words"]),
        (
            "find broken links and duplicate files in docs",
            ["find broken links in docs", "find duplicate files in docs"],
        ),
        (
            "check a.md for broken links, open todos and duplicate lines",
            [
                "check a.md for broken links",
                "check a.md for open todos",
                "check a.md for duplicate lines",
            ],
        ),
        (
            "please list closed issues and open pull requests",
            ["list closed issues", "list open pull requests"],
        ),
        (
            "find source files and test files in src/",
            ["find source files in src/", "find test files in src/"],
        ),
        (
            "remove empty rows & duplicate columns from a.csv",
            ["remove empty rows from a.csv", "remove duplicate columns from a.csv"],
        ),
    ],
)
def test_each_noun_has_its_request(prompt: str, texts: list[str]) -> None:
    assert each(prompt) == texts


@pytest.mark.parametrize(
    "prompt",
    [
        "merge a.pdf and b.pdf",
        "compare cats and dogs",
        "join the rows and the columns",
        "find todos in files and notes",  # the notes may be where to look
        "find todos in a.py and b.py",
        "mail the letter or the notes",
        "find the difference between cats and dogs",
        "find files that are large and old",
        "find files with lines and words",
        "give me a detailed and comprehensive summary",
        "list public and private names",
        "find todos, secrets",
        "mail Ann and Bob",
        "add 2 and 3",
        "copy and paste the text",
        "find todos",
        "todos and secrets",
        "the todos and secrets are old",
        "find a, b, c, d, e, f and g",
        "",
    ],
)
def test_what_is_one_request_has_none_for_each_noun(prompt: str) -> None:
    assert each(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        ("find photos and duplicate them", ["find photos", "duplicate them"]),
        ("find large files and open a.txt", ["find large files", "open a.txt"]),
        ("find the old files and duplicate rows", ["find the old files", "duplicate rows"]),
        ("zip old folders and duplicate files", ["zip old folders", "duplicate files"]),
        ("find log files and archive log files", ["find log files", "archive log files"]),
        ("check links and open files", ["check links", "open files"]),
        ("find flights and book hotels", ["find flights", "book hotels"]),
    ],
)
def test_an_act_behind_and_is_none_of_the_things_in_front(prompt: str, texts: list[str]) -> None:
    assert [one.text for one in sub_intents(prompt)] == texts


WORDS = st.sampled_from(
    ["find", "check", "the", "a.py", "todos", "secrets", ",", "and", "in", "of", "or", "it", "Ann"]
)


@given(st.lists(WORDS, max_size=12))
def test_any_requests_are_made_of_the_words_of_their_clause(words: list[str]) -> None:
    for clause in sub_intents(" ".join(words)):
        parts = one_for_each_noun(clause)
        assert len(parts) != 1
        assert all(set(one.text.split()) <= set(clause.text.split()) for one in parts)
