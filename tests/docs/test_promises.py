"""docs/promises.md: a promise, its figure, the command that prints it, and the day it was run."""

from __future__ import annotations

import datetime as dt
import re
import shlex
from collections.abc import Iterator

import pytest

from .command_lines import NAME
from .command_lines import refusal as why_not_taken
from .figures import figures_in, missing
from .page_run import PageRun
from .pages import REPOSITORY, read

PAGE = "docs/promises.md"
HEAD = ["promise", "figure", "command", "date"]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
FIRST_DAY = dt.date(2026, 11, 1)


def table(text: str) -> list[list[str]]:
    """The rows of every table, with the heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]


def fault(row: list[str]) -> str | None:
    """What is wrong with the form of a row; None when nothing is."""
    if len(row) != len(HEAD):
        return f"a row must have {len(HEAD)} cells, got {row}"
    promise, figure, command, day = row
    if len(promise.split()) < 3:
        return f"a promise must be a sentence, got {promise!r}"
    if not figures_in(figure):
        return f"a figure must be a number, got {figure!r}"
    try:
        if dt.date.fromisoformat(day) < FIRST_DAY:
            return f"date must be {FIRST_DAY} or later, got {day}"
    except ValueError:
        return f"date must be a day such as 2026-11-22, got {day!r}"
    code = re.fullmatch(r"`([^`]+)`", command)
    return f"a command must be code, got {command!r}" if code is None else no_command(code[1])


def no_command(command: str) -> str | None:
    """Why there is no such command in this project; None when there is."""
    words = shlex.split(command)
    words = words[1:] if words[0] == "time" else words
    if words[0] == NAME:
        return why_not_taken(words[1:])
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE)
        wrong = [word for word in words[1:] if "=" not in word and word not in targets]
        return f"make has no target {wrong}" if wrong or len(words) == 1 else None
    program = words[1] if words[0] in ("python", "sh", "bash") and len(words) > 1 else words[0]
    if (REPOSITORY / program).is_file():
        return None
    return f"a command must be {NAME}, make or a file of the project, got {command!r}"


ROWS = [
    row
    for row in table(read(PAGE).partition("## Figures")[2])
    if row != HEAD and set(row) != {"---"}
]
RUN_AGAIN = [row for row in ROWS if len(row) == len(HEAD) and row[2].startswith(f"`{NAME} ")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageRun]:
    run = PageRun(tmp_path_factory.mktemp("promises"))
    yield run
    run.close()


def test_each_part_has_one_table_with_promise_figure_command_and_date() -> None:
    before, *parts = read(PAGE).partition("## Figures")[2].split("\n### ")
    assert table(before) == []
    assert len(parts) > 1
    for part in parts:
        head, _, *rows = table(part)
        assert head == HEAD
        assert rows and HEAD not in rows


def test_what_is_acknowledged_is_shown_by_tests_that_exist() -> None:
    rows = table(read(PAGE).partition("## Figures")[0])[2:]
    assert len(rows) >= 9
    for row in rows:
        names = TEST.findall(row[-1])
        assert names, f"{row[0]} is shown by no test"
        for file, test in names:
            assert f"def {test}(" in read(file), f"{file}::{test} does not exist"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_promise_has_a_figure_a_command_that_exists_and_a_day(row: list[str]) -> None:
    assert fault(row) is None


@pytest.mark.parametrize("row", RUN_AGAIN, ids=lambda row: row[0][:40])
def test_what_needs_no_other_machine_prints_the_figure_again(row: list[str], run: PageRun) -> None:
    printed = run.printed(row[2].strip("`"))
    assert missing(figures_in(row[1]), figures_in(printed)) == [], printed


@pytest.mark.parametrize(
    ("place", "instead", "complaint"),
    [
        (0, "Fast", "a promise must be a sentence"),
        (1, "very fast", "a figure must be a number"),
        (2, "prefrontal replay", "a command must be code"),
        (2, "`prefrontal replay --smaple`", "No such option"),
        (2, "`make dmeo`", "make has no target"),
        (2, "`python benchmarks/bench_none.py`", "a command must be prefrontal, make or a file"),
        (3, "yesterday", "date must be a day"),
        (3, "2025-01-01", "date must be 2026-11-01 or later"),
    ],
)
def test_a_row_that_lacks_something_is_named(place: int, instead: str, complaint: str) -> None:
    row = ["The demo is quick", "0.5 s", "`time prefrontal replay --sample`", "2026-11-22"]
    assert fault(row) is None
    assert fault(row[:3]) is not None
    row[place] = instead
    why = fault(row)
    assert why is not None
    assert complaint in why
