"""Windows that would have woken and were held back: they wait until a question tells of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ..decisions.payloads import FoldedWindow, WakePayload
from ..types import Reason
from .asking import brief_name
from .event_bytes import size_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..decisions.decision import Decision
    from ..decisions.payloads import Burst
    from ..types import SignalEvent, Standing

MOST_BYTES = 16_000_000
"""Of events that wait in memory; those of others are read from the log when they are told of."""
AGAIN_S = 1.0
"""After which a log that could not be read is read again."""
MOST_FOLDED = 500
"""Windows that one question tells of at most; the others wait for the next one."""

EAGER = frozenset({Reason.BUSY, Reason.DROPPED, Reason.QUIET_HOURS})
"""Nobody knows when handlers are done, and a wall clock may be set: looked at again each time."""


Load = Callable[[Sequence[str]], "Sequence[Decision]"]
"""Gives the records of these ids, as far as they can be read."""


class HeldWindow(NamedTuple):
    """One window that waits. id: of its record in the log. away: its events are only there."""

    id: str
    time: float
    reason: Reason
    score: float
    threshold: float
    window: tuple[SignalEvent, ...]
    standing: Standing | None
    burst: Burst | None
    away: bool = False

    @classmethod
    def of(cls, record: Decision) -> HeldWindow:
        """The window of a record that waits."""
        payload = record.payload if isinstance(record.payload, WakePayload) else WakePayload()
        scored = record.score, record.threshold, record.window
        reason = Reason(record.reason)
        return cls(record.id, record.time, reason, *scored, payload.standing, payload.burst)

    def folded(self) -> FoldedWindow:
        """How the question that tells of it names it."""
        return FoldedWindow(self.id, self.time, str(self.reason), brief_name(self.window))


class LaneKey(NamedTuple):
    """A module, and the peer whose own budget was used up; "" where anything else holds back.

    written_on: whether what waits is about places that were asked about just before.
    """

    module_id: str
    peer: str = ""
    written_on: bool = False


@dataclass(slots=True)
class Lane:
    """What waits for the same hold to end, oldest first.

    due: monotonic second at which to look again. eager: look again whenever there is time.
    """

    due: float = math.inf
    eager: bool = False
    windows: list[HeldWindow] = field(default_factory=list)

    def strongest(self) -> HeldWindow:
        """The window of the highest score; of equals, the oldest."""
        return max(self.windows, key=attrgetter("score"))


class HeldWindows:
    """Everything that waits, lane by lane.

    Who has used up a budget of its own is told of in questions about itself alone: others' words
    do not carry theirs past the budget. count: how many windows wait. bytes: about how much memory
    their events take. gathers: whether who has a budget is gathered apart, before it is used up.
    """

    def __init__(self, *, gathers: bool = True) -> None:
        self._gathers = gathers
        self._lanes: dict[LaneKey, Lane] = {}
        self.count = 0
        self.bytes = 0
        self._load: Load = lambda _: []

    def __bool__(self) -> bool:
        return bool(self._lanes)

    def ids(self) -> list[str]:
        """Of every window that waits."""
        return [each.id for lane in self._lanes.values() for each in lane.windows]

    def add(
        self, module_id: str, held: HeldWindow, due: float, *, written_on: bool = False
    ) -> None:
        """Let a window wait until monotonic second `due`, and look again then.

        written_on: it is about a place that was asked about just before; the first one counts.
        """
        key = LaneKey(module_id, self._apart(held), written_on)
        lane = self._lanes.setdefault(key, Lane())
        lane.windows.append(held)
        self.count += 1
        self.bytes += size_of(held.window)
        lane.due = min(lane.due, due) if written_on else due
        lane.eager = held.reason in EAGER

    def drop(self, ids: Collection[str]) -> None:
        """Let go of windows of which somebody else told."""
        for key, lane in self.lanes():
            self._let_go(key, lane, [each for each in lane.windows if each.id in ids])

    def spill(self, load: Load) -> None:
        """All that waits is in the log: forget the events of what is told of last, if need be.

        load: the records of these ids, as far as they can be read.
        """
        if self.bytes <= MOST_BYTES:
            return
        self._load, room = load, MOST_BYTES // 2
        for lane in self._lanes.values():
            for place, held in enumerate(lane.windows):
                size = size_of(held.window)
                if size > room:
                    lane.windows[place] = held._replace(window=(), away=True)
                    self.bytes -= size
                room = max(0, room - size)

    def fetch(self, lane: Lane, now: float) -> bool:
        """Have the events of the lane's strongest window, at monotonic second `now`.

        False where nothing waits any more, or the log cannot be read: it is tried again soon.
        """
        if not lane.windows or not (held := lane.strongest()).away:
            return bool(lane.windows)
        whole = self._whole([held])
        if not whole:
            lane.due, lane.eager = now + AGAIN_S, False
            return False
        lane.windows[lane.windows.index(held)] = whole[0]
        self.bytes += size_of(whole[0].window)
        return True

    def take(
        self, module_id: str, standing: Standing | None, first: HeldWindow | None = None
    ) -> list[HeldWindow]:
        """What a question of the module tells of, the oldest MOST_FOLDED. first: in any case."""
        peer = standing.peer if standing else ""
        keys = {LaneKey(module_id, each, on) for each in ("", peer) for on in (False, True)}
        windows: list[HeldWindow] = []
        for key in sorted(keys):
            if lane := self._lanes.get(key):
                chosen = [first] if first is not None and first in lane.windows else []
                rest = (each for each in lane.windows if each is not first)
                chosen += list(islice(rest, max(0, MOST_FOLDED - len(windows) - len(chosen))))
                whole = self._whole(chosen)
                windows += whole
                self._let_go(key, lane, whole)
        return sorted(windows, key=attrgetter("time"))

    def _whole(self, chosen: Sequence[HeldWindow]) -> list[HeldWindow]:
        """With their events; without those that the log does not give now, which go on waiting."""
        away = [each.id for each in chosen if each.away]
        records = {each.id: HeldWindow.of(each) for each in self._load(away)} if away else {}
        whole = (records.get(each.id) if each.away else each for each in chosen)
        return [each for each in whole if each is not None]

    def _let_go(self, key: LaneKey, lane: Lane, gone: Sequence[HeldWindow]) -> None:
        """These wait no more."""
        ids = {each.id for each in gone}
        self.bytes -= sum(size_of(each.window) for each in lane.windows if each.id in ids)
        self.count -= len(ids)
        lane.windows = [each for each in lane.windows if each.id not in ids]
        if not lane.windows:
            del self._lanes[key]

    def lanes(self) -> Iterator[tuple[LaneKey, Lane]]:
        """Each lane, the longest waiting first; lanes may go meanwhile."""
        yield from list(self._lanes.items())

    def due(self) -> float | None:
        """Monotonic second at which the next hold ends; None where nobody knows of any."""
        due = min((lane.due for lane in self._lanes.values()), default=math.inf)
        return None if due == math.inf else due

    def restore(self, records: Iterable[Decision], now: float) -> None:
        """Go on with what waited when another gate ended."""
        for record in records:
            self.add(record.subject, HeldWindow.of(record), now)

    def _apart(self, held: HeldWindow) -> str:
        """The peer whose own budget it costs to tell of the window; "" where nobody's counts."""
        standing = held.standing
        if standing is None:
            return ""
        may_cost = self._gathers and standing.wakes_per_hour is not None
        costs = held.reason is Reason.PEER_BUDGET or (may_cost and held.reason is Reason.GROUPED)
        return standing.peer if costs else ""
