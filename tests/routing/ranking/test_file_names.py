"""Words of a file's name say in which file, not what is to be done."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from prefrontal._core import routing as core
from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.ranking.file_names import (
    says_only_which,
    without_file_names,
    without_files_of_tools,
)
from prefrontal.routing.ranking.index import RankedTool, ToolIndex
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool

NOW = 1_761_897_600.0


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("find todos in tests/test_a.py", "find todos in py"),
        ("count the lines of 'src/secrets.py', please", "count the lines of 'py', please"),
        ("list what is in (./large/).", "list what is in ()."),
        ("compare a.csv and ~/b/plot.CSV.", "compare csv and CSV."),
        ("read https://example.org/play/song?x=1 aloud", "read https aloud"),
        ("look into docs/ and /var/log/mail", "look into  and "),
        ("archive notes.tar.gz", "archive gz"),
        ("pay and/or book 24/7, e.g. a flight", "pay and/or book 24/7, e.g. a flight"),
        ("start the client/server of node.js", "start the client/server of node.js"),
        ("ask mail.example.com", "ask mail.example.com"),
        ("sum 1.5 and 2.25", "sum 1.5 and 2.25"),
        ("cut 3.5mm of v1.2b at 5 p.m. in the U.S.", "cut 3.5mm of v1.2b at 5 p.m. in the U.S."),
        (
            "update the README.md and docs/CHANGELOG.md",
            "update the README.md and docs/CHANGELOG.md",
        ),
        ("", ""),
    ],
)
def test_of_a_files_name_its_ending_is_left(prompt: str, left: str) -> None:
    assert without_file_names(prompt) == left


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("count lines of find_todos.py", "count lines of py"),
        ("mail src/find-todos.py and plot.txt", "mail py and plot.txt"),
        ("how long is `findTodos.txt`?", "how long is `txt`?"),
        ("find todos in find_todos_test.py", "find todos in find_todos_test.py"),
        ("run find_todos.py on src", "run find_todos.py on src"),
        ("please use the tool find_todos.py", "please use the tool find_todos.py"),
        ("find_todos.py", "find_todos.py"),
        ("find_todos.py::run on src", "find_todos.py::run on src"),
        ("count lines with find_todos", "count lines with find_todos"),
    ],
)
def test_a_file_that_has_the_name_of_a_tool_calls_it_only_to_be_run(prompt: str, left: str) -> None:
    assert without_files_of_tools(prompt, {tuple(core.tokens("find_todos"))}) == left


def told(name: str, doc: str) -> Tool:
    one = tool(f"domains/code/x/{name}.py")
    return replace(one, spec=replace(one.spec, doc=doc))


RUN = told("run_test_file", "Run the tests of a file.")
TODOS = told("find_todos", "Find TODO notes left in files.")
COUNT = told("count_lines", "Count the lines of source files.")
SECRETS = told("find_secrets", "Find passwords and keys in files.")
TOOLS = [
    RUN,
    TODOS,
    COUNT,
    SECRETS,
    told("plot_matrix", "Plot a matrix as a picture."),
    told("send_mail", "Send a letter to a person."),
]


def first(prompt: str, events: dict[str, list[PastEvent]] | None = None) -> tuple[str, float]:
    best = ToolRanker(TOOLS, events or {}, Ranker(), NOW).candidates(prompt)[0]
    return best.tool.name, best.score


def test_the_name_of_a_tool_in_that_of_a_file_is_no_call() -> None:
    ranker = ToolRanker([TODOS, SECRETS], {}, Ranker(), NOW)
    for prompt in ("count the lines of find_todos.py", "what is in src/find_todos.py"):
        assert all(one.score < 0.6 and not one.by_name for one in ranker.candidates(prompt))
        assert not ranker.by_name(prompt)
    [best, _] = ranker.candidates("run find_todos.py on src")
    assert best.tool is TODOS and best.by_name
    assert ranker.by_name("run find_todos.py on src") == {key_of(TODOS)}


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("find todos in tests/test_a.py", "find_todos"),
        ("count the lines of src/find_secrets.py", "count_lines"),
        ("count the lines of tests/run_test_file_test.py", "count_lines"),
        ("find secrets in test_file.py", "find_secrets"),
    ],
)
def test_a_tool_is_not_found_by_the_name_of_a_file(prompt: str, name: str) -> None:
    found, score = first(prompt)
    assert found == name and score == first(without_file_names(prompt))[1] >= 0.6


@pytest.mark.parametrize("prompt", ["what is in test.py", "tests/test_a.py"])
def test_where_a_prompt_says_nothing_but_a_files_name_no_tool_reaches_tau(prompt: str) -> None:
    assert first(prompt)[1] < 0.6


def test_what_was_accepted_with_nothing_but_a_files_name_is_found() -> None:
    prompt = "what is in test.py"
    accepted = {key_of(COUNT): [PastEvent("any", "accepted", NOW, "0" * 64, prompt)]}
    assert first(prompt, accepted)[0] == "count_lines" and first(prompt, accepted)[1] >= 0.6


def test_where_the_rest_finds_no_tool_the_name_counts() -> None:
    prompt = "have a go at tests/test_a.py"
    assert first(prompt)[0] == "run_test_file"
    assert first(prompt)[1] > first(without_file_names(prompt))[1]


@pytest.mark.parametrize("asked", ["look over src/app.py", "look over lib/b.py"])
def test_what_was_accepted_for_one_file_is_for_another_too(asked: str) -> None:
    prompt = "look over src/app.py"
    assert first(asked)[1] < 0.6
    accepted = {key_of(COUNT): [PastEvent("any", "accepted", NOW, "0" * 64, prompt)]}
    assert first(asked, accepted)[0] == "count_lines"
    assert first(asked, accepted)[1] >= 0.6


@pytest.mark.parametrize("place", ["src/app.py", "lib/b.py", "notes.md"])
def test_what_was_accepted_is_for_no_other_tool_because_of_its_file(place: str) -> None:
    """Each of its files' words had counted as one of the prompt's."""
    prompt = "look for secrets in src/app.py"
    accepted = {key_of(SECRETS): [PastEvent("any", "accepted", NOW, "0" * 64, prompt)]}
    assert first(f"look for secrets in {place}", accepted)[0] == "find_secrets"
    found, score = first(f"look for todos in {place}", accepted)
    assert found == "find_todos" and score >= 0.6


@pytest.mark.parametrize("asked", ["find todos in tests/test_a.py", "find todos in b.py"])
def test_what_was_rejected_for_one_file_is_rejected_for_another_too(asked: str) -> None:
    prompt = "find todos in tests/test_a.py"
    rejected = {key_of(TODOS): [PastEvent("any", "rejected", NOW, "0" * 64, prompt)]}
    ranker = ToolRanker(TOOLS, rejected, Ranker(), NOW)
    todos = next(one for one in ranker.candidates(asked) if one.tool == TODOS)
    assert todos.score < 0.1


def test_the_last_word_on_a_prompt_counts_whatever_its_file() -> None:
    no = PastEvent("any", "rejected", NOW, "0" * 64, "look over src/a.py")
    yes = PastEvent("any", "accepted", NOW, "0" * 64, "look over src/b.py")
    assert first("look over src/c.py", {key_of(COUNT): [no, yes]})[0] == "count_lines"
    assert first("look over src/c.py", {key_of(COUNT): [yes, no]})[1] < 0.6


@pytest.mark.parametrize(
    "prompt", ["have a go at tests/test_a.py", "find todos in tests/test_a.py", "find todos"]
)
def test_the_index_is_asked_once_for_each_text(
    prompt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    rank = ToolIndex.rank

    def counted(index: ToolIndex, intent: str, k: int = 10, **more: Any) -> list[RankedTool]:
        asked[intent] += 1
        return rank(index, intent, k, **more)

    monkeypatch.setattr(ToolIndex, "rank", counted)
    first(prompt)
    rest = without_file_names(prompt)
    assert asked == Counter({rest} if "todos" in prompt else {prompt, rest})


ZIP = told("zip_folder", "Zip a folder.")
READER = told("zip_reader", "Read a zip.")
PDF = told("pdf_tools", "Work with a pdf.")
DIFF = told("diff_files", "Compare two files.")


@pytest.mark.parametrize(
    ("prompt", "one"),
    [
        ("get a.zip", ZIP),
        ("please open the file src/a.zip, and list it", ZIP),
        ("fetch https://example.org/a.zip", ZIP),
        ("get a.zip", READER),
        ("read changes.diff", DIFF),
        ("look into changes.diff", DIFF),
    ],
)
def test_the_ending_of_a_file_that_is_there_asks_for_nothing(prompt: str, one: Tool) -> None:
    assert says_only_which(prompt, one).startswith("only the name of a file to ")


@pytest.mark.parametrize(
    ("prompt", "one"),
    [
        ("make a.zip", ZIP),
        ("put src/ into a.zip", ZIP),
        ("get src/ and zip it as a.zip", ZIP),
        ("get a zip of src/", ZIP),
        ("open a.zip", READER),
        ("open a.pdf", PDF),
        ("get a.pdf", ZIP),
        ("", ZIP),
    ],
)
def test_the_ending_of_a_file_may_say_what_is_made_or_read(prompt: str, one: Tool) -> None:
    assert says_only_which(prompt, one) == ""


def test_a_file_is_not_zipped_that_is_to_be_had() -> None:
    ranker = ToolRanker([*TOOLS, ZIP], {}, Ranker(), NOW)
    scores = {one.tool.name: one.score for one in ranker.candidates("get a.zip")}
    assert scores["zip_folder"] < 0.3
    assert ranker.candidates("make a.zip of src/")[0].score > 0.6
