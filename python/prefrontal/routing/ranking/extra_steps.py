"""Kept compositions that would do more than the prompt asks for.

One that was kept for "read the notes and mail them to ada" shares most words with "read the notes",
which must send nothing. What an earlier step does may go without saying, as the file that is read
before its words are counted; a later one must be spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..types import Tool
from .index import RankedTool

AGAIN = 0.9
"""Cosine to a prompt that the tool was accepted for from which the prompt is the same one."""
_CALLS = " tools, one after the other:\n"
_STEP = re.compile(r"s\d+: (.+)::")


def later_steps(tool: Tool) -> tuple[str, ...]:
    """The keys of a composition's tools, but for the first; none of any other tool."""
    _, calls, rest = tool.spec.doc.partition(_CALLS)
    keys: list[str] = []
    for line in rest.splitlines() if calls else ():
        step = _STEP.match(line.strip())
        if step:
            keys.append(step[1])
        elif line.strip():
            break
    return tuple(keys[1:])


def extra_step(tool: Tool, entry: RankedTool, ranked: Mapping[str, RankedTool]) -> str:
    """What the tool does besides, as a reason against it; empty where the prompt asks for all.

    entry: of the tool. ranked: by key, what ranking says of each tool for the prompt.
    """
    known = entry.explanation or {}
    if known.get("called") or known.get("accepted", 0.0) >= AGAIN:
        return ""
    for key in later_steps(tool):
        step = ranked.get(key)
        if step is not None and step.features["name_similarity"] <= 0.0:
            return f"{key} is not asked for"
    return ""
