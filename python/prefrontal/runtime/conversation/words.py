"""Texts and queries in the form that the index of words takes."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

MOST_TERMS = 32
"""Words of a query that count."""

# Scripts that put no space between words: each character is a word, several are a phrase.
_UNSPACED = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U000323af])"
)
_TERM = re.compile(r'"([^"]*)"|(\S+)')


def indexed(text: str) -> str:
    """The text with spaces around each character of a script that writes without them."""
    text = text.replace("\0", " ")
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def terms(query: str) -> list[str]:
    """The terms of a query, each an expression of FTS5: a word, "a phrase" or `begin*`.

    What holds no letter and no digit is left out; so is a term that stands there before.
    """
    expressions: dict[str, None] = {}
    for match in _TERM.finditer(query):
        phrase, word = match.groups()
        text = indexed(word if phrase is None else phrase).replace('"', " ").strip()
        if any(character.isalnum() for character in text):
            begins = phrase is None and len(text) > 1 and text.endswith("*")
            quoted = '"' + text.rstrip("*") + '"'
            expressions.setdefault(f"{quoted} *" if begins else quoted)
    return list(expressions)[:MOST_TERMS]


def is_exact(query: str) -> bool:
    """Whether the query has a phrase or a beginning, so that nothing but its words is wanted."""
    return '"' in query or any(word.endswith("*") for word in query.split())


@lru_cache(maxsize=64)
def channel_word(channel_type: str) -> str:
    """The word in `place` of all messages that came through channels of a type."""
    return "t" + blake2b(channel_type.encode(), digest_size=8).hexdigest()
