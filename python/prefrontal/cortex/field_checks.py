"""Checks of stored values, field by field: damaged ones are ignored."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[object], Any]
"""Returns the value; raises ValueError for a wrong one."""


LARGEST = 1e15
"""More than any count."""


def checked(raw: object, checks: Mapping[str, Check]) -> dict[str, Any]:
    """The fields of raw that pass their checks; none when raw is not a mapping."""
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


def complete_rows(raw: object, checks: Mapping[str, Check]) -> list[dict[str, Any]]:
    """The fields of each mapping in a list; ignores one that lacks a field or has a wrong one."""
    rows = [checked(each, checks) for each in dicts(raw if isinstance(raw, list) else [])]
    return [row for row in rows if checks.keys() <= row.keys()]


def mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError
    return value


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
