"""Tools that read one object beside others that make or change it: `get_ticket`, `update_ticket`.

To the index "get" is a common word, so that such a tool has all its name said by any prompt that
names the object.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

from ..._core import routing as core
from ..plurals import is_plural
from ..stems import first_stem, stems
from ..types import Tool
from .removal import CHANGING, REMOVING
from .tool_words import words_of

_MAKING = "create add new make insert register"
_READING = "get fetch read show view retrieve list"
_READING_MANY = "list search find query"
_WRITING = (
    f"{_MAKING} {CHANGING} {REMOVING} close reopen reschedule move shift postpone rename assign "
    "reassign set mark finish complete archive resolve approve reject extend shorten write book "
    "schedule"
)
"""Verbs of prompts for which nothing is to be read."""


def sibling_is_meant(prompt: str, tool: Tool, names: Container[tuple[str, ...]]) -> str:
    """Why a tool that only reads is not for the prompt, since a tool of the same object that
    makes or changes it, or reads several, is. Empty where it may be.

    names: of all tools, in stems.
    """
    first, plurals = _opening(prompt)
    if not first and not plurals:  # of most prompts
        return ""
    verb, *rest = core.tokens(tool.name) or [""]
    if not rest or verb not in stems(_READING):
        return ""

    def has(verbs: str) -> bool:
        return any((one, *rest) in names for one in stems(verbs))

    if first and first not in words_of(tool) and has(f"{_MAKING} {CHANGING}"):
        return "it only reads"
    if verb in stems(_READING_MANY) or not has(_READING_MANY):
        return ""
    return "it reads one" if rest[-1] in plurals and not is_plural(tool.name) else ""


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _opening(prompt: str) -> tuple[str, frozenset[str]]:
    """The verb that the prompt begins with, where that writes, and the stems of its plurals."""
    first = first_stem(prompt)
    plurals = (one for one in re.findall(r"[a-z]+", prompt.casefold()) if is_plural(one))
    return first if first in stems(_WRITING) else "", stems(*plurals)
