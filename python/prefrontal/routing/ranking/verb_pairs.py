"""Two verbs that name one act: "search and replace" is no search, "copy and paste" finds no copies.

A tool that shares one word with such a prompt, or a near one, and speaks of the act nowhere, is not
meant.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..stems import first_stem, stems
from ..types import Tool
from .tool_words import words_of

_AND = r"(?:[\s-]*\band\b[\s-]*|\s*[&/-]\s*)"
_PAIRS = (
    (rf"\b(search|find){_AND}replace\b", "replace", "substitute change modify edit update rewrite"),
    (rf"\b(copy){_AND}paste\b", "copy or paste", "clone clipboard"),
    (rf"\b(cut){_AND}paste\b", "cut or paste", "move clipboard"),
    (rf"\b(drag){_AND}drop\b", "drag or drop", "move upload"),
)
"""How the pair is written, what it does, and other words for that."""


def lacks_the_act(prompt: str, tool: Tool) -> str:
    """Why the tool is not for a prompt that opens with a pair; empty where it may be."""
    act, others = _act(prompt)
    if not act or stems(f"{act} {others}") & words_of(tool):
        return ""
    return f"it does not {act}"


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _act(prompt: str) -> tuple[str, str]:
    """What the pair that the prompt opens with does, and other words for that; empty for none."""
    text = prompt.casefold()
    for written, act, others in _PAIRS:
        pair = re.search(written, text)
        if pair and first_stem(text) in stems(pair[1]):
            return act, others
    return "", ""
