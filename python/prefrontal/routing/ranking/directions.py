"""From what to what a tool converts: "convert people.csv to json" is not for `json_to_csv`.

Such a pair shares all its words, so that only their order tells which one is meant.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..._core import routing as core
from ..place_names import ending_of, with_places
from ..stems import stems
from ..types import Tool

_OF_NAME = re.compile(
    r"(?:.*_)?(?P<source>[A-Za-z]+)_(?:to|2)_(?P<target>[A-Za-z]+)(?:_.*)?"
    r"|(?:.*_)?(?P<first>[a-z]+)(?:To|2)(?P<second>[A-Za-z]+)"
)
_CONVERTING = "convert turn transform translate change transcode export save reformat"
_JOINT = re.compile(r"\b(?:to|into|as)\b", re.IGNORECASE)
_MOST_WORDS = 6
"""So many on each side of "to" may name what is converted."""
_MOST_JOINTS = 20


def goes_back(prompt: str, tool: Tool) -> str:
    """Why the tool is not for the prompt: it makes what the prompt has of what the prompt wants.
    Empty where it may be.
    """
    ends = _ends(tool)
    if ends is None:
        return ""
    one, other = map(_stem, ends)
    if one == other or not _goes(prompt, other, one) or _goes(prompt, one, other):
        return ""
    return f"it goes from {ends[0]} to {ends[1]}"


def says_conversion(prompt: str, tool: Tool) -> bool:
    """Whether the prompt asks to convert from what to what the tool's whole name says."""
    ends = _ends(tool)
    if ends is None or len(core.tokens(tool.name)) > len(core.tokens(" ".join(ends))) + 1:
        return False
    opening = core.tokens(" ".join(re.findall(r"\w+", prompt)[:_MOST_WORDS]))
    asks = any(one in stems(_CONVERTING) for one in opening)
    return asks and _goes(prompt, *map(_stem, ends)) and not _goes(prompt, *map(_stem, ends[::-1]))


def _ends(tool: Tool) -> tuple[str, str] | None:
    """From what and to what the tool goes by its name."""
    match = _OF_NAME.fullmatch(tool.name)
    if match is None:
        return None
    return match["source"] or match["first"], match["target"] or match["second"]


def _goes(prompt: str, source: str, target: str) -> bool:
    return any(source in front and target in back for front, back in _sides(prompt))


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _sides(prompt: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The stems in front of each "to" and behind it."""
    text = with_places(prompt, ending_of)
    sides = []
    for joint in [*_JOINT.finditer(text)][:_MOST_JOINTS]:
        front = re.findall(r"\w+", text[: joint.start()][-200:])[-_MOST_WORDS:]
        back = re.findall(r"\w+", text[joint.end() :][:200])[:_MOST_WORDS]
        sides.append((_stems(front), _stems(back)))
    return tuple(sides)


def _stems(words: list[str]) -> frozenset[str]:
    return frozenset(map(_stem, words))


def _stem(word: str) -> str:
    return " ".join(core.tokens(word))
