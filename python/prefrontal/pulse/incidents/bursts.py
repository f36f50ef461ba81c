"""Alike windows make one burst; what is new about it, how fast it grows and who else is new."""

from __future__ import annotations

import json
import math
import re
from collections import OrderedDict, deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from ...decisions.payloads import Burst
from ...types import SignalEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

QUIET_S = 600.0
"""A burst that was quiet for so long is over; the next window of its kind opens another."""
FIRST_LOOK = 8
"""From so many windows on, a burst is looked at again each time it has doubled."""
NEW_S = 21600.0
"""A kind that did not come for so long is new."""
FIRST_S = 3600.0
"""So long after the first window, that a kind never came before says little."""
COMPANY_S = 300.0
"""Kinds that were new within so long are counted as company."""
MOST_KINDS = 20_000
"""Names and kinds that are remembered; the one that came longest ago is forgotten first."""
NAME_LIMIT = 120
_AGES_S = ((3600.0, "1h"), (21600.0, "6h"), (86400.0, "24h"), (259200.0, "72h"))
_NUMBER = re.compile(r"[0-9]+")

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
Kind = tuple[str, str]
"""What windows say, without its numbers, and where."""


@dataclass(slots=True)
class _Recent:
    last: float
    count: int
    began: float
    name_age: str
    kind_age: str


class Bursts:
    """Passes over the windows of a gate, in order of time; remembers kinds, not windows."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, float] = OrderedDict()
        self._kinds: OrderedDict[Kind, _Recent] = OrderedDict()
        self._new: deque[float] = deque()
        self._began: float | None = None

    def take(self, time: float, window: Sequence[SignalEvent]) -> Burst:
        """The burst that the window belongs to, at Unix second `time`."""
        if not window:
            return Burst("", "", 0, time, time, look=False)
        since = self._began = time if self._began is None else self._began
        event = window[0]
        kind = name, place = kind_of(event)
        running = self._kinds.get(kind)
        if running is None or time - running.last > QUIET_S:
            running = self._begin(name, kind, running, time)
            look = True
        else:
            count = running.count = running.count + 1
            running.last = time
            look = count >= FIRST_LOOK and count & (count - 1) == 0
        _remember(self._names, name, time)
        _remember(self._kinds, kind, running)
        features = self._features(name, event, running, time) if look else ()
        return Burst(name, place, running.count, running.began, since, look, features)

    def to_bytes(self) -> bytes:
        """What `restore` reads."""
        kinds = [
            [*kind, each.last, each.count, each.began, each.name_age, each.kind_age]
            for kind, each in self._kinds.items()
        ]
        plain = {
            "names": list(self._names.items()),
            "kinds": kinds,
            "new": list(self._new),
            "began": self._began,
        }
        return json.dumps(plain, separators=(",", ":")).encode()

    def restore(self, content: bytes) -> None:
        """Go on with what `to_bytes` gave."""
        plain = json.loads(content)
        self._names = OrderedDict((name, last) for name, last in plain["names"])
        self._kinds = OrderedDict(
            ((name, place), _Recent(*running)) for name, place, *running in plain["kinds"]
        )
        self._new = deque(plain["new"])
        self._began = plain["began"]

    def _begin(self, name: str, kind: Kind, before: _Recent | None, time: float) -> _Recent:
        named = self._names.get(name)
        age = None if before is None else time - before.last
        if age is None or age >= NEW_S:
            self._new.append(time)
        name_age = None if named is None else time - named
        return _Recent(time, 1, time, self._age(name_age, time), self._age(age, time))

    def _age(self, seconds: float | None, time: float) -> str:
        """How long nothing like it came; at first nobody knows."""
        if seconds is None:
            is_first = self._began is None or time - self._began < FIRST_S
            return "first" if is_first else "never"
        return next((name for limit, name in _AGES_S if seconds < limit), "long")

    def _features(
        self, name: str, event: SignalEvent, burst: _Recent, time: float
    ) -> tuple[tuple[str, str], ...]:
        while self._new and self._new[0] < time - COMPANY_S:
            self._new.popleft()
        a_minute = burst.count / max(1.0, time - burst.began) * 60
        rate = round(math.log2(a_minute)) // 2 if burst.count >= FIRST_LOOK else -5
        return (
            ("text", name),
            ("detector", event.delta_type),
            ("quiet_name", burst.name_age),
            ("quiet_kind", burst.kind_age),
            ("company", f"c{len(self._new).bit_length()}"),
            ("count", f"n{int(math.log2(burst.count))}"),
            ("kind", f"{name}@{_outermost(event)}"),
            ("kind_quiet", f"{name} {burst.name_age}"),
            ("kind_rate", f"{name} {rate}"),
        )


def kind_of(event: SignalEvent) -> Kind:
    """What an event says, or how it changed what; files of one folder are one place."""
    text = event.features.get("text")
    name = _unnumbered(text) if isinstance(text, str) and text.strip() else event.delta_type
    return name, _folder(event.location) if event.source == "filesystem" else event.location


def burst_events(burst: Burst, window: Sequence[SignalEvent]) -> tuple[SignalEvent, ...]:
    """The burst in the form of one signal, which is what is scored and learned."""
    if not window:
        return ()
    event = window[0]
    features = dict(burst.features)
    place = _outermost(event)
    return (SignalEvent(event.source, place, "burst", 1.0, event.timestamp, features),)


def _outermost(event: SignalEvent) -> str:
    """Of a place with parts the first one: the others name who it is."""
    if event.source == "filesystem":
        return _folder(event.location)
    first = event.location.partition("/")[0]
    return first or event.location


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


@lru_cache(maxsize=4096)
def _unnumbered(text: str) -> str:
    return _NUMBER.sub("#", text)[:NAME_LIMIT]


def _remember(memory: OrderedDict[_Key, _Value], key: _Key, value: _Value) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > MOST_KINDS:
        memory.popitem(last=False)
