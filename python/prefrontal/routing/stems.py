"""The stems of lists of words, as comparing has them."""

from __future__ import annotations

from functools import lru_cache

from .._core import routing


@lru_cache(maxsize=1024)
def stems(*texts: str) -> frozenset[str]:
    """The stems of the words of all texts."""
    return frozenset(token for text in texts for token in routing.tokens(text))


def first_stem(text: str) -> str:
    """The stem of the first word with content; empty for none."""
    return next((one for one in routing.tokens(text) if not routing.is_stop_word(one)), "")
