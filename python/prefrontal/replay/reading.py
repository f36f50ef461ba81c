"""Reading a recall curve in hindsight: what a recall would have cost, beside the other policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import ReplayResult


@dataclass(frozen=True, slots=True)
class CurveReading:
    """One point of the curve, in the units a person decides with.

    times_fewer: wake-ups of the heartbeat for each one here (above 1 is a saving).
    share_fewer: share of the wake-ups on every change that is saved; negative when it costs more.
    """

    recall: float
    share_woken: float
    wakes_per_day: float
    tokens_per_day: float
    tokens_per_useful_wake: float | None
    times_fewer: float | None
    share_fewer: float | None


def share_at(curve: tuple[tuple[float, float], ...], recall: float) -> float | None:
    """The smallest share woken that reaches `recall`, straight between the curve's points.

    None for an empty curve. recall: 0..1.
    """
    before = (0.0, 0.0)
    for share, caught in curve:
        if caught >= recall:
            rise = caught - before[1]
            part = (recall - before[1]) / rise if rise > 0 else 1.0
            return before[0] + part * (share - before[0])
        before = (share, caught)
    return None


def recall_at(curve: tuple[tuple[float, float], ...], share: float) -> float:
    """What waking on `share` of the windows (0..1) catches, straight between the points."""
    before = (0.0, 0.0)
    for woken, caught in curve:
        if woken > share:
            part = (share - before[0]) / (woken - before[0])
            return before[1] + part * (caught - before[1])
        before = (woken, caught)
    return before[1]


def read_curve(result: ReplayResult, recall: float) -> CurveReading | None:
    """What catching `recall` (0..1) would have cost; None when there is no curve or no time."""
    share = share_at(result.curve, recall)
    if share is None or result.days <= 0 or not result.relevant:
        return None
    wakes_per_day = share * result.windows / result.days
    useful = recall * result.relevant
    return CurveReading(
        recall=recall,
        share_woken=share,
        wakes_per_day=wakes_per_day,
        tokens_per_day=wakes_per_day * result.tokens_per_wake,
        tokens_per_useful_wake=(
            share * result.windows / useful * result.tokens_per_wake if useful else None
        ),
        times_fewer=times_fewer(result, wakes_per_day),
        share_fewer=share_fewer(result, wakes_per_day),
    )


def times_fewer(result: ReplayResult, wakes_per_day: float) -> float | None:
    """Heartbeats for each of these wake-ups; None without a heartbeat row or without wake-ups."""
    row = result.policy("heartbeat")
    return row.wakes_per_day / wakes_per_day if row and wakes_per_day > 0 else None


def share_fewer(result: ReplayResult, wakes_per_day: float) -> float | None:
    """Share of the wake-ups on every change that is saved; None without such a row."""
    row = result.policy("on_change")
    return 1 - wakes_per_day / row.wakes_per_day if row and row.wakes_per_day > 0 else None
