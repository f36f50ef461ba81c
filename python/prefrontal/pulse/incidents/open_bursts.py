"""Bursts that a question tells of and that go on; each is over once it was quiet."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from .bursts import MOST_KINDS, QUIET_S

if TYPE_CHECKING:
    from ..scored_window import ScoredWindow

Key = tuple[str, str, str]
"""Module, name and place."""


class OpenBurst(NamedTuple):
    """latest: the last window of it. opening: id of the decision that it was opened with."""

    latest: ScoredWindow
    opening: str


class OpenBursts:
    """The one that was quiet the longest comes first."""

    def __init__(self) -> None:
        self._bursts: OrderedDict[Key, OpenBurst] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._bursts)

    def add(self, scored: ScoredWindow, opening: str) -> None:
        """Take in one more window of a burst that goes on."""
        burst = scored.moment.burst
        assert burst is not None
        key = scored.module_id, burst.name, burst.place
        self._bursts[key] = OpenBurst(scored, opening)
        self._bursts.move_to_end(key)
        if len(self._bursts) > MOST_KINDS:
            self._bursts.popitem(last=False)

    def due(self) -> float | None:
        """Monotonic second at which the next one is over."""
        first = next(iter(self._bursts.values()), None)
        return None if first is None else first.latest.moment.monotonic + QUIET_S

    def pop(self, now: float, *, everything: bool = False) -> list[OpenBurst]:
        """Those that are over at monotonic second `now`, or all."""
        over = []
        while (due := self.due()) is not None and (everything or due <= now):
            over.append(self._bursts.popitem(last=False)[1])
        return over
