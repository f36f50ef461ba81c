"""What became of each incident of a history: told by its first wake, so long after it began."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .delays import DelaySpan, delays
from .record import Amount, Count

if TYPE_CHECKING:
    from ..types import Window


@dataclass(frozen=True, slots=True)
class IncidentOutcome:
    """One incident: when its first window came, in Unix seconds, and how many came.

    delay_s: seconds from then to its first window that woke; None when none did.
    """

    name: str
    began: float
    windows: Count
    delay_s: Amount | None


@dataclass(frozen=True, slots=True)
class Incidents:
    """All of them, by their beginning. told: of which a window woke. missed: names of the others.

    delay_s: of those that were told, None without any.
    """

    total: Count
    told: Count
    delay_s: DelaySpan | None
    missed: tuple[str, ...]
    each: tuple[IncidentOutcome, ...]

    @classmethod
    def of(cls, each: tuple[IncidentOutcome, ...]) -> Incidents:
        waits = [one.delay_s for one in each if one.delay_s is not None]
        median, p90 = delays(waits)
        span = None if median is None or p90 is None else DelaySpan(median, p90)
        missed = tuple(one.name for one in each if one.delay_s is None)
        return cls(len(each), len(waits), span, missed, each)


@dataclass(slots=True)
class _Running:
    began: float
    windows: int = 0
    delay_s: float | None = None


@dataclass(slots=True)
class IncidentTally:
    """Counts incidents while windows pass, in order of time."""

    _running: dict[str, _Running] = field(default_factory=dict)

    def add(self, window: Window, woke: bool) -> None:
        """Take in one decision; a window of no incident changes nothing."""
        if not window.incident:
            return
        running = self._running.get(window.incident)
        if running is None:
            running = self._running[window.incident] = _Running(window.time)
        running.windows += 1
        if woke:
            self.deliver(window, window.time)

    def deliver(self, window: Window, time: float) -> None:
        """A question tells of the window, which was added before, at Unix second `time`."""
        running = self._running.get(window.incident)
        if running is not None and running.delay_s is None:
            running.delay_s = time - running.began

    def incidents(self) -> Incidents | None:
        """None for a history that names no incidents."""
        if not self._running:
            return None
        return Incidents.of(
            tuple(
                IncidentOutcome(name, each.began, each.windows, each.delay_s)
                for name, each in self._running.items()
            )
        )
