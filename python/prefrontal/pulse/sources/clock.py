"""Time as a signal: a tick every minute, with the hour and the weekday as points on circles."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from threading import Event, Lock, Thread

from ...clock import Clock, SystemClock
from ...errors import InputError
from ...types import SignalEvent
from .running import Outlet, Push

TICK_INTERVAL_S = 60.0
Minutes = Callable[[], float | None]
log = logging.getLogger("prefrontal.pulse")


def time_features(moment: float, minutes: float) -> dict[str, float]:
    """Features of a tick at Unix second `moment`, in this machine's time zone.

    hour_sin, hour_cos: 2 pi hour/24 of the whole hour; dow_sin, dow_cos: 2 pi day/7, Monday 0;
    minutes_since_last_activation: `minutes`, to two places.
    """
    local = time.localtime(moment)
    hour = 2 * math.pi * local.tm_hour / 24
    day = 2 * math.pi * local.tm_wday / 7
    return {
        "hour_sin": math.sin(hour),
        "hour_cos": math.cos(hour),
        "dow_sin": math.sin(day),
        "dow_cos": math.cos(day),
        "minutes_since_last_activation": round(minutes, 2),
    }


class ClockSource:
    """One "tick" event at "tick" every `interval_s` seconds, the first one interval after start.

    minutes_since_activation: asked at each tick; where it is missing, raises, or says None,
    minutes since the start stand in. A tick that came due while the machine slept is left out.
    """

    def __init__(
        self,
        minutes_since_activation: Minutes | None = None,
        interval_s: float = TICK_INTERVAL_S,
        clock: Clock | None = None,
    ) -> None:
        if not 0 < interval_s < math.inf:
            raise InputError(f"interval_s must be a number of seconds above 0, got {interval_s!r}")
        self.interval_s = interval_s
        self._minutes = minutes_since_activation
        self._clock = SystemClock() if clock is None else clock
        self._lock = Lock()
        self._end = Event()
        self._thread: Thread | None = None
        self._started = self._clock.monotonic()
        self._outlet = Outlet()
        self._failures = 0

    def start(self, push: Push) -> None:
        with self._lock:
            if self._thread is not None:
                return
            self._outlet.push = push
            self._started = self._clock.monotonic()
            self._end = Event()
            self._thread = Thread(
                target=self._run, args=(self._end,), name="prefrontal-ticks", daemon=True
            )
            self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        with self._lock:
            thread, self._thread = self._thread, None
            self._end.set()
        if thread is not None:
            thread.join(timeout_s)

    def status(self) -> dict[str, object]:
        """running, interval_s, failures of the callback, and what became of the ticks."""
        return {
            "running": self._thread is not None,
            "interval_s": self.interval_s,
            "failures": self._failures,
            **self._outlet.counts(),
        }

    def tick(self) -> SignalEvent:
        """The event of this moment."""
        now = self._clock.now()
        return SignalEvent("time", "tick", "tick", 1.0, now, time_features(now, self._age()))

    def _age(self) -> float:
        minutes = None
        if self._minutes is not None:
            try:
                minutes = self._minutes()
            except Exception:
                self._failures += 1
                log.exception("The minutes since the last activation are not known")
        if minutes is None or not math.isfinite(minutes):
            return (self._clock.monotonic() - self._started) / 60
        return minutes

    def _run(self, end: Event) -> None:
        due = self._started + self.interval_s
        while not end.wait(max(due - self._clock.monotonic(), 0.0)):
            late = self._clock.monotonic() - due
            if late < 0:  # the wait was shorter than this clock's
                end.wait(0.01)
                continue
            due += self.interval_s * (1 + late // self.interval_s)
            self._outlet(self.tick())
