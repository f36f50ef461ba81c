"""What is ours in a text that belongs to somebody else."""

from __future__ import annotations

import difflib
from typing import Any, Protocol


class OwnPart(Protocol):
    """How our part is put into a text and taken out of it. All raise InputError for a text that
    cannot be read."""

    def meaning(self, text: str) -> Any:
        """What the text says, without how it is laid out."""
        ...

    def has_own(self, text: str) -> bool: ...

    def with_own(self, text: str) -> str:
        """The text with our part, which it does not have."""
        ...

    def without_own(self, text: str, before: str | None) -> str | None:
        """The text without our part, or None where nothing is left of it.

        before: the text as it was found, as far as that is known.
        """
        ...


def taken_out(part: OwnPart, text: str, before: str | None, after: str | None) -> str | None:
    """The text without our part, though somebody changed it since.

    before, after: the text as it was found and as it was written, as far as known. The lines that
    were changed then are changed back, where they stand as they were written; otherwise the part is
    cut out.
    """
    if text == after:
        return before
    cut = part.without_own(text, before)
    if cut is None or before is None or after is None:
        return cut
    merged = _changed_back(before, after, text)
    if merged is None or merged == text or part.has_own(merged):
        return cut
    return merged if part.meaning(merged) == part.meaning(cut) else cut


def _changed_back(before: str, after: str, text: str) -> str | None:
    """`text` with the lines of `before` where those of `after` differ from it; None where they
    do not stand there any more."""
    first, written, lines = (each.splitlines(keepends=True) for each in (before, after, text))
    place = _places(written, lines)
    result, at = list[str](), 0
    for kind, a, b, c, d in difflib.SequenceMatcher(None, written, first, False).get_opcodes():
        if kind == "equal":
            continue
        here = [place.get(index) for index in range(a, b)]
        begin = place.get(a - 1, -2) + 1 if a else 0
        if a < b:
            if here[0] is None or here != list(range(here[0], here[0] + b - a)):
                return None
            begin = here[0]
        if begin < at:
            return None
        result += lines[at:begin] + first[c:d]
        at = begin + b - a
    return "".join(result + lines[at:])


def _places(written: list[str], lines: list[str]) -> dict[int, int]:
    """Where each line that is still there stands now."""
    matcher = difflib.SequenceMatcher(None, written, lines, False)
    return {a + n: b + n for a, b, size in matcher.get_matching_blocks() for n in range(size)}
