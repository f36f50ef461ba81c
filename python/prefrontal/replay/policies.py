"""What each wake policy would have cost and caught on the windows of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from .delays import delays
from .result import PolicyResult

if TYPE_CHECKING:
    from ..settings.budget import Budget
    from .trial import Trial

HEARTBEAT_S = 1800
DAY_S = 86400


def policies(
    trial: Trial,
    days: float,
    *,
    asked: float,
    rule: str | None,
    tokens_per_wake: int,
    seed: int,
    budget: Budget | None = None,
) -> tuple[PolicyResult, ...]:
    """One row a policy: heartbeat, on_change, rule, random, prefrontal.

    days: length of the time span, above 0. asked: recall asked of `random`, which wakes for that
    share of the windows by chance. rule: its text; without one that beats chance there is no row.
    """
    draw = Random(seed)
    chance = bytes(draw.random() < asked for _ in range(len(trial)))
    per_window = [
        ("on_change", bytes([1]) * len(trial), "every window wakes"),
        ("rule", trial.by_rule, rule or ""),
        ("random", chance, f"wakes for {asked:.0%} of the windows by chance"),
        ("prefrontal", trial.woke, _own_detail(budget)),
    ]
    if rule is None:
        per_window.pop(1)
    rows = [_heartbeat(trial, days, tokens_per_wake)]
    for name, woke, detail in per_window:
        rows.append(_row(name, detail, woke, trial.relevant, days, tokens_per_wake))
    return tuple(rows)


def _heartbeat(trial: Trial, days: float, tokens_per_wake: int) -> PolicyResult:
    """Wakes every half hour and then sees all that happened since."""
    useful = len(
        {
            int(time // HEARTBEAT_S)
            for time, relevant in zip(trial.times, trial.relevant, strict=True)
            if relevant
        }
    )
    # A short span may touch one half hour more than it is long.
    wakes = max(days * DAY_S / HEARTBEAT_S, float(useful))
    middle, late = delays(_heartbeat_waits(trial))
    return PolicyResult(
        name="heartbeat",
        recall=1.0 if useful else None,
        wakes_per_day=DAY_S / HEARTBEAT_S,
        share_woken=1.0 if len(trial) else 0.0,
        precision=useful / wakes,
        tokens_per_useful_wake=wakes * tokens_per_wake / useful if useful else None,
        detail="every 30 minutes",
        delay_minutes=middle,
        delay_p90_minutes=late,
    )


def _heartbeat_waits(trial: Trial) -> list[float]:
    """Minutes that what mattered waits for the next full half hour, UTC."""
    return [
        (HEARTBEAT_S - time % HEARTBEAT_S) / 60
        for time, relevant in zip(trial.times, trial.relevant, strict=True)
        if relevant
    ]


def _own_detail(budget: Budget | None) -> str:
    return "threshold from the past alone" if budget is None else f"at most {budget}"


def _row(
    name: str,
    detail: str,
    woke: Sequence[int],
    relevant: Sequence[int],
    days: float,
    tokens_per_wake: int,
) -> PolicyResult:
    useful = sum(w & r for w, r in zip(woke, relevant, strict=True))
    counts = (sum(woke), useful), (len(relevant), sum(relevant))
    return tallied(name, detail, *counts, days, tokens_per_wake)


def tallied(
    name: str,
    detail: str,
    woken: tuple[int, int],
    seen: tuple[int, int],
    days: float,
    tokens_per_wake: int,
) -> PolicyResult:
    """A row of its counts. woken, seen: (windows, relevant ones) that woke, and that there were."""
    (wakes, useful), (windows, positives) = woken, seen
    # Woken by the window itself, so what it catches does not wait.
    return PolicyResult(
        name=name,
        recall=useful / positives if positives else None,
        wakes_per_day=wakes / days,
        share_woken=wakes / windows if windows else 0.0,
        precision=useful / wakes if wakes else None,
        tokens_per_useful_wake=wakes * tokens_per_wake / useful if useful else None,
        detail=detail,
        delay_minutes=0.0 if useful else None,
        delay_p90_minutes=0.0 if useful else None,
    )
