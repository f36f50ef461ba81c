"""The pages of the documentation, and the blocks of code in them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LANGUAGES = (
    *("console", "sh", "python", "yaml", "json", "jsonl", "toml", "ini", "crontab", "text"),
)
"""What a fence may be marked with; `text` is what is shown and no code."""

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[^\n`]*)$")
_MARK = re.compile(r"^<!-- (?P<name>[a-z][a-z0-9 ]*?)(?:: (?P<value>.*?))? -->$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. marks: the comments right above it, which no reader sees.

    `not run: REASON`      is read and parsed, but not run
    `file: NAME`           its text becomes that file of the page's folder
    `terminal: N`          its one command goes on while the page does; besides `in any order`
                           where its first lines race
    `terminal N says`      a text: what that terminal shows since it was last looked at;
                           `... says in any order` where two streams race
    `terminal N ends`      the same, after Ctrl-C
    `prints`               a text: what the python blocks above it printed since the last such one
    `outputs differ: WHY`  it is run, and what is shown is not compared
    `prepared: WHAT`       `preparations` makes that first
    `needs a sandbox`      the page is skipped on a machine that confines nothing

    What stands above a paragraph, a list or a table instead is in `figures`.
    """

    page: str
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def not_run(self) -> str | None:
        """Why it is not run; None when it is."""
        return self.marks.get("not run")


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, a list or a table, with the comments right above it; see `figures`."""

    page: str
    line: int
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """README.md and everything below docs/, relative to the repository."""
    found = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [path.relative_to(REPOSITORY).as_posix() for path in found]


def read(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """The fenced blocks of a page, in order. text: instead of the file's."""
    found: list[Block] = []
    marks: dict[str, str] = {}
    lines = iter(enumerate((read(page) if text is None else text).splitlines(), start=1))
    for number, line in lines:
        fence, mark = _FENCE.match(line), _MARK.match(line.strip())
        if fence:
            inside = []
            for _, each in lines:
                if each.strip() == "```":
                    break
                inside.append(each.removeprefix(fence["indent"]))
            else:
                raise ValueError(f"{page}:{number}: a block must end, got none of its end")
            body = "".join(f"{each}\n" for each in inside)
            found.append(Block(page, number, fence["language"].strip(), body, marks))
        if mark:
            marks = marks | {mark["name"]: mark["value"] or ""}
        elif line.strip():
            marks = {}
    return found


def prose_of(page: str, text: str | None = None) -> list[tuple[int, str]]:
    """The numbered lines of a page outside its fenced blocks."""
    found, inside = [], False
    for number, line in enumerate((read(page) if text is None else text).splitlines(), start=1):
        if line.strip().startswith("```"):
            inside = not inside
        elif not inside:
            found.append((number, line))
    return found


def passages_of(page: str, text: str | None = None) -> list[Passage]:
    """The paragraphs, lists and tables of a page, in order. text: instead of the file's."""
    found: list[Passage] = []
    marks: dict[str, str] = {}
    inside: list[str] = []
    last = 0
    for number, line in [*prose_of(page, text), (sys.maxsize, "")]:
        mark = _MARK.match(line.strip())
        apart = number != last + 1  # a block of code stood between
        if inside and (apart or mark or not line.strip() or line.startswith("#")):
            first = last - len(inside) + 1
            found.append(Passage(page, first, "\n".join(inside), marks))
            marks, inside = {}, []
        if apart or line.startswith("#"):
            marks = {}
        if mark:
            marks = marks | {mark["name"]: mark["value"] or ""}
        elif line.strip() and not line.startswith("#"):
            inside.append(line)
        last = number
    return found


def program_of(page: str) -> str:
    """All python blocks of a page that are run, as one program."""
    wanted = [each for each in blocks_of(page) if each.language == "python"]
    run = [each for each in wanted if each.not_run is None and "file" not in each.marks]
    return "\n".join(each.text for each in run)
