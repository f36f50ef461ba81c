"""Small streams of ratings for tests."""

from __future__ import annotations

from typing import Any

from prefrontal.cortex.backtest.ratings import Rating

DAY = 86400.0
PLAIN: dict[str, Any] = {"reflector": "mean", "policy": "plain", "timer": False}
"""Options of a replay that shows the clamp alone."""


def stream(
    target: str, values: list[int], every_s: float = DAY, start: float = 0.0
) -> list[Rating]:
    """Ratings of one target by raters r0, r1, ..., one each `every_s`."""
    return [
        Rating(f"r{number}", target, value, start + number * every_s)
        for number, value in enumerate(values)
    ]


def merged(*streams: list[Rating]) -> list[Rating]:
    return sorted((rating for each in streams for rating in each), key=lambda it: it.time)
