"""Thresholds that a person asked for: the page writes them, the gate takes them up."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Protocol

from ..errors import InputError

THRESHOLDS = "thresholds"
"""The name of the state in the log of decisions."""


class StateStore(Protocol):
    """What of the log of decisions is needed here."""

    def load_state(self, name: str) -> tuple[bytes, int] | None: ...

    def save_state(self, name: str, blob: bytes, through: int) -> None: ...


def read_thresholds(log: StateStore) -> dict[str, float]:
    """Module id -> the least score, 0..1, that wakes for it, where a person said so.

    It stands in front of the module's own until it is taken back. What is damaged is left out.
    """
    state = log.load_state(THRESHOLDS)
    return {} if state is None else parse_thresholds(state[0])


def parse_thresholds(content: bytes) -> dict[str, float]:
    """What `wish_threshold` kept; what is damaged is left out."""
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(raw, Mapping):
        return {}
    return {str(name): float(value) for name, value in raw.items() if _is_threshold(value)}


def wish_threshold(log: StateStore, module_id: str, threshold: float | None) -> None:
    """Keep the threshold for the module; None takes it back. One writer at a time.

    Raises InputError for any other threshold than 0..1 and for an empty module_id.
    """
    if not module_id:
        raise InputError(f"module_id must not be empty, got {module_id!r}")
    if threshold is not None and not _is_threshold(threshold):
        raise InputError(f"threshold must be a number from 0 to 1, got {threshold!r}")
    wished = read_thresholds(log)
    if threshold is None:
        wished.pop(module_id, None)
    else:
        wished[module_id] = float(threshold)
    log.save_state(THRESHOLDS, json.dumps(wished, sort_keys=True).encode(), 0)


def _is_threshold(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0.0 <= value <= 1.0
    )
