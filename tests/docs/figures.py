"""Figures in sentences and tables, held against what a command prints.

A comment right above a paragraph, a list or a table says where its figures come from:

`figures: COMMAND`      COMMAND prints each of them, with the same word behind it; it is run
`figures as in: FILE`   each stands in FILE, that of a table's row in one row there
`no figures: WHY`       its numbers are none that anybody measured

A figure is a number in digits outside of code and link targets, together with its unit or the word
behind it. So "92 % of it" holds under a command that prints "92 %", and not under "92 of 100".
"""

from __future__ import annotations

import re
from collections.abc import Set

from .page_run import PageRun
from .pages import REPOSITORY, Passage
from .preparations import PREPARED

COMMAND, FILE, NONE = "figures", "figures as in", "no figures"
Figure = tuple[str, str]

_HIDDEN = re.compile(r"`[^`]*`|(?<=\])\([^)]*\)|<!--.*?-->", re.DOTALL)
_NUMBER = r"(?:\d{4}-\d\d-\d\d|\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?)"
_FIGURE = re.compile(rf"(?<![\w.,/#+-])({_NUMBER})(?!\w*\d)(?=\s*([^\s|]*))")


def figures_in(text: str) -> list[Figure]:
    """The figures of a text in order: the number, and its unit or the word behind it, or ""."""
    plain = _HIDDEN.sub(" ", text).replace("×", "x").replace("\u00a0", " ")
    return [(number, _unit(word)) for number, word in _FIGURE.findall(plain)]


def has_figures(passage: Passage) -> bool:
    return bool(figures_in(passage.text))


def missing(figures: list[Figure], there: list[Figure]) -> list[str]:
    """The figures that are not there; one without a word may have any."""
    known: Set[Figure] = {*there, *((number, "") for number, _ in there)}
    return [f"{number} {word}".strip() for number, word in figures if (number, word) not in known]


def refusal(passage: Passage, run: PageRun) -> str | None:
    """What is wrong with the figures of a marked passage; None when they hold."""
    marks = passage.marks
    if NONE in marks:
        reason = marks[NONE]
        return None if len(reason.split()) >= 3 else f"{NONE} must say why, got {reason!r}"
    figures = figures_in(passage.text)
    if not figures:
        return "a passage with a mark must have figures, got none"
    if COMMAND in marks:
        if "prepared" in marks:
            PREPARED[marks["prepared"]](run.place, run.environment)
        output = run.printed(marks[COMMAND])
        wrong = missing(figures, figures_in(output))
        return f"{marks[COMMAND]} does not print {wrong}, but\n{output}" if wrong else None
    page = (REPOSITORY / marks[FILE]).read_text(encoding="utf-8")
    return _not_in_file(passage, page, marks[FILE])


def _not_in_file(passage: Passage, page: str, name: str) -> str | None:
    rows = [_cells(line) for line in page.splitlines() if line.startswith("|")]
    for line in passage.text.splitlines():
        if line.startswith("|"):
            cells = {cell for cell in _cells(line) if figures_in(cell) or cell == _cells(line)[0]}
            if figures_in(line) and not any(cells <= set(row) for row in rows):
                return f"no row of {name} has the cells {sorted(cells)}"
        elif wrong := missing(figures_in(line), figures_in(page)):
            return f"{name} does not have {wrong}"
    return None


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _unit(word: str) -> str:
    """ "%", "x", or the word in small letters without what surrounds it; "" before a number."""
    if word[:1] in ("%", "x") and not word[1:2].isalnum():
        return word[0]
    bare = re.sub(r"^[^\w]+|[^\w]+$", "", word).lower()
    return "" if bare[:1].isdigit() or (word and not word[0].isalnum()) else bare
