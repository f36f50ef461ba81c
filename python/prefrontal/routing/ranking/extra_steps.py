"""Kept compositions that would do more than the prompt asks for.

One that was kept for "read the notes and mail them to ada" shares most words with "read the notes",
which must send nothing. What the first step reads may go without saying, as the file whose words
are counted; a later step must be spoken of, and a first one that sends, writes or removes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..._core import routing as core
from ..plans.places import writes
from ..stems import stems
from ..types import Tool
from .index import RankedTool
from .precedence import harm
from .removal import CHANGING, REMOVING

AGAIN = 0.9
"""Cosine to a prompt that the tool was accepted for from which the prompt is the same one."""
_SENDING = "send email mail post publish notify deliver share forward upload push reply message pay"
_MAKING = "create add insert append book schedule rename move replace overwrite reset commit merge"
_CALLS = " tools, one after the other:\n"
_STEP = re.compile(r"s\d+: (.+)::")


def steps_of(tool: Tool) -> tuple[str, ...]:
    """The keys of a composition's tools, in order; none of any other tool."""
    _, calls, rest = tool.spec.doc.partition(_CALLS)
    keys: list[str] = []
    for line in rest.splitlines() if calls else ():
        step = _STEP.match(line.strip())
        if step:
            keys.append(step[1])
        elif line.strip():
            break
    return tuple(keys)


def has_effects(tool: Tool) -> bool:
    """Whether it does more than to read: by its manifest, else by the verb of its name."""
    if tool.manifest is not None and tool.manifest.side_effects is not None:
        return harm(tool) > 0
    verb = core.tokens(tool.name)[:1]
    return writes(tool) or bool(stems(f"{REMOVING} {CHANGING} {_SENDING} {_MAKING}") & set(verb))


def extra_step(
    tool: Tool, entry: RankedTool, ranked: Mapping[str, RankedTool], tools: Mapping[str, Tool]
) -> str:
    """What the tool does besides, as a reason against it; empty where the prompt asks for all.

    entry: of the tool. ranked: by key, what ranking says of each tool for the prompt. tools: by
    key, too.
    """
    known = entry.explanation or {}
    if known.get("called") or known.get("accepted", 0.0) >= AGAIN:
        return ""
    for number, key in enumerate(steps_of(tool)):
        step = ranked.get(key)
        if number == 0 and key in tools and not has_effects(tools[key]):
            continue
        if step is not None and step.features["name_similarity"] <= 0.0:
            return f"{key} is not asked for"
    return ""
