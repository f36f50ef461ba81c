"""What the trigger engine knows of one peer, in plain Python: keeps every time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

DAY_S = 86_400.0


def natural_log(x: float) -> float:
    """The logarithm of csrc/simd/log.hpp, whose bits are the same on every processor."""
    m, k = math.frexp(x)
    if m < math.sqrt(0.5):
        m, k = m * 2.0, k - 1
    s = (m - 1.0) / (m + 1.0)
    total = 0.0
    for odd in range(23, 2, -2):
        total = (total + 1.0 / odd) * (s * s)
    return k * 0.69314718055994531 + 2.0 * (s + s * total)


@dataclass
class PlainPeer:
    outgoing: int = 0
    good: int = 0
    bad: int = 0
    streak: int = 0
    times: list[float] = field(default_factory=list)
    interval_s: float = 0.0
    mean: float = 0.0
    squares: float = 0.0
    mean_log: float = 0.0
    largest: float = 0.0
    open: float = 0.0
    visits: list[float] = field(default_factory=list)
    met: bool = False
    jumped: bool = False
    hurried: bool = False
    just_hurried: bool = False
    cycle: int = 0  # of the agent, at the latest message

    @property
    def closed(self) -> int:
        return max(len(self.times) - 1, 0)

    def message(self, time: float, size: float, rules: dict[str, Any]) -> int:
        gap = rules["farming_tempo_gap_s"]
        new_visit = not self.visits or not time - self.times[-1] < gap
        if self.times:
            self._close(time - self.times[-1])
        self.times.append(time)
        self.open, self.jumped, self.just_hurried = size, False, False
        if not rules["farming"]:
            return 0
        return self._hurries(time, new_visit, rules) + self._jumps(rules)

    def _close(self, interval: float) -> None:
        count, before = len(self.times), self.mean
        self.mean += (self.open - before) / count
        self.squares += (self.open - before) * (self.open - self.mean)
        self.mean_log += (natural_log(1.0 + self.open) - self.mean_log) / count
        self.largest = max(self.largest, self.open)
        self.interval_s += (interval - self.interval_s) * (1.0 if count == 1 else 0.25)

    def effort(self, size: float, rules: dict[str, Any]) -> int:
        if not self.times:
            return 0
        self.open += size
        return self._jumps(rules) if rules["farming"] else 0

    def outcome(self, good: bool) -> bool:
        """Whether the latest message was a sign of haste and no longer is."""
        if not self.times:
            return False
        if good:
            self.good, self.streak = self.good + 1, max(self.streak, 0) + 1
            return False
        taken_back = self.just_hurried
        self.bad, self.streak = self.bad + 1, min(self.streak, 0) - 1
        self.visits, self.hurried, self.just_hurried = [], False, False
        return taken_back

    def _jumps(self, rules: dict[str, Any]) -> int:
        if self.jumped or self.closed < rules["farming_easy_count"]:
            return 0
        if self.open < rules["farming_jump_min_size"]:
            return 0
        factor = rules["farming_jump_factor"]
        if rules["farming_jump_from"] == "largest":
            self.jumped = self.open > self.largest and self.open >= factor * self.largest
        else:
            logs = natural_log(1.0 + self.open), natural_log(1.0 + self.open / factor)
            self.jumped = logs[0] > self.mean_log <= logs[1]
        return int(self.jumped)

    def _hurries(self, time: float, new_visit: bool, rules: dict[str, Any]) -> int:
        if not new_visit:
            return 0
        needed = rules["farming_tempo_count"]
        self.visits = [*self.visits, time][-needed:]
        days = (self.visits[-1] - self.visits[0]) / DAY_S
        before = self.hurried
        self.hurried = (
            len(self.visits) == needed and needed - 1 > rules["farming_tempo_per_day"] * days
        )
        self.just_hurried = self.hurried and not before
        return int(self.just_hurried)

    def told(self) -> dict[str, Any]:
        count, closed = len(self.times), self.closed
        span = max(self.times[-1] - self.times[0], 1.0) if count else 1.0
        return {
            "interactions": count,
            "outgoing": self.outgoing,
            "good": self.good,
            "bad": self.bad,
            "streak": self.streak,
            "first_seen": self.times[0] if count else None,
            "last_seen": self.times[-1] if count else None,
            "interval_s": self.interval_s,
            "per_day": (count - 1) / (span / DAY_S) if count > 1 else 0.0,
            "size_usual": math.expm1(self.mean_log),
            "size_mean": self.mean,
            "size_deviation": math.sqrt(self.squares / (closed - 1)) if closed > 1 else 0.0,
            "size_max": self.largest,
            "size_open": self.open,
            "size_jump": self.jumped,
            "tempo": self.hurried,
        }
