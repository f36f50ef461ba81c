"""The stored preview of a message: its beginning, cleaned and redacted."""

from __future__ import annotations

from ..plain_text import ELLIPSIS, one_line
from ..redaction import redact

PREVIEW_LENGTH = 200
NAME_LENGTH = 100
RATIONALE_LENGTH = 2000
_READ_LENGTH = 4096
"""Characters that are processed of a text, since redaction takes time."""
_LONGEST_WORD = 300


def preview_of(text: str) -> str:
    """At most `PREVIEW_LENGTH` characters on one line, without secrets."""
    return cleaned(text, PREVIEW_LENGTH)


def cleaned(text: str, limit: int) -> str:
    """The text on one line, redacted and cut to `limit` characters."""
    if not text:
        return text
    if len(text) > _READ_LENGTH:
        text = _beginning(text)
    return cut(one_line(redact(text)).strip(), limit)


def _beginning(text: str) -> str:
    """The beginning, without a last word that may be half a secret."""
    text = text[:_READ_LENGTH]
    words = text.rsplit(None, 1)
    whole = len(words) == 2 and len(words[1]) <= _LONGEST_WORD
    return words[0] if whole else text


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, with "…" where something was cut off."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + ELLIPSIS
