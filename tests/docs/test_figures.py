"""Figures of the pages: what a sentence or a table tells is what its command prints."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from .figures import COMMAND, FILE, NONE, figures_in, has_figures, missing, refusal
from .page_run import PageRun
from .pages import REPOSITORY, Passage, pages, passages_of, read

MARKS = (COMMAND, FILE, NONE)
PASSAGES = [each for page in pages() for each in passages_of(page)]
MARKED = [each for each in PASSAGES if not each.marks.keys().isdisjoint(MARKS)]
STRICT = ("README.md",)
"""Pages on which every passage with figures says where they come from."""

UNMARKED: dict[str, int] = {}
"""How many of them do not say so yet; no more without a look at this table."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageRun]:
    run = PageRun(tmp_path_factory.mktemp("figures"))
    yield run
    run.close()


@pytest.mark.parametrize("passage", MARKED, ids=lambda passage: passage.place)
def test_figures_are_what_their_source_says(passage: Passage, run: PageRun) -> None:
    why = refusal(passage, run)
    assert why is None, f"{passage.place}: {why}"


def test_every_passage_with_figures_says_where_they_come_from() -> None:
    left = [
        each
        for each in PASSAGES
        if each.page in STRICT and has_figures(each) and each.marks.keys().isdisjoint(MARKS)
    ]
    for passage in left:
        print(f"{passage.place}: {figures_in(passage.text)}")
    assert Counter(passage.page for passage in left) == UNMARKED


def test_a_figure_is_a_number_with_its_unit_or_the_next_word() -> None:
    text = "0.17 wake-ups a day caught 92 % of it: 277× fewer, 1,957 windows; in `v2` ([2](x3.md))"
    assert figures_in(text) == [
        *(("0.17", "wake-ups"), ("92", "%"), ("277", "x"), ("1,957", "windows"), ("2", "")),
    ]
    assert figures_in("since 2026-08-01 (12 %), 3.\nPython-3.11 E14 #12 x86-64") == [
        *(("2026-08-01", ""), ("12", "%"), ("3", "")),
    ]
    assert figures_in("| trio | 2,450 | 92.2 % | 277 x fewer |") == [
        *(("2,450", ""), ("92.2", "%"), ("277", "x")),
    ]


def test_the_same_digits_with_another_unit_are_another_figure() -> None:
    printed = figures_in("92 % caught, 17 wake-ups, 3 windows\n0.17 92.2")
    assert missing(figures_in("92 %, 17 wake-ups; 0.17"), printed) == []
    assert missing(figures_in("91 %"), printed) == ["91 %"]
    assert missing(figures_in("92 windows"), printed) == ["92 windows"]
    assert missing(figures_in("92.20 %"), printed) == ["92.20 %"]


MADE = """\
# Page

<!-- figures: echo '12 % of 34 windows' -->
It caught 12 %
of 34 windows.

No mark, 5 figures.
<!-- no figures: a version of somebody else -->
Python 3.11.

<!-- figures: echo '13 %' -->
```sh
echo
```
After code, 7 lines.
"""


def test_a_mark_belongs_to_the_passage_right_below_it(run: PageRun) -> None:
    found = passages_of("made.md", MADE)
    assert [(each.line, sorted(each.marks)) for each in found] == [
        *((4, ["figures"]), (7, []), (9, ["no figures"]), (15, [])),
    ]
    assert refusal(found[0], run) is None
    assert refusal(found[2], run) is None


@pytest.mark.parametrize(
    ("text", "marks", "complaint"),
    [
        ("It caught 13 %.", {COMMAND: "echo 12 %"}, r"does not print \['13 %'\]"),
        ("It caught 12 windows.", {COMMAND: "echo 12 %"}, r"does not print \['12 windows'\]"),
        ("It caught some.", {COMMAND: "echo 12 %"}, "must have figures, got none"),
        ("12 %", {NONE: "because"}, "must say why, got 'because'"),
        ("| history | 2 |", {FILE: "README.md"}, "no row of README.md has the cells"),
        ("It takes 987654 s.", {FILE: "README.md"}, r"README.md does not have \['987654 s'\]"),
    ],
)
def test_figures_that_do_not_hold_are_named(
    text: str, marks: dict[str, str], complaint: str, run: PageRun
) -> None:
    why = refusal(Passage("made.md", 1, text, marks), run)
    assert why is not None
    assert re.search(complaint, why), why


def test_a_command_that_fails_is_told(run: PageRun) -> None:
    with pytest.raises(AssertionError, match="false"):
        refusal(Passage("made.md", 1, "12 %", {COMMAND: "false"}), run)


@pytest.mark.exhaustive
def test_what_the_benchmarks_say_of_the_sample_is_printed_again() -> None:
    """The other rows of that table need clones; this one needs nothing."""
    script = REPOSITORY / "benchmarks" / "bench_histories.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    [head, rule, sample] = done.stdout.splitlines()
    assert f"{head}\n{rule}\n{sample}\n" in read("benchmarks/README.md")
