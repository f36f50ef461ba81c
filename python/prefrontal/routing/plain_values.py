"""Values that JSON can hold, taken from what a person or a program wrote."""

from __future__ import annotations

import math
from typing import Any

MOST_VALUES = 10_000
"""Of one document; the aliases of a YAML file can stand for far more than it has bytes."""
_DEEPEST = 50


def plain(value: object) -> Any:
    """A copy of the value in lists, dicts, text, numbers, truth values and None.

    Tuples become lists. Raises ValueError with a rule ("hold no NaN") for anything JSON cannot
    hold, and for a value that is too deep or too large.
    """
    return _copy(value, [MOST_VALUES], _DEEPEST)


def _copy(value: object, left: list[int], depth: int) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise ValueError(f"hold at most {MOST_VALUES} values")
    if depth == 0:
        raise ValueError(f"be nested at most {_DEEPEST} deep")
    if isinstance(value, list | tuple):
        return [_copy(item, left, depth - 1) for item in value]
    if isinstance(value, dict):
        return {_key(key): _copy(item, left, depth - 1) for key, item in value.items()}
    return _scalar(value)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError("have text as its keys")
    return str(_scalar(key))


def _scalar(value: object) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("hold no NaN and no infinity")
    if isinstance(value, str) and not well_formed(value):
        raise ValueError("hold text that UTF-8 can hold")
    if isinstance(value, int) and abs(value) >= 1 << 63 and not isinstance(value, bool):
        raise ValueError("hold whole numbers of at most 64 bits")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"hold plain values, not {type(value).__name__}")


def well_formed(text: str) -> bool:
    """Whether UTF-8 can hold the text: no half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def mended(text: str) -> str:
    """The text with a question mark for what UTF-8 cannot hold."""
    return text if well_formed(text) else text.encode("utf-8", "replace").decode("utf-8")
