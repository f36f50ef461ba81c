"""Turning results into plain JSON values and reading them back with every field checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from reprlib import repr as short_repr
from typing import Any

from ..errors import InputError


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
    raise TypeError(f"{where} must be a plain value, got {short_repr(value)}")


class Record:
    """A JSON object read field by field; every complaint names the field's full path."""

    __slots__ = ("_raw", "_where")

    def __init__(self, raw: object, where: str = "") -> None:
        if not isinstance(raw, Mapping):
            raise InputError(f"{where or 'result'} must be an object, got {short_repr(raw)}")
        self._raw = raw
        self._where = where

    def name(self, field: str) -> str:
        """The field's path from the top, such as `policies[2].recall`."""
        return f"{self._where}.{field}" if self._where else field

    def refuse(self, field: str, rule: str, value: object) -> InputError:
        return InputError(f"{self.name(field)} must {rule}, got {short_repr(value)}")

    def value(self, field: str) -> object:
        if field not in self._raw:
            raise InputError(f"{self.name(field)} must be present, got {short_repr(self._raw)}")
        return self._raw[field]

    def text(self, field: str) -> str:
        value = self.value(field)
        if not isinstance(value, str):
            raise self.refuse(field, "be text", value)
        return value

    def flag(self, field: str) -> bool:
        value = self.value(field)
        if not isinstance(value, bool):
            raise self.refuse(field, "be true or false", value)
        return value

    def count(self, field: str) -> int:
        value = self.value(field)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.refuse(field, "be a whole number, 0 or more", value)
        return value

    def number(self, field: str) -> float:
        return self._number(field, self.value(field))

    def amount(self, field: str) -> float:
        """A number that cannot be negative: a rate, a time span, a cost."""
        value = self.number(field)
        if value < 0:
            raise self.refuse(field, "be 0 or more", value)
        return value

    def share(self, field: str) -> float:
        value = self.number(field)
        if not 0 <= value <= 1:
            raise self.refuse(field, "be a number from 0 to 1", value)
        return value

    def share_or_none(self, field: str) -> float | None:
        return None if self.value(field) is None else self.share(field)

    def amount_or_none(self, field: str) -> float | None:
        return None if self.value(field) is None else self.amount(field)

    def items(self, field: str) -> list[object]:
        value = self.value(field)
        if not isinstance(value, list | tuple):
            raise self.refuse(field, "be a list", value)
        return list(value)

    def texts(self, field: str) -> tuple[str, ...]:
        texts = []
        for index, item in enumerate(self.items(field)):
            if not isinstance(item, str):
                raise self.refuse(f"{field}[{index}]", "be text", item)
            texts.append(item)
        return tuple(texts)

    def records(self, field: str) -> list[Record]:
        items = enumerate(self.items(field))
        return [Record(item, f"{self.name(field)}[{index}]") for index, item in items]

    def pair(self, field: str) -> tuple[float, float]:
        return self._pair(field, self.value(field))

    def pairs(self, field: str) -> tuple[tuple[float, float], ...]:
        items = enumerate(self.items(field))
        return tuple(self._pair(f"{field}[{index}]", item) for index, item in items)

    def named_numbers(self, field: str) -> tuple[tuple[str, float], ...]:
        """A list of [name, number] pairs."""
        pairs = []
        for index, item in enumerate(self.items(field)):
            at = f"{field}[{index}]"
            if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
                raise self.refuse(at, "be a [name, number] pair", item)
            pairs.append((item[0], self._number(f"{at}[1]", item[1])))
        return tuple(pairs)

    def _pair(self, field: str, value: object) -> tuple[float, float]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise self.refuse(field, "be a pair of numbers", value)
        return (self._number(f"{field}[0]", value[0]), self._number(f"{field}[1]", value[1]))

    def _number(self, field: str, value: object) -> float:
        # A whole number too large for a float would overflow below, so it is refused here.
        known = isinstance(value, int | float) and not isinstance(value, bool)
        if not known or not abs(value) <= 1e300:  # type: ignore[arg-type]
            raise self.refuse(field, "be a finite number", value)
        return float(value)  # type: ignore[arg-type]
