"""Which words of a text are files, folders and addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_ENDING = r"\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,5}\Z"
_PLACE = re.compile(
    rf"""
      \S*://\S*                                          # an address
    | [~.]{{0,2}}/\S                                     # a path from a root: "~/notes", "/srv"
    | (?: [\w.~-]+ / )+ \Z                               # a folder: "docs/"
    | (?: [\w.~-]+ / )* [\w~-] [\w.~-]* {_ENDING}        # a file: "src/app.py"
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_PLACE = re.compile(
    r"(?:(?:\w\.)+\w|v?\d++(?:\.\d++)++\w*|(?:node|next|vue|nuxt|three|d3|express)\.js)\Z",
    re.IGNORECASE,
)
"""Abbreviations, amounts, versions and what only is called like a file."""
_HOST = re.compile(r"[\w.-]*\.(?:com|org|net|io|edu|dev|ai)\Z", re.IGNORECASE)
_OF_FILE = re.compile(rf"\w{_ENDING}", re.IGNORECASE)
_MARKS = "\"'`“”‘’()[]<>,;:!?."
_LEADING_MARKS = _MARKS.replace(".", "")


def is_place_name(word: str) -> bool:
    """Whether a word, without marks around it, is a file, a path or an address.

    A path is known by its ending, by a slash at its start or end, or by its scheme; "and/or" is
    none.
    """
    return bool(_PLACE.match(word)) and not _NO_PLACE.match(word)


def is_host(place: str) -> bool:
    """Whether a place is an address without a scheme: "example.com"."""
    return bool(_HOST.match(place))


def places_in(text: str) -> tuple[str, ...]:
    """The files, paths and addresses that the text names, in order, each once."""
    return tuple(dict.fromkeys(text[start:end] for start, end in place_spans(text)))


def with_places(text: str, instead: Callable[[str], str]) -> str:
    """The text with something else for each place that it names."""
    parts, last = [], 0
    for start, end in place_spans(text):
        parts += [text[last:start], instead(text[start:end])]
        last = end
    return "".join([*parts, text[last:]])


def ending_of(place: str) -> str:
    """The ending of a file's name without its dot: "gz" of "a.tar.gz"; empty for none."""
    match = _OF_FILE.search(place)
    return match[0][2:] if match else ""


def place_spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each file, folder and address, without the marks around it."""
    for word in re.finditer(r"\S+", text):
        bare = word[0].rstrip(_MARKS).lstrip(_LEADING_MARKS)
        if is_place_name(bare):
            start = word.start() + word[0].index(bare)
            yield start, start + len(bare)
