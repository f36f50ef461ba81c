"""Which words of a text are files, paths and addresses."""

from __future__ import annotations

import re

_NAME = re.compile(r"\w[\w.~-]*\.(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{1,5}\Z|[~.]{0,2}/\S")
"""A file name ("prices.csv"), or a path from a root ("~/notes", "/srv"); see `places_in`."""
_ABBREVIATION = re.compile(r"(?:\w\.)+\w\Z")
_MARKS = "\"'`“”‘’()[]<>,;:!?."


def places_in(text: str) -> tuple[str, ...]:
    """The files, paths and addresses that the text names, in order, each once."""
    words = (word.rstrip(_MARKS).lstrip(_MARKS.replace(".", "")) for word in text.split())
    places = (word for word in words if "://" in word or _NAME.match(word))
    return tuple(dict.fromkeys(one for one in places if not _ABBREVIATION.match(one)))
