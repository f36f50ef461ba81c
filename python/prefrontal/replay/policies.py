"""What each wake policy would have cost and caught on the windows of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from .delays import delays
from .heartbeats import USUAL_HEARTBEAT, Heartbeat, cheap_heartbeat
from .result import PolicyResult

if TYPE_CHECKING:
    from ..settings.budget import Budget
    from .trial import Trial


def policies(
    trial: Trial,
    days: float,
    *,
    asked: float,
    rule: str | None,
    tokens_per_wake: int,
    seed: int,
    cheap_usd_per_wake: float,
    budget: Budget | None = None,
) -> tuple[PolicyResult, ...]:
    """One row a policy: heartbeat, cheap_heartbeat, on_change, rule, random, prefrontal.

    days: length of the time span, above 0. asked: recall asked of `random`, which wakes for that
    share of the windows by chance. rule: its text; without one that beats chance there is no row.
    cheap_usd_per_wake: what a small model takes for a wake-up.
    """
    draw = Random(seed)
    chance = bytes(draw.random() < asked for _ in range(len(trial)))
    per_window = [
        ("on_change", bytes([1]) * len(trial), "every window wakes"),
        ("rule", trial.by_rule, rule or ""),
        ("random", chance, f"wakes for {asked:.0%} of the windows by chance"),
    ]
    if rule is None:
        per_window.pop(1)
    cheap = cheap_heartbeat(trial.times)
    rows = [
        _heartbeat("heartbeat", "every 30 minutes", USUAL_HEARTBEAT, trial, days, tokens_per_wake),
        _heartbeat(
            "cheap_heartbeat",
            f"every 55 minutes, {cheap.active_words}, by a small model that misses nothing",
            cheap,
            trial,
            days,
            tokens_per_wake,
            cheap_usd_per_wake,
        ),
    ]
    for name, woke, detail in per_window:
        rows.append(_row(name, detail, woke, trial.relevant, days, tokens_per_wake))
    return (*rows, _own(trial, days, _own_detail(budget), tokens_per_wake))


def _own(trial: Trial, days: float, detail: str, tokens_per_wake: int) -> PolicyResult:
    """Questions cost, and one may tell of several windows, of some of them late."""
    wakes, useful, positives = len(trial.question_times), trial.useful, sum(trial.relevant)
    caught = sum(d & r for d, r in zip(trial.delivered, trial.relevant, strict=True))
    middle, late = delays(trial.delays)
    return PolicyResult(
        name="prefrontal",
        recall=caught / positives if positives else None,
        wakes_per_day=wakes / days,
        share_woken=wakes / len(trial) if len(trial) else 0.0,
        precision=useful / wakes if wakes else None,
        tokens_per_useful_wake=wakes * tokens_per_wake / useful if useful else None,
        detail=detail,
        delay_minutes=middle,
        delay_p90_minutes=late,
    )


def _heartbeat(
    name: str,
    detail: str,
    heartbeat: Heartbeat,
    trial: Trial,
    days: float,
    tokens_per_wake: int,
    usd_per_wake: float | None = None,
) -> PolicyResult:
    """Wakes by the clock and then sees all that happened since."""
    relevant = [
        time for time, mattered in zip(trial.times, trial.relevant, strict=True) if mattered
    ]
    waits = [heartbeat.wait_s(time) for time in relevant]
    useful = len({round(time + wait) for time, wait in zip(relevant, waits, strict=True)})
    # A short span may touch one beat more than it is long.
    wakes = max(days * heartbeat.beats_per_day, float(useful))
    middle, late = delays([wait / 60 for wait in waits])
    return PolicyResult(
        name=name,
        recall=1.0 if useful else None,
        wakes_per_day=float(heartbeat.beats_per_day),
        share_woken=1.0 if len(trial) else 0.0,
        precision=useful / wakes,
        tokens_per_useful_wake=wakes * tokens_per_wake / useful if useful else None,
        detail=detail,
        delay_minutes=middle,
        delay_p90_minutes=late,
        usd_per_wake=usd_per_wake,
    )


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
