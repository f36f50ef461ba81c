"""Checks of stored values by the types of their fields: ignores damaged fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

Check = Callable[[object], Any]
"""Returns the value; raises ValueError for a wrong one."""


LARGEST = 1e15
"""More than any count."""


def checked(raw: object, checks: Mapping[str, Check]) -> dict[str, Any]:
    """The fields of raw that pass their checks; none when raw is not a mapping."""
    valid: dict[str, Any] = {}
    if not isinstance(raw, Mapping):
        return valid
    for name, check in checks.items():
        try:
            if name in raw:
                valid[name] = check(raw[name])
        except (ValueError, OverflowError):
            continue
    return valid


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


def values(check: Check) -> Check:
    """The entries of a mapping whose values pass the check."""
    return lambda value: checked(value, dict.fromkeys(mapping(value), check))


def checks_of(kind: type, **special: Check) -> dict[str, Check]:
    """A check for each field of a dataclass: a special one, else that of its annotation.

    The module of the dataclass must import annotations from __future__. Raises KeyError for an
    annotation without a check.
    """
    types = {field.name: str(field.type) for field in fields(kind)}
    return {name: special.get(name) or _BY_TYPE[annotation] for name, annotation in types.items()}


_BY_TYPE: dict[str, Check] = {
    "str": text,
    "str | None": optional(text),
    "float": number,
    "float | None": optional(number),
    "int": whole,
    "int | None": optional(whole),
    "bool": switch,
    "tuple[str, ...]": texts,
    "list[str]": lambda value: list(texts(value)),
    "tuple[dict[str, Any], ...]": dicts,
    "list[dict[str, Any]]": lambda value: list(dicts(value)),
    "dict[str, Any]": mapping,
    "dict[str, int]": values(whole),
    "dict[str, float]": values(number),
}
