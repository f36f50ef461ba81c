"""What a prompt asks for without the words of its files' names.

"Find todos in tests/test_a.py" says what is to be done, and in which file; nothing is to be tested.
"""

from __future__ import annotations

import re

from ..place_names import ending_of, is_host, with_places

_SAYS_WHAT_IT_IS = re.compile(
    r"(?:readme|changelog|changes|licen[cs]e|contributing|authors|requirements|package|pyproject"
    r"|dockerfile|makefile|setup|security)\b",
    re.IGNORECASE,
)
"""Names that everybody gives to the same file: "update the README.md" means the readme."""


def without_file_names(prompt: str) -> str:
    """The prompt with the ending alone of each file's name, and the scheme of each address.

    "count the lines of src/secrets.py" gives "count the lines of py". The name of a host stays: it
    says whom to ask.
    """
    return with_places(prompt, _what_is_left)


def _what_is_left(place: str) -> str:
    scheme, mark, _ = place.partition("://")
    if mark:
        return scheme
    if is_host(place) or _SAYS_WHAT_IT_IS.match(place.rpartition("/")[2]):
        return place
    return ending_of(place)
