"""Text from outside made safe to stand in a question: visible characters on one line, short."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from unicodedata import category

ELLIPSIS = "…"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Characters with nothing to see that Unicode does not class as format characters: fillers,
# joiners and variation selectors, which can smuggle a hidden message into a prompt.
_INVISIBLE = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0000, 0xE1000),
    ]
)
_BREAKS = frozenset(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"))
_RAW_LIMIT = 8192
_PLAIN = frozenset(map(chr, range(32, 127))) - {"'", "\\"}
"""What stands for itself between the quotes of $'...'."""


MORE = "more"
"""The origin that stands for any: for those beyond the first 24, and where nobody wrote them down.
Nobody's own words have it. See `origins`."""
OPEN, CLOSE = "⟦", "⟧"
_MARKS = str.maketrans({OPEN: "[", CLOSE: "]"})


def marked(text: str) -> str:
    """The text as a quote, between marks that it cannot close."""
    return f"{OPEN}{text.translate(_MARKS)}{CLOSE}"


def _safe(code: int) -> str | None:
    if code in _BREAKS:
        return " "
    kind = category(chr(code))
    if code in _INVISIBLE or kind in ("Cc", "Cf"):
        return None
    return REPLACEMENT if kind in ("Cs", "Co", "Cn") else chr(code)


class _Table(dict[int, str | None]):
    """Answers for ASCII are kept, others worked out each time: memory stays bounded."""

    def __missing__(self, code: int) -> str | None:
        return _safe(code)


_TABLE = _Table({code: _safe(code) for code in range(128)})


def one_line(text: str) -> str:
    """The text with nothing hidden in it, whatever it held.

    Line breaks, tabs and separators become a space each. Other control characters, direction
    marks, zero-width and invisible characters, tags and variation selectors are dropped. Lone
    surrogates (bytes that are no UTF-8), private-use and unassigned characters become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_TABLE)


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters: a third from its start, "…", the rest from its end.

    The end gets more because a path's file name stands there.
    """
    if len(text) <= limit:
        return text
    head = (limit - 1) // 3
    return text[:head] + ELLIPSIS + text[len(text) - (limit - 1 - head) :]


def visible(text: str, limit: int) -> str:
    """`one_line`, then `shorten`; a text of many megabytes costs no more than a long path."""
    if len(text) <= limit:
        return one_line(text)
    return shorten(one_line(shorten(text, _RAW_LIMIT)), limit)


def quote_for_shell(text: str) -> str:
    """One word of a command that people may copy: what cannot be seen stands as bash reads it."""
    if text.isprintable() and _INVISIBLE.isdisjoint(map(ord, text)):
        return shlex.quote(text)
    data = b"".join(map(_file_bytes, text))
    plain = (chr(each) if chr(each) in _PLAIN else f"\\x{each:02x}" for each in data)
    return f"$'{''.join(plain)}'"


def command_line(words: Iterable[str]) -> str:
    """A command that people may copy."""
    return " ".join(map(quote_for_shell, words))


def _file_bytes(character: str) -> bytes:
    """Low surrogates stand for what is no UTF-8 in the name of a file."""
    is_byte = "\udc80" <= character <= "\udcff"
    return character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
