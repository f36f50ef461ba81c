"""Texts for a dry run that fit what a parameter is by its name: a day, an address."""

from __future__ import annotations

import re

DAY = "2025-01-01"
ADDRESS = "https://example.invalid/"
"""Of no machine, by RFC 2606: with the network on a trial reaches nobody."""
_DAYS = frozenset(("date", "day", "today", "deadline", "birthday"))
_ENDS = frozenset(("start", "end", "since", "until", "begin", "from", "to", "first", "last", "due"))
_ADDRESSES = frozenset(("url", "uri", "link", "website", "endpoint"))
_SAYS_DAYS = re.compile(r"\b(?:dates?|days?)\b", re.IGNORECASE)


def example_text(name: str, about: str, context: str) -> str:
    """A text for a parameter. about: what is said of it; context: of the tool."""
    words = set(re.findall(r"[a-z]+", name.lower()))
    if words & _ADDRESSES:
        return ADDRESS
    is_end = bool(words & _ENDS) and _SAYS_DAYS.search(about or context)
    return DAY if words & _DAYS or is_end else ""
