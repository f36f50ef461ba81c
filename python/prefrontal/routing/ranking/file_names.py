"""What a prompt asks for without the words of its files' names.

"Find todos in tests/test_a.py" says what is to be done, and in which file; nothing is to be tested.
Nor is anything to be zipped where one says "get a.zip".
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

from ..._core import routing as core
from ..place_names import ending_of, is_host, place_spans, places_in, with_places
from ..prompt.antecedents import names_a_thing
from ..prompt.denials import to_be_done
from ..prompt.verbs import groups
from ..stems import stems
from ..types import Tool
from .tool_words import speaks_of

_SAYS_WHAT_IT_IS = re.compile(
    r"(?:readme|changelog|changes|licen[cs]e|contributing|authors|requirements|package|pyproject"
    r"|dockerfile|makefile|setup|security)\b",
    re.IGNORECASE,
)
"""Names that everybody gives to the same file: "update the README.md" means the readme."""


_OF_WHAT_IS_THERE = (
    "get open fetch download pull retrieve receive read load parse import look view inspect see "
    "show print send email mail share upload copy move rename delete remove check verify take"
)
"""Verbs whose object is there before; "make a.zip" may ask to zip something."""
_TO_BE_RUN = re.compile(
    r"(?:\A|\b(?:use|using|call|invoke|run|execute|via|start|launch|please)"
    r"(?:\s+(?:the|a|my|our|tool|script|program|file|named|called))*)[\s'\"`‘“]*\Z",
    re.IGNORECASE,
)
"""In front of a file that is itself the tool to be run."""
_FAR = 100
_BEFORE_A_FILE = "in into inside at me us up the my our this that file archive"


def without_file_names(prompt: str) -> str:
    """The prompt with the ending alone of each file's name, and the scheme of each address.

    "count the lines of src/secrets.py" gives "count the lines of py". The name of a host stays: it
    says whom to ask.
    """
    return with_places(prompt, _what_is_left)


def without_files_of_tools(prompt: str, names: Container[tuple[str, ...]]) -> str:
    """The prompt with the ending alone of each file that has the name of a tool, unless it is what
    is to be run: "count the lines of find_todos.py" calls no tool.

    names: the stems of each tool's name.
    """
    parts, last = [], 0
    for start, end in place_spans(prompt):
        place = prompt[start:end]
        stem = place.rpartition("/")[2].partition(".")[0]
        is_run = _TO_BE_RUN.search(prompt[max(0, start - _FAR) : start])
        if ending_of(place) and not is_run and tuple(core.tokens(stem)) in names:
            parts += [prompt[last:start], ending_of(place)]
            last = end
    return "".join([*parts, prompt[last:]])


def to_be_learned(prompt: str) -> str:
    """What a prompt asks for, without what it denies and the names of its files."""
    request = to_be_done(prompt)
    rest = without_file_names(request)
    return rest if core.tokens(rest) else request


def _what_is_left(place: str) -> str:
    scheme, mark, _ = place.partition("://")
    if mark:
        return scheme
    if is_host(place) or _SAYS_WHAT_IT_IS.match(place.rpartition("/")[2]):
        return place
    return ending_of(place)


def names_only_files(prompt: str) -> bool:
    """Whether the prompt names a file and has no other word with content: "what is in test.py"."""
    return bool(places_in(prompt)) and not names_a_thing(_without_places(prompt))


def _without_places(prompt: str) -> str:
    return with_places(prompt, lambda _: " ")


def says_only_which(prompt: str, tool: Tool) -> str:
    """Why the tool is not for the prompt: its name begins with a verb that is but the ending of a
    file that is there, and no text of the tool has a verb like the prompt's. Empty where it may be.
    """
    first = next(iter(core.tokens(tool.name)), "")
    verb = _endings(prompt).get(first, "")
    if not verb or first not in groups() or any(speaks_of(tool, one) for one in stems(verb)):
        return ""
    return f"only the name of a file to {verb} has its verb"


@lru_cache(maxsize=64)  # of a prompt each tool asks
def _endings(prompt: str) -> dict[str, str]:
    """Stems that only endings of files bring into the prompt, with what is done to the first such
    file.
    """
    others = core.tokens(_without_places(prompt))
    verbs: dict[str, str] = {}
    for start, end in place_spans(prompt):
        for stem in core.tokens(ending_of(prompt[start:end])):
            verbs.setdefault(stem, _verb_at_end(prompt[:start]))
    return {stem: verb for stem, verb in verbs.items() if verb and stem not in others}


def _verb_at_end(before: str) -> str:
    """The verb for what is there whose object stands behind these words; empty for none."""
    words = re.findall(r"\w+", before.lower())
    while words and words[-1] in _BEFORE_A_FILE.split():
        words.pop()
    is_verb = words and stems(_OF_WHAT_IS_THERE) & set(core.tokens(words[-1]))
    return words[-1] if is_verb else ""
