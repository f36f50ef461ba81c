"""Alike windows make one burst; what is new about it, how fast it grows and who else is new."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...types import SignalEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

QUIET_S = 600.0
"""A burst that was quiet for so long is over; the next window of its kind opens another."""
FIRST_LOOK = 8
"""From so many windows on, a burst is looked at again each time it has doubled."""
NEW_S = 21600.0
"""A kind that did not come for so long is new."""
COMPANY_S = 300.0
"""Kinds that were new within so long are counted as company."""
_AGES_S = ((3600.0, "1h"), (21600.0, "6h"), (86400.0, "24h"), (259200.0, "72h"))


@dataclass(frozen=True, slots=True)
class Look:
    """A burst at one of the moments at which it is worth a look. name: of what it says.

    event: the burst in the form of one signal, with its novelty, rate and company as features.
    """

    time: float
    name: str
    event: SignalEvent


@dataclass(slots=True)
class _Burst:
    count: int
    began: float
    name_age: str
    kind_age: str


class Bursts:
    """Passes over one history, in order of time; remembers names and kinds, not windows."""

    def __init__(self) -> None:
        self._names: dict[str, float] = {}
        self._kinds: dict[tuple[str, str], float] = {}
        self._open: dict[tuple[str, str], _Burst] = {}
        self._new: deque[float] = deque()

    def look(self, time: float, text: str, events: Sequence[SignalEvent]) -> Look | None:
        """Take in a window; None when its burst was looked at and has not doubled since."""
        event = events[0]
        name = text or event.delta_type
        kind = (name, event.location)
        before = self._kinds.get(kind)
        if before is None or time - before > QUIET_S:
            burst = self._begin(name, kind, before, time)
            worth = True
        else:
            burst = self._open[kind]
            burst.count += 1
            worth = burst.count >= FIRST_LOOK and burst.count & (burst.count - 1) == 0
        self._names[name] = self._kinds[kind] = time
        return Look(time, name, self._signal(name, event, burst, time)) if worth else None

    def _begin(self, name: str, kind: tuple[str, str], before: float | None, time: float) -> _Burst:
        named = self._names.get(name)
        name_age = _age(None if named is None else time - named)
        burst = _Burst(1, time, name_age, _age(None if before is None else time - before))
        self._open[kind] = burst
        if before is None or time - before >= NEW_S:
            self._new.append(time)
        return burst

    def _signal(self, name: str, event: SignalEvent, burst: _Burst, time: float) -> SignalEvent:
        while self._new and self._new[0] < time - COMPANY_S:
            self._new.popleft()
        place = event.location.partition("/")[0]
        a_minute = burst.count / max(1.0, time - burst.began) * 60
        rate = round(math.log2(a_minute)) // 2 if burst.count >= FIRST_LOOK else -5
        features = {
            "text": name,
            "detector": event.delta_type,
            "quiet_name": burst.name_age,
            "quiet_kind": burst.kind_age,
            "company": f"c{_bucket(len(self._new))}",
            "count": f"n{int(math.log2(burst.count))}",
            "kind": f"{name}@{place}",
            "kind_quiet": f"{name} {burst.name_age}",
            "kind_rate": f"{name} {rate}",
        }
        return SignalEvent(event.source, place, "burst", 1.0, time, features)


def _age(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    return next((name for limit, name in _AGES_S if seconds < limit), "long")


def _bucket(count: int) -> int:
    return count.bit_length()
