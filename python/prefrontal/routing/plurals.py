"""Whether a noun speaks of several things."""

from __future__ import annotations

import re

_ENDING = re.compile(r"(?:[^isu\W]s|people|children)\Z", re.IGNORECASE)
_LAST_WORD = re.compile(r"[^\W_]*\Z")
_SINGULAR = "analysis alias canvas lens bias atlas gas news series"
"""Nouns of one thing that end in s."""


def is_plural(name: str) -> bool:
    """Whether the last word of a name or phrase is a plural: `page_names`, "the old files"."""
    match = _LAST_WORD.search(name)
    word = match[0].lower() if match else ""
    return bool(_ENDING.search(word)) and word not in _SINGULAR.split()
