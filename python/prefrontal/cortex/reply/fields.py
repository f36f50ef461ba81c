"""Checks of single values of a reflector's reply; a wrong value drops its entry."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_NUMERAL = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")


class DroppedError(ValueError):
    """An entry cannot be used; the text says which rule it breaks."""


def text_of(raw: Mapping[str, Any], name: str) -> str:
    """A text that is not blank."""
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        raise DroppedError(f"{name} must be a non-blank string")
    return value


def whole(value: object, name: str) -> int:
    """A whole number: 3.7 is 4, -2.5 is -3, "4" is 4; true, NaN and words are not numbers."""
    number = _number(value, name)
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def positive(value: object, name: str) -> float:
    """A number above 0 and not beyond a year of minutes."""
    number = _number(value, name)
    if not 0 < number <= 525_600:
        raise DroppedError(f"{name} must be a number above 0, at most 525600")
    return number


def share(value: object) -> float:
    """A number, clamped to 0..1."""
    return max(0.0, min(1.0, _number(value, "score")))


def due_time(value: object) -> float:
    """Unix seconds, or a date in ISO 8601, in UTC unless it says otherwise."""
    if isinstance(value, str) and not _NUMERAL.fullmatch(value.strip()):
        try:
            moment = datetime.fromisoformat(value.strip())
            moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
            return moment.timestamp()
        except (ValueError, OverflowError):
            raise DroppedError("due must be Unix seconds or a date") from None
    number = _number(value, "due")
    if not 0 < number < 1e11:
        raise DroppedError("due must be Unix seconds or a date")
    return number


def _number(value: object, name: str) -> float:
    if isinstance(value, str) and _NUMERAL.fullmatch(value.strip()):
        return float(value)
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:  # an int beyond the floats
        pass
    raise DroppedError(f"{name} must be a number")
