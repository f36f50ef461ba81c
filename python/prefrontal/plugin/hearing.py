"""Whose words came into the turn in hand: its answer carries all of these origins."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar

from ..origins import united

current_origins: ContextVar[set[str] | None] = ContextVar("current_origins", default=None)
"""Those of the message that is being handled in this task."""


def hear(origins: Iterable[str]) -> None:
    """Words of these origins came into what the model is shown in this turn."""
    known = current_origins.get()
    if known is not None:
        known.update(origins)


def heard() -> tuple[str, ...]:
    """The origins of all that the model was shown in this turn."""
    return united(current_origins.get() or ())
