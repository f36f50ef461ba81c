"""What will change, as a unified difference."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from ..plain_text import one_line, shorten
from .changes import TextChange

LONGEST_LINE = 8000


def difference(change: TextChange) -> list[str]:
    """The lines of a unified difference; control characters are shown, not obeyed."""
    before, after = _lines(change.now), _lines(change.then)
    name = change.place.name
    old = "/dev/null" if change.now is None else name
    new = "/dev/null" if change.then is None else name
    lines = difflib.unified_diff(before, after, old, new, lineterm="")
    return [shorten(one_line(line), LONGEST_LINE) for line in lines]


def _lines(text: str | None) -> list[str]:
    """The lines; an ending that is not the usual one is shown as part of its line."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], f"{lines[-1]} (no newline at the end)"]


STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def styled(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each line with its style for a terminal."""
    for line in lines:
        yield line, next((style for start, style in STYLES if line.startswith(start)), "")
