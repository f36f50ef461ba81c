"""What a tool's texts speak of."""

from __future__ import annotations

from collections.abc import Iterable

from ..._core import routing as core
from ..prompt.verbs import groups
from ..types import Tool


def words_of(tool: Tool) -> set[str]:
    """The stems of all texts of the tool."""
    intents = tool.manifest.intents if tool.manifest else ()
    return {one for text in (tool.name, tool.spec.doc, *intents) for one in core.tokens(text)}


def speaks_of(tool: Tool, verb: str) -> bool:
    """Whether any text of the tool has the verb, which is a stem, or one of the same meaning."""
    return _has_verb(words_of(tool), verb)


def does(tool: Tool, verb: str) -> bool:
    """Whether the verb, which is a stem, or one of the same meaning is in the tool's name or opens
    one of its texts.
    """
    intents = tool.manifest.intents if tool.manifest else ()
    openings = [next(iter(core.tokens(text)), "") for text in (tool.spec.doc, *intents)]
    return _has_verb((*core.tokens(tool.name), *openings), verb)


def _has_verb(words: Iterable[str], verb: str) -> bool:
    same = groups().get(verb, frozenset())
    return any(one == verb or same & groups().get(one, frozenset()) for one in words)
