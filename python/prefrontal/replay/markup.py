"""The few pieces of markup that the report's parts share; all text passes through `escape`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as escape_html

from .wording import printable


def escape(text: str, limit: int = 0) -> str:
    """Text for an element or a quoted attribute; figures keep their units on the same line."""
    return escape_html(printable(text, limit)).replace(" %", "\u00a0%")


def mark(name: str) -> str:
    """One of the page's symbols, drawn in the colour of that name."""
    return f'<svg class="mark {name}" aria-hidden="true"><use href="#mark-{name}"/></svg>'


def table(heads: Sequence[str], rows: Sequence[str]) -> str:
    """The roles are spelled out because a narrow window lays the cells out as blocks."""
    top = "".join(f'<th scope="col" role="columnheader">{head}</th>' for head in heads)
    return (
        f'<table class="figures" role="table"><thead role="rowgroup"><tr role="row">{top}</tr>'
        f'</thead><tbody role="rowgroup">{"".join(rows)}</tbody></table>'
    )


def row(head: str, cells: Sequence[str], labels: Sequence[str], attributes: str = "") -> str:
    """Cells carry their heading, which a narrow window shows instead of the heading row."""
    body = "".join(
        f'<td role="cell" data-label="{label}">{escape(cell)}</td>'
        for cell, label in zip(cells, labels, strict=True)
    )
    return f'<tr role="row"{attributes}><th scope="row" role="rowheader">{head}</th>{body}</tr>'
