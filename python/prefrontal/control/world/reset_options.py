"""The options of the grid worlds' `reset`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ResetOptions:
    """harm_ema: the initial value of all of harm_a, 0 to 1, or None to leave it."""

    harm_ema: float | None


def read_reset_options(options: Mapping[str, Any] | None) -> ResetOptions:
    """Raises ValueError for an unknown option and for a value out of its range."""
    rest = dict(options or {})
    value = rest.pop("harm_ema", None)
    if rest:
        raise ValueError(f"options must hold only 'harm_ema', got {_listed(rest)}")
    if value is None:
        return ResetOptions(None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"options['harm_ema'] must be a number between 0 and 1, got {value!r}")
    return ResetOptions(float(value))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
