"""Events and reasons as compact JSON that comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..storage.database import TextBytes
from ..types import SignalEvent

DEEPEST = 32
"""Levels of nested features that are kept when they are deeper or are not plain JSON already."""
MOST_LEVELS = 100
"""Levels that are written: whoever reads them may have little room left on its stack."""
LONGEST_BITS = 10_000
"""Bits of an integer that Python still writes in decimal without a complaint."""


def storable(text: str) -> str | bytes:
    """The text itself, or its bytes where a file name put characters in it that are no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return TextBytes(text.encode("utf-8", "surrogatepass"))
    return text


def restored(value: object) -> str:
    """The text that `storable` took."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else str(value)


def events_to_json(events: Sequence[SignalEvent]) -> str | bytes:
    """Each event as [source, location, delta type, magnitude, timestamp, features].

    Features are left out where they are the very dict of the event before. Numbers come back
    exactly, NaN and infinities too. What JSON has no word for is kept as text.
    """
    rows: list[list[Any]] = []
    features: object = None
    for event in events:
        row = [event.source, event.location, event.delta_type, event.magnitude, event.timestamp]
        if event.features is not features:
            row.append(event.features)
            features = event.features
        rows.append(row)
    return storable(_dumps(rows))


def events_from_json(value: object) -> tuple[SignalEvent, ...]:
    """The events that `events_to_json` took."""
    events: list[SignalEvent] = []
    features: dict[str, Any] = {}
    for source, location, delta_type, magnitude, timestamp, *rest in json.loads(restored(value)):
        if rest:
            [features] = rest
        events.append(SignalEvent(source, location, delta_type, magnitude, timestamp, features))
    return tuple(events)


def why_to_json(why: Sequence[tuple[str, float]]) -> str | bytes:
    """Contributions as [name, log-odds]."""
    return storable(_dumps([[name, float(value)] for name, value in why]))


def why_from_json(value: object) -> tuple[tuple[str, float], ...]:
    """The contributions that `why_to_json` took."""
    return tuple((str(name), float(amount)) for name, amount in json.loads(restored(value)))


def details_to_json(details: Mapping[str, Any]) -> str | bytes | None:
    """The mapping; None for an empty one."""
    return storable(_dumps(details)) if details else None


def details_from_json(value: object) -> dict[str, Any]:
    """The mapping that `details_to_json` took, with texts for keys."""
    return {} if value is None else dict(json.loads(restored(value)))


def _dumps(value: object) -> str:
    try:
        text = _COMPACT.encode(value)
    except (TypeError, ValueError, RecursionError):  # a decision is not lost for an odd feature
        return _COMPACT.encode(_plain(value, DEEPEST))
    if text.count("[") + text.count("{") > MOST_LEVELS and _is_deeper(value, MOST_LEVELS):
        return _COMPACT.encode(_plain(value, DEEPEST))
    return text


def _is_deeper(value: object, levels: int) -> bool:
    inner = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(inner, list | tuple):
        return False
    return not levels or any(_is_deeper(each, levels - 1) for each in inner)


def _plain(value: object, levels: int) -> object:
    """The value with nothing in it that JSON has no word for."""
    if isinstance(value, str | float | None):
        return value
    if isinstance(value, int) and value.bit_length() <= LONGEST_BITS:
        return value
    if isinstance(value, Mapping) and levels:
        return {_word(key): _plain(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and levels:
        return [_plain(item, levels - 1) for item in value]
    return _word(value)


def _word(value: object) -> object:
    """A scalar of NumPy as a number, anything else as a short text."""
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        return item()
    try:
        return value if isinstance(value, str) else str(value)[:1000]
    except Exception:  # noqa: BLE001 - any error of a stranger's __str__
        return f"<{type(value).__name__}>"


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_word)
