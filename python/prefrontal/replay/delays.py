"""How long signals wait, in two figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class DelaySpan:
    """Median and 90th percentile, in seconds."""

    median: float
    p90: float


def delays(waits: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Median and 90th percentile, straight between the values; None without any."""
    if not waits:
        return None, None
    if len(waits) == 1:
        return waits[0], waits[0]
    tenths = quantiles(waits, n=10, method="inclusive")
    return tenths[4], tenths[8]
