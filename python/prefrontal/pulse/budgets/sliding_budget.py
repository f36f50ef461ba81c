"""At most so many wakes in any span of time, counted one by one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...settings.budget import Budget


class SlidingBudget:
    """Remembers the wakes of the last span, so that no span holds more than the budget.

    A span is the time up to now, without its first moment: a wake counts until it is `span_s` old.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._times: deque[float] = deque()

    def used(self, now: float) -> int:
        """How many wakes the span that ends at Unix second `now` holds."""
        times, since = self._times, now - self.budget.span_s
        while times and times[0] <= since:
            times.popleft()
        return len(times)

    def has(self, now: float) -> bool:
        """Whether one more may be spent."""
        return self.used(now) < self.budget.wakes

    def free_at(self, now: float, others: int = 0) -> float:
        """Unix second from which one more may be spent and so many are left to others."""
        over = self.used(now) - self.budget.wakes + others
        last = len(self._times) - 1
        return now if over < 0 else self._times[min(over, last)] + self.budget.span_s

    def take(self, now: float) -> None:
        """Spend one; ask `has` first. A clock that went back ages no wake before its time."""
        self._times.append(max(now, self._times[-1]) if self._times else now)

    def restore(self, times: Iterable[float]) -> None:
        """Count wakes of before this start, in the order of time."""
        for time in times:
            self.take(time)
