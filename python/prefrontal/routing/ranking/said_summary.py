"""Prompts that say the whole summary of a tool, as "write these rows to a csv file out.csv" says
"Write rows to a CSV file."

That names the tool as its name does, whatever words the names of others share with the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import lru_cache

from ..._core import routing as core
from ..catalog.docstring import summary
from ..types import Tool

FEWEST = 2
"""Words with content that a summary must have."""
_NEGATION = re.compile(r"\b(?:not|no|never|without|except|instead|dont)\b|n['’]t\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;:](?:\s|\Z)")


def says_summary(prompt: str, tool: Tool, known: Callable[[], Set[str]]) -> bool:
    """Whether the prompt says the tool's summary and no other word that a tool has.

    It may begin with none, for that is what to do; others that no tool has name things: a file, a
    person. known: gives all that tools have.
    """
    own, wanted = frozenset(_summary_words(tool.spec.doc)), _content(prompt)
    if len(own) < FEWEST or not own.issubset(wanted) or _NEGATION.search(prompt):
        return False
    others = frozenset(wanted) - own
    return wanted[0] in own and not (others and others & known())


@lru_cache(maxsize=4096)
def _summary_words(doc: str) -> tuple[str, ...]:
    return _content(_SENTENCE.split(summary(doc), maxsplit=1)[0])


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _content(text: str) -> tuple[str, ...]:
    return tuple(token for token in core.tokens(text) if not core.is_stop_word(token))
