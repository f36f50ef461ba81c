"""The findings about a peer and the estimate of its trust, as values; dates for their sentences."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

DAY_S = 86400.0
Kind = Literal["size_jump", "tempo", "steering", "overdue", "broken", "late", "kept"]


@dataclass(frozen=True, slots=True)
class PeerFinding:
    """One thing that stands out. at: when, Unix seconds. text: a sentence that cites it.

    size_jump, tempo: limit what trust can be earned. steering, overdue, broken, late: speak
    against the peer. kept: speaks for it.
    """

    kind: Kind
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """trust: -10..+10. exact: before rounding and ceilings. held_by: the ceiling above it, or "".

    good, bad: the evidence it rests on, sums of outcomes of up to 10.
    """

    trust: int
    exact: float
    good: float
    bad: float
    held_by: Kind | str


def day(at: float) -> str:
    """The UTC date of Unix seconds; "unknown" outside the calendar."""
    return _when(at, "%Y-%m-%d")


def moment(at: float) -> str:
    """The UTC date and minute of Unix seconds."""
    return _when(at, "%Y-%m-%d %H:%M UTC")


def _when(at: float, form: str) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime(form)
    except (ValueError, OverflowError, OSError):
        return "unknown"
