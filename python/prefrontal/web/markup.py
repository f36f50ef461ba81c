"""Pieces of the page. What is no piece is text of a stranger, and is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from string import Template
from urllib.parse import quote, unquote_to_bytes

from ..plain_text import visible

LONGEST = 400
"""Most characters of one text on the page."""
MOST_FOLDED = 57
_FOLD = """\
<li id="$key" class="fold"><details id="$key-fold"><summary>$count $words</summary>\
<ul class="cards">$pieces</ul></details></li>"""


class Html(str):
    """Text that is markup already; nothing else gets onto the page unescaped."""

    __slots__ = ()


def fill(template: str, **values: object) -> Html:
    """The template with each $name replaced: markup as it is, anything else escaped.

    None and False leave nothing, True leaves the name itself, as an attribute without a value.
    """
    return Html(Template(template).substitute({k: _safe(k, v) for k, v in values.items()}))


def join(pieces: Iterable[Html]) -> Html:
    """The pieces in a row."""
    return Html("".join(pieces))


def escaped(text: object, limit: int = LONGEST) -> Html:
    """The text on one line, with nothing hidden in it, safe in an element and in quotes."""
    return Html(escape(visible(str(text), limit)))


def exact(text: str) -> str:
    """A name as the page hands it back, whatever it holds; `meant` reads it."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def meant(text: str) -> str:
    """The name that `exact` wrote."""
    return unquote_to_bytes(text).decode("utf-8", "surrogatepass")


def mark(name: str) -> Html:
    """One of the page's symbols, in the colour of that name."""
    return fill(
        '<svg class="mark $name" aria-hidden="true" focusable="false"><use href="#mark-$name"/>'
        "</svg>",
        name=name,
    )


def moment(time: float, *, ago: bool = True) -> Html:
    """A moment, Unix seconds; the page shows it as it reads here, and how long ago it is."""
    try:
        then = datetime.fromtimestamp(time, UTC)
    except (OverflowError, OSError, ValueError):
        return Html("")
    return fill(
        '<time datetime="$iso"$ago>$text</time>',
        iso=then.strftime("%Y-%m-%dT%H:%M:%SZ"),
        ago=Html(" data-ago") if ago else Html(""),
        text=then.strftime("%Y-%m-%d %H:%M UTC"),
    )


def folded(
    key: str, pieces: Sequence[tuple[str, Html]], most: int, words: str = "more"
) -> dict[str, Html]:
    """The first pieces, id and markup, as they are; some more behind a line that opens them.

    words: of that line, behind how many they are.
    """
    context = dict(pieces[:most])
    if rest := pieces[most : most + MOST_FOLDED]:
        count, cards = len(pieces) - most, join(html for _, html in rest)
        context[key] = fill(_FOLD, key=key, count=count, words=words, pieces=cards)
    return context


def _safe(name: str, value: object) -> str:
    if isinstance(value, Html):
        return value
    if value is None or value is False:
        return ""
    # a figure keeps its unit on the same line
    return escaped(name if value is True else value).replace(" %", "\u00a0%")
