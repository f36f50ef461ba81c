"""Which arguments name a place, such as a file or a page, and which places a prompt names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..._core import routing
from ..stems import stems
from ..types import ArgSpec, Tool

FILES = "path file filename filepath"
FOLDERS = "folder directory dir"
PLACES = f"{FILES} {FOLDERS} url uri location"
TARGETS = "target destination dest dst"
_WRITING = "save write store export persist dump"
_NAME = re.compile(r"\w[\w.~-]*\.(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{1,5}\Z|[~.]{0,2}/\S")
"""A file name ("prices.csv"), or a path from a root ("~/notes", "/srv"); see `places_in`."""
_ABBREVIATION = re.compile(r"(?:\w\.)+\w\Z")
_MARKS = "\"'`“”‘’()[]<>,;:!?."


def is_place(arg: ArgSpec) -> bool:
    """Whether the argument, by its name, says where something is or goes."""
    return bool(stems(f"{PLACES} {TARGETS}") & set(routing.tokens(arg.name)))


def same_kind(output: str, argument: str) -> bool:
    """Whether both names end in a word for a file: what the one leads to, the other reads."""
    ends = [routing.tokens(name)[-1:] for name in (output, argument)]
    return all(set(end) & stems(FILES) for end in ends)


def writes(tool: Tool) -> bool:
    """Whether its name begins with a verb for putting something somewhere."""
    return bool(set(routing.tokens(tool.name)[:1]) & stems(_WRITING))


def places_in(text: str) -> tuple[str, ...]:
    """The files, paths and addresses that the text names, in order, each once."""
    words = (word.rstrip(_MARKS).lstrip(_MARKS.replace(".", "")) for word in text.split())
    places = (word for word in words if "://" in word or _NAME.match(word))
    return tuple(dict.fromkeys(one for one in places if not _ABBREVIATION.match(one)))


def places_of(args: Sequence[ArgSpec], text: str) -> dict[str, str]:
    """The place that the text names for each required argument that is one, in their order."""
    names = [arg.name for arg in args if arg.required and is_place(arg)]
    return dict(zip(names, places_in(text), strict=False))
