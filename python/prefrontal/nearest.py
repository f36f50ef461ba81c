"""The name that somebody meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

CUTOFF = 0.6

LONGEST_KEY = 100
"""Characters of an unknown key that are shown."""


def nearest(name: object, known: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """The known name that this looks like a misspelling of; None where there is none."""
    if not isinstance(name, str):
        return None
    by_folded = {each.casefold(): each for each in known}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def did_you_mean(name: object, known: Iterable[str], cutoff: float = CUTOFF) -> str:
    """` (did you mean 'x'?)`, or "" where nothing is near."""
    close = nearest(name, known, cutoff)
    return f" (did you mean {close!r}?)" if close else ""


def unknown_key(whole: str, key: object, known: Iterable[str], text: str = "") -> str:
    """The sentence that refuses a key, the nearest first. text: the key, where it may be long."""
    names = list(known)
    word = text or repr(key)
    if len(word) > LONGEST_KEY:
        word = f"{word[:LONGEST_KEY]}..."
    rule = f"{whole} must have only known keys, got {word}"
    return f"{rule}{did_you_mean(key, names)}; known are {', '.join(names)}"
