"""Tools that remove something, and prompts that ask for that.

A prompt that asks to remove is not for a tool that makes or reads, however alike their objects
are, and a tool that removes is for no prompt that does not say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..._core import routing as core
from ..place_names import places_in, with_places
from ..stems import stems
from ..types import Tool
from .tool_words import words_of

REMOVING = "delete remove erase cancel drop discard purge wipe destroy uninstall revoke"
CHANGING = "update edit modify change amend manage"
"""What a tool may do that removes in a wider sense: a meeting is cancelled by its status."""
ANYTHING = "everything anything something whatever stuff thing things"
"""Words that do not say what is to be removed."""
READING = "show tell get give know"
"""Verbs among the stop words of the index."""

_PHRASES = re.compile(
    r"\b(?:get(?:ting)? rid of|do away with|throw (?:away|out)|throw(?= .*\b(?:away|out)\b))",
    re.IGNORECASE,
)
"""What else asks to remove: "get rid of the ticket", "throw the note away"."""

FACTOR = 0.3
"""Of the name and doc features where the prompt and the tool do not agree on removing."""
ACCEPTED = 0.6
"""Nearness to an accepted prompt from which experience says more than the words."""

NO_OBJECT = "the prompt does not say what to remove"


@lru_cache(maxsize=64)  # of a prompt each tool asks
def asks_to_remove(prompt: str) -> bool:
    """Whether the first verb, after words of courtesy, asks to remove something."""
    prompt = _plain(prompt)
    verbs = (one for one in core.tokens(prompt) if one in stems(READING) or _has_content(one))
    return next(verbs, None) in stems(REMOVING)


def may_remove(tool: Tool) -> bool:
    """Whether any text of the tool speaks of removing or changing."""
    return bool(stems(f"{REMOVING} {CHANGING}") & words_of(tool))


def disagreement(prompt: str, tool: Tool, near: Iterable[tuple[str, str]] = ()) -> str:
    """Why the tool is not for the prompt; empty where they agree.

    near: words of the prompt that no tool has, each with a stem of the tool that means about the
    same. A tool that speaks of nothing that the prompt says besides the verb removes other things.
    """
    prompt = _plain(prompt)
    if asks_to_remove(prompt):
        of_anything = stems(REMOVING).issuperset(core.tokens(tool.name))
        if stems(f"{REMOVING} {ANYTHING}").issuperset(
            one for one in core.tokens(prompt) if _has_content(one)
        ):
            return "" if of_anything else NO_OBJECT
        if not may_remove(tool):
            return "it does not remove"
        alike = {stem for word, stem in near if not stems(REMOVING).issuperset(core.tokens(word))}
        of_these = of_anything or (_objects(prompt) | alike) & words_of(tool)
        return "" if of_these else "it removes or changes other things"
    name = next(iter(core.tokens(tool.name)), "")
    if name not in stems(REMOVING) or stems(REMOVING) & set(core.tokens(prompt)):
        return ""
    return "it removes, which was not asked for"


@lru_cache(maxsize=64)
def _plain(prompt: str) -> str:
    return _PHRASES.sub("remove", prompt)


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _objects(prompt: str) -> frozenset[str]:
    """Stems of what the prompt says besides the verb; of a place, that it is a file or a folder."""
    kinds = [
        "path folder directory" if one[-1] == "/" else "path file" for one in places_in(prompt)
    ]
    words = core.tokens(with_places(prompt, lambda _: " "))
    others = frozenset(one for one in words if _has_content(one)) | stems(*kinds)
    return others - stems(REMOVING)


def _has_content(token: str) -> bool:
    return not core.is_stop_word(token)
