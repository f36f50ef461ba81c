"""Stored values read field by field: what is damaged is left out, the rest is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[object], Any]
"""Gives the value when it is what it should be; raises ValueError when it is not."""


LARGEST = 1e15
"""No count that is kept comes near it."""


def checked(raw: object, checks: Mapping[str, Check]) -> dict[str, Any]:
    """The fields of raw that hold what they should; nothing when raw is no mapping."""
    fields: dict[str, Any] = {}
    if not isinstance(raw, Mapping):
        return fields
    for name, check in checks.items():
        try:
            if name in raw:
                fields[name] = check(raw[name])
        except (ValueError, OverflowError):
            continue
    return fields


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)


def whole(value: object) -> int:
    count = number(value)
    if abs(count) > LARGEST:
        raise ValueError
    return int(count)


def switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def texts(value: object) -> tuple[str, ...]:
    return tuple(map(text, items(value)))


def dicts(value: object) -> tuple[dict[str, Any], ...]:
    return tuple(item for item in items(value) if isinstance(item, dict))


def items(value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError
    return list(value)


def optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)
