"""Turning results into plain JSON values and reading them back with every field checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any

from ..errors import InputError, shown
from ..typed_fields import Must, Shape

RECORD = Shape("an object", whole=True, closed=False)
Count = Annotated[
    int, Must("be a whole number, 0 or more", lambda value: value >= 0, covers_type=True)
]
Amount = Annotated[float, Must("be 0 or more", lambda value: value >= 0)]
"""A number that cannot be negative: a rate, a time span, a cost."""
Share = Annotated[float, Must("be a number from 0 to 1", lambda value: 0 <= value <= 1)]
Pair = Annotated[tuple[float, float], Must("be a pair of numbers", covers_type=True)]
NamedNumber = Annotated[tuple[str, float], Must("be a [name, number] pair", covers_type=True)]
Added = Mapping[int, tuple[str, ...]]
"""The fields that came with a version of a saved form."""


def completed(raw: object, kind: type, added: Added, version: int) -> Any:
    """What an earlier version saved, with the defaults of fields that came later.

    What is no object stays as it is: whoever reads it refuses it.
    """
    if not isinstance(raw, Mapping):
        return raw
    defaults = {each.name: each.default for each in fields(kind)}
    later = (name for since, names in added.items() if since > version for name in names)
    return {**raw, **{name: defaults[name] for name in later}}


def plain(value: object, where: str) -> Any:
    """`value` as JSON values: dataclasses become objects, tuples lists.

    where: the name used in a complaint. Raises InputError for a number that JSON cannot hold
    (NaN, infinity) and TypeError for a value that has no place in a result.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} must be a finite number, got {value!r}")
        return float(value)
    if isinstance(value, tuple | list):
        return [plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if is_dataclass(value):
        prefix = f"{where}." if where else ""
        return {
            each.name: plain(getattr(value, each.name), prefix + each.name)
            for each in fields(value)
        }
    raise TypeError(f"{where} must be a plain value, got {shown(value)}")
