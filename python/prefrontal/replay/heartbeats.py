"""Waking by the clock: the default heartbeat of an always-on agent, and the cheapest sensible one.

The default is that of OpenClaw: every 30 minutes, day and night
(https://docs.openclaw.ai/gateway/heartbeat). The cheap one is what its documentation recommends to
save: every 55 minutes, because a provider keeps a prompt's cache for an hour after each use
(https://docs.openclaw.ai/reference/prompt-caching), 16 active hours a day (08:00 to 24:00 there),
and a small model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DAY_S = 86400
HOUR_S = 3600
HEARTBEAT_S = 1800
CHEAP_HEARTBEAT_S = 3300
ACTIVE_HOURS = 16


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Beats every `interval_s` from hour `start` of each day (UTC), for `hours` hours."""

    interval_s: int
    start: int = 0
    hours: int = 24

    @property
    def beats_per_day(self) -> int:
        return -(-self.hours * HOUR_S // self.interval_s)

    @property
    def active_words(self) -> str:
        """From when to when: "08:00 to 24:00 UTC"."""
        end = (self.start + self.hours) % 24 or 24
        return f"{self.start:02}:00 to {end:02}:00 UTC"

    def wait_s(self, time: float) -> float:
        """Seconds from `time` to the first beat after it."""
        into_day = (time - self.start * HOUR_S) % DAY_S
        last = (self.beats_per_day - 1) * self.interval_s
        if into_day >= last:
            return DAY_S - into_day
        return self.interval_s - into_day % self.interval_s


USUAL_HEARTBEAT = Heartbeat(HEARTBEAT_S)
CHEAP_BEATS_PER_DAY = Heartbeat(CHEAP_HEARTBEAT_S, 0, ACTIVE_HOURS).beats_per_day


def cheap_heartbeat(times: Sequence[float]) -> Heartbeat:
    """The cheap one, active in those 16 hours of the day that most of `times` fall in.

    Chosen in hindsight, in its favour; of equally good hours the one that begins at 08:00 or next.
    """
    by_hour = [0] * 24
    for time in times:
        by_hour[int(time % DAY_S // HOUR_S)] += 1
    starts = [(8 + step) % 24 for step in range(24)]
    best = max(
        starts, key=lambda start: sum(by_hour[(start + h) % 24] for h in range(ACTIVE_HOURS))
    )
    return Heartbeat(CHEAP_HEARTBEAT_S, best, ACTIVE_HOURS)
