"""How much memory events take, about."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..types import SignalEvent

_EVENT_BYTES = 400
"""Of an event without its texts."""
_VALUE_BYTES = 32
_DEEPEST = 20


def size_of(events: Sequence[SignalEvent]) -> int:
    """About how many bytes of memory they take."""
    size = 0
    for event in events:
        size += _EVENT_BYTES + sys.getsizeof(event.location)
        features = event.features
        if not isinstance(features, dict):  # a stranger's event may be broken in any way
            size += _size_of_value(features, _DEEPEST)
            continue
        for value in features.values():
            if type(value) is str:
                size += sys.getsizeof(value)
            else:
                size += _size_of_value(value, _DEEPEST)
    return size


def _size_of_value(value: object, levels: int) -> int:
    if isinstance(value, str | bytes):
        return sys.getsizeof(value)
    if levels and isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif levels and isinstance(value, list | tuple):
        parts = list(value)
    else:
        return _VALUE_BYTES
    return _VALUE_BYTES + sum(_size_of_value(part, levels - 1) for part in parts)
