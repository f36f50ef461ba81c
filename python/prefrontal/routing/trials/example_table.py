"""A small table for a dry run, with made-up rows that read as text, numbers or days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

ROWS = 3
FIRST_COLUMN = "1"
_COLUMNS = (FIRST_COLUMN, "2")
"""Heads that are numbers themselves, for tools that know no head."""
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_OF_DAYS = frozenset(("date", "day", "when", "due", "since", "until", "created", "updated"))
_COLUMN_NAMES = frozenset(("column", "columns", "field", "fields", "header", "headers"))
_NAME = re.compile(r"[^\W\d][\w -]{0,30}\Z")


def is_table(path: str) -> bool:
    """Whether a file of that name holds a table."""
    return PurePosixPath(path).suffix.lower() in _SEPARATORS


def names_a_column(parameter: str) -> bool:
    """Whether the parameter says which column or columns of a table are meant."""
    return bool(_COLUMN_NAMES & set(re.findall(r"[a-z]+", parameter.lower())))


def table(path: str, columns: Iterable[str] = ()) -> str:
    """A head with the columns, two at least, and rows. path: says how cells are separated."""
    separator = _SEPARATORS[PurePosixPath(path).suffix.lower()]
    heads = list(dict.fromkeys(columns))
    heads += [one for one in _COLUMNS if one not in heads][: max(0, len(_COLUMNS) - len(heads))]
    rows = [heads, *(_row(heads, number) for number in range(1, ROWS + 1))]
    return "".join(f"{separator.join(cells)}\n" for cells in rows)


def columns_among(values: Iterable[object]) -> list[str]:
    """Those of a call's values, or of the lists among them, that may be the name of a column."""
    flat = (one for value in values for one in (value if isinstance(value, list) else [value]))
    return [one for one in flat if isinstance(one, str) and _NAME.match(one)]


def _row(heads: Sequence[str], number: int) -> list[str]:
    return [
        f"2025-01-{number:02}" if _is_of_days(head) else str(number * len(heads) + place)
        for place, head in enumerate(heads, 1)
    ]


def _is_of_days(head: str) -> bool:
    return bool(_OF_DAYS & set(re.findall(r"[a-z]+", head.lower())))
