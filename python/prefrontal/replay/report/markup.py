"""The few pieces of markup that the report's parts share; all text passes through `escape`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape as escape_html

from .wording import printable


def escape(text: str, limit: int = 0) -> str:
    """Text for an element or a quoted attribute; figures keep their units on the same line."""
    return escape_html(printable(text, limit)).replace(" %", "\u00a0%")


def unbroken(text: str) -> str:
    """Large type, in which neither "wake-up" nor "3 of 5" may be broken."""
    whole = re.sub(r"(\d) of (\d)", "\\1\u00a0of\u00a0\\2", escape(text))
    return whole.replace("-up", "\u2011up")


def mark(name: str) -> str:
    """One of the page's symbols, drawn in the colour of that name."""
    return f'<svg class="mark {name}" aria-hidden="true"><use href="#mark-{name}"/></svg>'


def table(heads: Sequence[str], rows: Sequence[str], minor: Sequence[str] = ()) -> str:
    """A table of figures. minor: headings of the columns that a narrow window leaves out."""
    top = "".join(f'<th scope="col"{_kind(head, minor)}>{head}</th>' for head in heads)
    return (
        f'<table class="figures"><thead><tr>{top}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def row(
    head: str,
    cells: Sequence[str],
    heads: Sequence[str],
    minor: Sequence[str] = (),
    attributes: str = "",
) -> str:
    """A row; heads: those of its cells, without the first."""
    body = "".join(
        f"<td{_kind(label, minor)}>{_unbroken(cell)}</td>"
        for cell, label in zip(cells, heads, strict=True)
    )
    return f'<tr{attributes}><th scope="row">{head}</th>{body}</tr>'


def _kind(head: str, minor: Sequence[str]) -> str:
    return ' class="minor"' if head in minor else ""


def _unbroken(cell: str) -> str:
    """A figure of one word and its unit stays on one line; longer words may break."""
    text = escape(cell)
    return text if text.count(" ") > 1 else text.replace(" ", "\u00a0")
