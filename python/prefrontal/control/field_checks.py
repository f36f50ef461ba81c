"""Checks of configuration fields: each names the field, its rule and the value it got."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def whole(config: object, least: int, *names: str) -> None:
    """The fields are whole numbers of at least `least`. Raises TypeError and ValueError."""
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} must be a whole number, got {value!r}")
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value!r}")


def within(config: object, low: float, high: float, *names: str) -> None:
    """The fields are numbers from low to high, both included. NaN is refused."""
    for name in names:
        value = _number(name, getattr(config, name))
        if not low <= value <= high:
            bounds = f"at least {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
            raise ValueError(f"{name} must be {bounds}, got {value!r}")
        if math.isinf(value):
            raise ValueError(f"{name} must be finite, got {value!r}")


def finite(config: object, *names: str) -> None:
    """The fields are finite numbers of either sign."""
    for name in names:
        value = _number(name, getattr(config, name))
        if not math.isfinite(value):
            raise ValueError(f"{name} must be finite, got {value!r}")


def above(config: object, low: float, *names: str) -> None:
    """The fields are finite numbers above low."""
    for name in names:
        value = _number(name, getattr(config, name))
        if not (math.isfinite(value) and value > low):
            raise ValueError(f"{name} must be finite and above {low:g}, got {value!r}")


def one_of(config: object, choices: Iterable[str], *names: str) -> None:
    """The fields are among the choices."""
    known = tuple(choices)
    for name in names:
        value = getattr(config, name)
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def made_of(config: object, kind: type, *names: str, optional: bool = False) -> None:
    """The fields are of this class, or None where that is allowed. Raises TypeError."""
    for name in names:
        value = getattr(config, name)
        if not (isinstance(value, kind) or (optional and value is None)):
            raise TypeError(f"{name} must be a {kind.__name__}, got {value!r}")


def switch(config: object, *names: str) -> None:
    """The fields are True or False."""
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, got {value!r}")


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return value
