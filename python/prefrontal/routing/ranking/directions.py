"""From what to what a tool converts: "convert people.csv to json" is not for `json_to_csv`.

Such a pair shares all its words, so that only their order tells which one is meant.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..._core import routing as core
from ..types import Tool
from .file_names import without_file_names

_OF_NAME = re.compile(
    r"(?:.*_)?(?P<source>[A-Za-z]+)_(?:to|2)_(?P<target>[A-Za-z]+)(?:_.*)?"
    r"|(?:.*_)?(?P<first>[a-z]+)(?:To|2)(?P<second>[A-Za-z]+)"
)
_JOINT = re.compile(r"\b(?:to|into|as)\b", re.IGNORECASE)
_MOST_WORDS = 6
"""So many on each side of "to" may name what is converted."""
_MOST_JOINTS = 20


def goes_back(prompt: str, tool: Tool) -> str:
    """Why the tool is not for the prompt: it makes what the prompt has of what the prompt wants.
    Empty where it may be.
    """
    match = _OF_NAME.fullmatch(tool.name)
    if match is None:
        return ""
    source, target = match["source"] or match["first"], match["target"] or match["second"]
    one, other = (" ".join(core.tokens(word)) for word in (source, target))
    if one == other or not _goes(prompt, other, one) or _goes(prompt, one, other):
        return ""
    return f"it goes from {source} to {target}"


def _goes(prompt: str, source: str, target: str) -> bool:
    return any(source in front and target in back for front, back in _sides(prompt))


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _sides(prompt: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The stems in front of each "to" and behind it."""
    text = without_file_names(prompt)
    sides = []
    for joint in [*_JOINT.finditer(text)][:_MOST_JOINTS]:
        front = re.findall(r"\w+", text[: joint.start()][-200:])[-_MOST_WORDS:]
        back = re.findall(r"\w+", text[joint.end() :][:200])[:_MOST_WORDS]
        sides.append((_stems(front), _stems(back)))
    return tuple(sides)


def _stems(words: list[str]) -> frozenset[str]:
    return frozenset(" ".join(core.tokens(word)) for word in words)
