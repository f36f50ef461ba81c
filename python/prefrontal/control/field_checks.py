"""Checks the fields of a configuration by their annotations.

A plain float must be finite, a bool true or false, a Literal one of its texts, a configuration one
of its class; `X | None` may be None. Each error names the field, its rule and the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from math import inf, isfinite, isinf
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Check = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A number from low to high, both included; above: low itself is not."""

    low: float = -inf
    high: float = inf
    above: bool = False


Count = Annotated[int, Bounds(1)]
Natural = Annotated[int, Bounds(0)]
Share = Annotated[float, Bounds(0, 1)]
Amount = Annotated[float, Bounds(0)]
Positive = Annotated[float, Bounds(0, above=True)]


def check_fields(config: Any) -> None:
    """Raises TypeError or ValueError for the first field that breaks its rule."""
    for name, check in _checks(config.__class__):
        check(name, getattr(config, name))


@cache
def _checks(kind: type) -> list[tuple[str, Check]]:
    hints = get_type_hints(kind, include_extras=True)
    return [(field.name, _check_of(hints[field.name])) for field in fields(kind)]


def _check_of(hint: Any) -> Check:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        [inner] = [_check_of(each) for each in arguments if each is not NoneType]
        return lambda name, value: None if value is None else inner(name, value)
    if origin is Literal:
        return lambda name, value: _check_choice(name, value, arguments)
    if origin is Annotated:
        hint, bounds = arguments
    else:
        bounds = Bounds()
    if hint is bool:
        return _check_switch
    if hint is int:
        return lambda name, value: _check_whole(name, value, bounds)
    if hint is float:
        return lambda name, value: _check_number(name, value, bounds)
    return lambda name, value: _check_class(name, value, origin or hint)


def _check_whole(name: str, value: Any, bounds: Bounds) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < bounds.low:
        raise ValueError(f"{name} must be at least {bounds.low:g}, got {value!r}")


def _check_number(name: str, value: Any, bounds: Bounds) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, got {value!r}")
    low, high = bounds.low, bounds.high
    if bounds.above and not (isfinite(value) and value > low):
        raise ValueError(f"{name} must be finite and above {low:g}, got {value!r}")
    if not low <= value <= high and not isinf(low):
        rule = f"at least {low:g}" if isinf(high) else f"between {low:g} and {high:g}"
        raise ValueError(f"{name} must be {rule}, got {value!r}")
    if not isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def _check_switch(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r}")


def _check_class(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {value!r}")
