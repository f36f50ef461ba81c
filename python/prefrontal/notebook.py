"""Results shown in a notebook: small tables of escaped text, and frames where pandas is there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib import import_module
from typing import Any, NamedTuple

from .errors import SourceError
from .plain_text import visible

LONGEST = 200
"""Most characters of a cell."""
NOTHING = "–"


class NotebookView(NamedTuple):
    """How values of a class are shown: as HTML, and a part of one, by its name, as a data frame."""

    html: Callable[[Any], str]
    frame: Callable[[Any, str], Any]


_VIEWS: dict[str, Callable[[], NotebookView]] = {}


def offer_view(name: str, load: Callable[[], NotebookView]) -> None:
    """Say who shows the values of a class, which so need not know what it is shown by.

    name: of the class, with its module. load: called when a value is shown.
    """
    _VIEWS[name] = load


def view_of(value: object) -> NotebookView:
    """The view of a value of a class, or of one that it inherits, that was offered one."""
    names = (f"{each.__module__}.{each.__qualname__}" for each in type(value).__mro__)
    return next(_VIEWS[name] for name in names if name in _VIEWS)()


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table without styles or scripts; all text is escaped, on one line, and short."""
    top = "".join(f'<th scope="col">{_safe(head)}</th>' for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<table><caption>{_safe(caption)}</caption>"
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


def share(value: float | None) -> str:
    """A share or a score with two places; a dash for none."""
    return NOTHING if value is None or math.isnan(value) else f"{value:.2f}"


def frame(
    rows: Iterable[Sequence[object]], columns: Sequence[str], times: Sequence[str] = ()
) -> Any:
    """The rows as a pandas.DataFrame. times: columns of Unix seconds, which become UTC moments.

    Raises SourceError when pandas is missing.
    """
    try:
        pandas = import_module("pandas")  # it brings no types
    except ImportError as error:
        raise SourceError("a data frame needs pandas: pip install pandas") from error
    made = pandas.DataFrame(list(rows), columns=list(columns))
    for name in times:
        made[name] = pandas.to_datetime(made[name].astype(float), unit="s", utc=True)
    return made


def _safe(text: str) -> str:
    return escape(visible(text, LONGEST))
