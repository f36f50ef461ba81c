"""Holds a module back for a moment, so that a burst is one question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..types import SignalEvent

LONGEST_HOLD = 15
"""A burst is asked about after so many times its module's `hold_s`, though it goes on."""
MOST_PLACES = 1000
"""Places that a module asked about lately; the oldest is forgotten first."""


class Hold(NamedTuple):
    """How long what comes close together is held, to be asked about as one.

    quiet_s: it ends once nothing came for so long; longest_s: so long after it began at the latest.
    after: it begins with a question, not with the first window that would wake.
    """

    quiet_s: float
    longest_s: float
    after: bool = False

    @property
    def rest_s(self) -> float:
        """How long what did not fit into a question waits, if no hold begins with that."""
        return 0.0 if self.after else self.quiet_s


class BurstHolds:
    """Which modules are held until when, and which places they asked about lately."""

    def __init__(self) -> None:
        self._spans: dict[str, tuple[float, float]] = {}
        self._places: dict[str, OrderedDict[str, float]] = {}

    def end(self, module_id: str, now: float) -> float:
        """Monotonic second at which the hold of the module ends; `now` where none is."""
        return self._spans.get(module_id, (now, now))[1]

    def holds(self, module_id: str, now: float, hold: Hold, *, wakes: bool) -> bool:
        """Whether the module is held back; what comes meanwhile prolongs the hold.

        wakes: a window came that would wake, with which a hold begins that is none `after`.
        """
        span = self._spans.get(module_id)
        if hold.after:
            is_held = span is not None and now < span[1]
        elif wakes:
            is_held = True
        else:
            return span is not None and now < span[1]
        if is_held:
            begin = now if span is None else span[0]
            self._spans[module_id] = begin, min(now + hold.quiet_s, begin + hold.longest_s)
        return is_held

    def question(self, module_id: str, now: float, hold: Hold) -> None:
        """The module asks: with this a hold begins or ends."""
        if hold.after:
            self._spans[module_id] = now, now + hold.quiet_s
        else:
            self._spans.pop(module_id, None)

    def closed(self, module_id: str, hold: Hold | None) -> Hold | None:
        """The gate ends, and so does what was held to be asked as one: what is left of the hold."""
        if hold is None or hold.after:
            return None
        self._spans.pop(module_id, None)
        return hold

    def asked(self, module_id: str, windows: Iterable[Sequence[SignalEvent]], now: float) -> None:
        """Remember what a module that holds asked about, for `written_on`."""
        places = self._places.setdefault(module_id, OrderedDict())
        for window in windows:
            for event in window:
                places[event.location] = now
                places.move_to_end(event.location)
        while len(places) > MOST_PLACES:
            places.popitem(last=False)

    def written_on(
        self, module_id: str, window: Sequence[SignalEvent], now: float, hold: Hold
    ) -> float | None:
        """Until when the window waits because what it changes was asked about just before.

        None for a window that does not. Only of what is written on: that it is gone is news.
        """
        places = self._places.get(module_id)
        if not places or not window:
            return None
        since = [
            at
            for event in window
            if event.delta_type == "modified"
            and (at := places.get(event.location)) is not None
            and now - at < hold.longest_s
        ]
        return max(since) + hold.longest_s if len(since) == len(window) else None

    def forget(self, module_id: str) -> None:
        """Drop what is remembered of a module that is gone."""
        self._spans.pop(module_id, None)
        self._places.pop(module_id, None)
